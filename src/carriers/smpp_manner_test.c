#include "carriers/smpp_manner.h"
#include "carriers/test_config.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct smpp_manner manner;
static char why[160];

static void assert_ton_npi(uint8_t ton, uint8_t npi, uint8_t wanted_ton, uint8_t wanted_npi)
{
    assert_int_equal(ton, wanted_ton);
    assert_int_equal(npi, wanted_npi);
}

static void the_usual_manner(void **state)
{
    struct config_carrier config = test_carrier_config();

    assert_true(smpp_manner_read(&config, &manner, why, sizeof why));
    assert_int_equal(manner.alphabet, SMPP_GSM);
    assert_int_equal(manner.data_coding, -1);
    assert_int_equal(manner.long_text, SMPP_LONG_UDH8);
    assert_int_equal(manner.esm_class, 0);
    assert_int_equal(manner.registered_delivery, 1);
    assert_string_equal(manner.service_type, "");
    assert_ton_npi(manner.number_ton, manner.number_npi, 1, 1);
    assert_ton_npi(manner.name_ton, manner.name_npi, 5, 0);
    assert_ton_npi(manner.short_ton, manner.short_npi, 3, 0);
    assert_ton_npi(manner.recipient_ton, manner.recipient_npi, 1, 1);
    assert_int_equal(smpp_manner_version(&config), 0x34);
}

static void every_setting_has_its_place(void **state)
{
    struct config_carrier config = test_carrier_config();

    config.alphabet = SMPP_LATIN1;
    config.data_coding = 3;
    config.long_text = SMPP_LONG_PAYLOAD;
    config.esm_class = 3;
    config.service_type = "CMT";
    config.number_ton_npi = "0/0";
    config.name_ton_npi = "5/9";
    config.short_code_ton_npi = "6/1";
    config.recipient_ton_npi = "2/8";
    config.version = 2;
    assert_true(smpp_manner_read(&config, &manner, why, sizeof why));
    assert_int_equal(manner.alphabet, SMPP_LATIN1);
    assert_int_equal(manner.data_coding, 3);
    assert_int_equal(manner.long_text, SMPP_LONG_PAYLOAD);
    assert_int_equal(manner.esm_class, 3);
    assert_string_equal(manner.service_type, "CMT");
    assert_ton_npi(manner.number_ton, manner.number_npi, 0, 0);
    assert_ton_npi(manner.name_ton, manner.name_npi, 5, 9);
    assert_ton_npi(manner.short_ton, manner.short_npi, 6, 1);
    assert_ton_npi(manner.recipient_ton, manner.recipient_npi, 2, 8);
    assert_int_equal(smpp_manner_version(&config), 0x50);
    config.version = 0;
    assert_int_equal(smpp_manner_version(&config), 0x33);
}

static void smpp_3_3_knows_no_parameters(void **state)
{
    struct config_carrier config = test_carrier_config();

    for (unsigned version = 0; version < 3; version++) {
        config.version = version;
        assert_true(smpp_manner_read(&config, &manner, why, sizeof why));
        assert_int_equal(manner.no_parameters, version == 0);
    }
}

static void receipts_that_are_asked_for(void **state)
{
    static const struct {
        int word;
        uint8_t registered;
    } cases[] = {{CONFIG_RECEIPTS_FINAL, 0x01},
                 {CONFIG_RECEIPTS_FAILURES, 0x02},
                 {CONFIG_RECEIPTS_ALL, 0x11},
                 {CONFIG_RECEIPTS_NONE, 0x00}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config_carrier config = test_carrier_config();
        config.receipts = cases[i].word;
        assert_true(smpp_manner_read(&config, &manner, why, sizeof why));
        assert_int_equal(manner.registered_delivery, cases[i].registered);
    }
}

static void ton_and_npi_are_two_numbers(void **state)
{
    static const char *const bad[] = {"", "1", "1/", "/1", "7/1", "1/19", "1/1/1", "a/b", "-1/1"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct config_carrier config = test_carrier_config();
        config.recipient_ton_npi = bad[i];
        assert_false(smpp_manner_read(&config, &manner, why, sizeof why));
        assert_non_null(strstr(why, "recipient_ton_npi"));
        assert_non_null(strstr(why, "such as 1/1"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_manner),
        cmocka_unit_test(every_setting_has_its_place),
        cmocka_unit_test(smpp_3_3_knows_no_parameters),
        cmocka_unit_test(receipts_that_are_asked_for),
        cmocka_unit_test(ton_and_npi_are_two_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
