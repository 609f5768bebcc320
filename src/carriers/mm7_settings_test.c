#include "carriers/mm7_settings.h"
#include "carriers/test_config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct mm7_settings *settings;
static char why[256];

static void make(const struct config_mmsc *config)
{
    if (mm7_settings_new(&settings, config, why, sizeof why) != 0)
        fail_msg("%s", why);
}

static void refuse(const struct config_mmsc *config, const char *reason)
{
    assert_int_equal(mm7_settings_new(&settings, config, why, sizeof why), -EINVAL);
    if (!strstr(why, reason))
        fail_msg("'%s' is not in '%s'", reason, why);
}

static void the_configuration_may_go(void **state)
{
    char url[] = "https://mmsc.example/mm7", namespace[] = "urn:other";
    struct config_mmsc config = test_mmsc_config();

    config.url = url;
    config.namespace = namespace;
    config.media_types = 1 << MEDIA_PNG;
    config.max_size = 300000;
    make(&config);
    memset(url, '?', 5);
    memset(namespace, '?', 5);
    assert_string_equal(settings->config.url, "https://mmsc.example/mm7");
    assert_true(str_is(settings->dialect.namespace, "urn:other"));
    assert_true(str_is(settings->dialect.version, "6.8.0"));
    assert_int_equal(settings->media.need, MEDIA_FIRST);
    assert_int_equal(settings->media.kinds, 1 << MEDIA_PNG);
    assert_int_equal(settings->media.size_max, 300000);
    assert_null(settings->authorization);
    mm7_settings_free(settings);
    mm7_settings_free(NULL);
}

static void every_setting_makes_a_difference(void **state)
{
    struct config_mmsc config = test_mmsc_config();

    make(&config);
    assert_true(mm7_settings_same(settings, &config));
#define CHANGE_PATH(key)     config.key = "other"
#define CHANGE_TEXT(key)     config.key = "other"
#define CHANGE_SECRET(key)   config.key = "other"
#define CHANGE_INTEGER(key)  config.key++
#define CHANGE_DURATION(key) config.key##_ms++
#define CHANGE_WORD(key)     config.key++
#define CHANGE_WORDS(key)    config.key++
#define X(key, type, ...)                                                                          \
    config = test_mmsc_config();                                                                   \
    CHANGE_##type(key);                                                                            \
    assert_false(mm7_settings_same(settings, &config));
    CONFIG_MMSC_ROWS(X)
#undef X
    config = test_mmsc_config();
    config.place = "elsewhere in the file";
    assert_true(mm7_settings_same(settings, &config));
    mm7_settings_free(settings);
}

static void credentials_become_a_header(void **state)
{
    struct config_mmsc config = test_mmsc_config();

    config.username = "Aladdin";
    config.password = "open sesame"; /* RFC 7617 */
    make(&config);
    assert_string_equal(settings->authorization,
                        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    mm7_settings_free(settings);
    config = test_mmsc_config();
    config.token = "KEY0123";
    make(&config);
    assert_string_equal(settings->authorization, "Authorization: Bearer KEY0123");
    mm7_settings_free(settings);
}

static void faults_name_the_section_and_the_remedy(void **state)
{
    struct config_mmsc config = test_mmsc_config();

    config.url = "ftp://mmsc.example";
    refuse(&config, "[mmsc acme] url ");
    config = test_mmsc_config();
    config.token = "T";
    config.username = "us";
    refuse(&config, "[mmsc acme] token goes without username");
    config = test_mmsc_config();
    config.password = "secret";
    refuse(&config, "needs a username");
    config = test_mmsc_config();
    config.username = "a:b";
    refuse(&config, "username must not have a ':'");
    config = test_mmsc_config();
    config.token = "T\r\nX-Other: 1";
    refuse(&config, "control characters");
    config = test_mmsc_config();
    config.tls_ca = "/nonexistent/ca.pem";
    refuse(&config, "[mmsc acme] tls_ca: ");
    assert_non_null(strstr(why, "/nonexistent/ca.pem"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_configuration_may_go),
        cmocka_unit_test(every_setting_makes_a_difference),
        cmocka_unit_test(credentials_become_a_header),
        cmocka_unit_test(faults_name_the_section_and_the_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
