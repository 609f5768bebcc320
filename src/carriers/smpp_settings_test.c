#include "carriers/smpp_settings.h"
#include "carriers/test_config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct smpp_settings *settings;
static char why[256];

static void make(const struct config_carrier *config)
{
    assert_int_equal(smpp_settings_new(&settings, config, why, sizeof why), 0);
}

static void refuse(const struct config_carrier *config)
{
    assert_int_equal(smpp_settings_new(&settings, config, why, sizeof why), -EINVAL);
}

static void the_configuration_may_go(void **state)
{
    char id[] = "us", statuses[] = "0x45=temporary", service[] = "CMT";
    struct config_carrier config = test_carrier_config();

    config.system_id = id;
    config.statuses = statuses;
    config.service_type = service;
    config.receipt_ids = SMPP_ID_HEX_ANSWER;
    config.receipts_by = 1;
    make(&config);
    memset(id, '?', 2);
    memset(statuses, '?', 5);
    memset(service, '?', 3);
    assert_string_equal(settings->config.system_id, "us");
    assert_string_equal(settings->config.statuses, "0x45=temporary");
    assert_string_equal(settings->manner.service_type, "CMT");
    assert_int_equal(settings->ids, SMPP_ID_HEX_ANSWER);
    assert_true(settings->receipts_by_content);
    assert_int_equal(settings->version, 0x34);
    assert_null(settings->tls);
    assert_int_equal(smpp_status_verdict(0x45, &settings->exceptions).class, SMPP_CLASS_TEMPORARY);
    smpp_settings_free(settings);
}

static void every_setting_makes_a_difference(void **state)
{
    struct config_carrier config = test_carrier_config();

    make(&config);
    assert_true(smpp_settings_same(settings, &config));
#define CHANGE_ADDRESS(key)  config.key.port++
#define CHANGE_PATH(key)     config.key = "other"
#define CHANGE_TEXT(key)     config.key = "other"
#define CHANGE_SECRET(key)   config.key = "other"
#define CHANGE_INTEGER(key)  config.key++
#define CHANGE_DURATION(key) config.key##_ms++
#define CHANGE_WORD(key)     config.key++
#define X(key, type, ...)                                                                          \
    config = test_carrier_config();                                                                \
    CHANGE_##type(key);                                                                            \
    assert_false(smpp_settings_same(settings, &config));
    CONFIG_CARRIER_ROWS(X)
#undef X
    config = test_carrier_config();
    config.place = "elsewhere in the file";
    assert_true(smpp_settings_same(settings, &config));
    smpp_settings_free(settings);
}

static void faults_name_the_section_and_the_setting(void **state)
{
    struct config_carrier config = test_carrier_config();

    config.statuses = "0x45=never";
    refuse(&config);
    assert_non_null(strstr(why, "[carrier acme] statuses: "));
    config = test_carrier_config();
    config.name_ton_npi = "5";
    refuse(&config);
    assert_non_null(strstr(why, "[carrier acme] name_ton_npi"));
    config = test_carrier_config();
    config.tls = 1;
    config.tls_ca = "/nonexistent/ca.pem";
    refuse(&config);
    assert_non_null(strstr(why, "[carrier acme] "));
    assert_non_null(strstr(why, "/nonexistent/ca.pem"));
}

static void tls_files_are_read(void **state)
{
    struct config_carrier config = test_carrier_config();

    config.tls = 1;
    make(&config);
    assert_non_null(settings->tls);
    smpp_settings_free(settings);
    smpp_settings_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_configuration_may_go),
        cmocka_unit_test(every_setting_makes_a_difference),
        cmocka_unit_test(faults_name_the_section_and_the_setting),
        cmocka_unit_test(tls_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
