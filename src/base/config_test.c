#include "base/test_config.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>

static void test_defaults(void **state)
{
    struct config_source source = {.environment = home_only, .usual_file = "/nowhere/at/all"};

    assert_int_equal(load(&source), 0);
    assert_string_equal(config->server_listen.host, "127.0.0.1");
    assert_int_equal(config->server_listen.port, 8443);
    assert_string_equal(config->server_data_dir, "/home/ada/.local/share/skylark");
    assert_int_equal(config->server_request_timeout_ms, 30000);
    assert_int_equal(config->simulator_delivery_ms, 1000);
    assert_int_equal(config->retention_messages_ms, 400 * CONFIG_DAY_MS);
    assert_int_equal(config->retention_events_ms, 30 * CONFIG_DAY_MS);
    assert_int_equal(config->retention_deliveries_ms, 30 * CONFIG_DAY_MS);
    assert_int_equal(config->retention_idempotency_ms, CONFIG_DAY_MS);
    assert_int_equal(config->log_level, 1);
    assert_int_equal(config->log_format, CONFIG_LOG_AUTO);
    assert_string_equal(config->tls_certificate, "");
    assert_null(config->file);
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++)
        assert_string_equal(config->origins[i], "default");
}

static void test_data_dir_default(void **state)
{
    char *all[] = {(char *)"HOME=/home/ada", (char *)"XDG_DATA_HOME=/data",
                   (char *)"STATE_DIRECTORY=/var/lib/skylark:/var/lib/other", NULL};
    char *xdg[] = {all[0], all[1], NULL}, *none[] = {NULL};
    struct config_source source = {.environment = all, .usual_file = "/nowhere/at/all"};

    assert_int_equal(load(&source), 0);
    assert_string_equal(config->server_data_dir, "/var/lib/skylark");
    source.environment = xdg;
    assert_int_equal(load(&source), 0);
    assert_string_equal(config->server_data_dir, "/data/skylark");
    source.environment = none;
    assert_int_equal(load(&source), -EINVAL);
    check_lines(&config_report.errors,
                "server.data_dir: has no default because HOME is not set; set it, "
                "or use --data-dir\n");
}

static void test_file(void **state)
{
    load_good("# a comment\n[server]\nlisten = [::1]:0 ; here too\n  workers=3\n"
              "data_dir = /srv/sky lark\nidle_timeout = 5m\n\n[log]\r\nlevel = debug\r\n"
              "format = json");
    assert_string_equal(config->server_listen.host, "::1");
    assert_int_equal(config->server_listen.port, 0);
    assert_int_equal(config->server_workers, 3);
    assert_string_equal(config->server_data_dir, "/srv/sky lark");
    assert_int_equal(config->server_idle_timeout_ms, 300000);
    assert_int_equal(config->log_level, 0);
    assert_int_equal(config->log_format, CONFIG_LOG_JSON);
    assert_string_equal(config->file, config_path);

    char origin[128];
    snprintf(origin, sizeof origin, "%s:4", config_path);
    assert_string_equal(config->origins[CONFIG_server_workers], origin);
    assert_string_equal(config->texts[CONFIG_server_workers], "3");
    assert_string_equal(config->origins[CONFIG_queue_memory], "default");
    load_good("\xef\xbb\xbf[server]\nworkers = 2\n"); /* as some editors write it */
    assert_int_equal(config->server_workers, 2);
}

static void test_durations(void **state)
{
    load_good("[simulator]\nanswer = 0\ndelivery = 250ms\n[server]\nrequest_timeout = 1h\n"
              "idle_timeout = 1d\n");
    assert_int_equal(config->simulator_answer_ms, 0);
    assert_int_equal(config->simulator_delivery_ms, 250);
    assert_int_equal(config->server_request_timeout_ms, 3600000);
    assert_int_equal(config->server_idle_timeout_ms, 86400000);
}

static void test_long_path(void **state)
{
    char text[2000] = "[server]\ndata_dir = /";
    size_t start = strlen(text) - 1;

    memset(text + start + 1, 'a', 1500);
    load_good(text);
    assert_string_equal(config->server_data_dir, text + start);
}

static void test_precedence(void **state)
{
    struct config_source source = source_of("[server]\nworkers = 1\nlisten = 127.0.0.1:1\n"
                                            "max_connections = 11\n");
    char *environment[] = {(char *)"HOME=/home/ada", (char *)"SKYLARK_SERVER_WORKERS=2",
                           (char *)"SKYLARK_SERVER_LISTEN=127.0.0.1:2", NULL};

    source.environment = environment;
    source.flags[CONFIG_server_listen] = "127.0.0.1:3";
    assert_int_equal(load(&source), 0);
    assert_int_equal(config->server_max_connections, 11);
    assert_int_equal(config->server_workers, 2);
    assert_int_equal(config->server_listen.port, 3);
    assert_string_equal(config->origins[CONFIG_server_workers], "SKYLARK_SERVER_WORKERS");
    assert_string_equal(config->origins[CONFIG_server_listen], "--listen");
}

static void test_which_file(void **state)
{
    struct config_source source = source_of("[server]\nworkers = 7\n");
    char variable[128];
    char *environment[] = {(char *)"HOME=/home/ada", variable, NULL};

    source = (struct config_source){.environment = home_only, .usual_file = config_path};
    assert_int_equal(load(&source), 0);
    assert_int_equal(config->server_workers, 7);

    snprintf(variable, sizeof variable, "SKYLARK_CONFIG=%s", config_path);
    source = (struct config_source){.environment = environment, .usual_file = "/nowhere/at/all"};
    assert_int_equal(load(&source), 0);
    assert_int_equal(config->server_workers, 7);

    source.file = "/nowhere/skylark.ini";
    assert_int_equal(load(&source), -EINVAL);
    check_lines(&config_report.errors,
                "/nowhere/skylark.ini: cannot be read: No such file or directory\n");
}

static void test_plans(void **state)
{
    load_good("[plan default]\nper_minute = 5\n[plan vip-1]\nper_hour = 10\n[plan  spaced ]\n"
              "per_minute = 0\n");
    const struct config_plan *p = config_plan_find(config, "default");
    assert_int_equal(p->per_minute, 5);
    assert_int_equal(p->per_hour, 1000);
    assert_string_equal(p->origins[1], "default");
    p = config_plan_find(config, "vip-1");
    assert_int_equal(p->per_minute, 0);
    assert_int_equal(p->per_hour, 10);
    p = config_plan_find(config, "enterprise");
    assert_int_equal(p->per_minute, 3000);
    assert_int_equal(p->per_hour, 180000);
    assert_int_equal(config_plan_find(config, "unlimited")->per_minute, 0);
    assert_non_null(config_plan_find(config, "spaced"));
    assert_null(config_plan_find(config, "nothing"));
}

static void test_plan_faults(void **state)
{
    check_fault("[plan a]\nper_minute = x\n", 2,
                "plan a.per_minute must be a whole number from 0 to 1000000000, not 'x'");
    check_fault("[plan a]\nper_minut = 1\n", 2,
                "there is no key 'per_minut' in [plan a]; did you mean 'per_minute'?");
    check_fault("[plan a]\nlisten = 1\n", 2,
                "there is no key 'listen' in [plan a]; it belongs under [server]");
    check_fault("[plan a]\nper_hour = 1\nper_hour = 2\n", 3,
                "plan a.per_hour is set twice; the first time on line 2");
    check_fault("[plan A]\nper_hour = 1\n", 1,
                "a plan's name has 1 to 32 small letters, digits, - and _, not 'A'");
    check_fault("[plan ]\nper_hour = 1\n", 1,
                "a plan's name has 1 to 32 small letters, digits, - and _, not ''");
}

static void test_too_many_plans(void **state)
{
    struct buf text BUF_CLEANUP;

    buf_init(&text, 1 << 16);
    for (int i = 0; i < CONFIG_PLANS_MAX - 3; i++)
        buf_printf(&text, "[plan p%d]\nper_hour = 1\n", i);
    buf_add_char(&text, '\0');
    check_fault(text.p, 2 * (CONFIG_PLANS_MAX - 3) - 1, "there are more than 256 plans");
}

static void test_unknown_names(void **state)
{
    check_fault("[server]\nlisen = x\n", 2,
                "there is no key 'lisen' in [server]; did you mean 'listen'?");
    check_fault("[server]\nxyzzy = x\n", 2, "there is no key 'xyzzy' in [server]");
    check_fault("[server]\nlevel = info\n", 2,
                "there is no key 'level' in [server]; it belongs under [log]");
    check_fault("[sever]\nlisten = x\n", 1, "there is no section [sever]; did you mean [server]?");
    check_fault("[mail]\nlisten = x\n", 1,
                "there is no section [mail]; there are [server], [tls], [queue], [simulator], "
                "[media], [mm7], [webhooks], [retention], [log], [metrics], [plan NAME], [carrier "
                "NAME], [mmsc NAME], [sender ADDRESS] and [route NAME]");
    check_fault("level = info\n", 1, "'level' stands before any section; write [log] above it");
}

static void test_bad_values(void **state)
{
    check_fault("[server]\nworkers = many\n", 2,
                "server.workers must be a whole number from 0 to 1024, not 'many'");
    check_fault("[server]\nworkers = 1025\n", 2,
                "server.workers must be a whole number from 0 to 1024, not '1025'");
    check_fault("[server]\nmax_connections = 0\n", 2,
                "server.max_connections must be a whole number from 1 to 1000000, not '0'");
    check_fault("[server]\nworkers = -1\n", 2,
                "server.workers must be a whole number from 0 to 1024, not '-1'");
    check_fault("[server]\nworkers = 99999999999999999999\n", 2,
                "server.workers must be a whole number from 0 to 1024, not '99999999999999999999'");
    check_fault("[server]\nidle_timeout = 30\n", 2,
                "server.idle_timeout must be a time with its unit, such as 500ms, 30s, 5m or 2h, "
                "not '30'");
    check_fault("[server]\nidle_timeout = 10ms\n", 2,
                "server.idle_timeout must be a time from 1s to 1d, not '10ms'");
    check_fault("[server]\ndrain_timeout = 2h\n", 2,
                "server.drain_timeout must be a time from 0ms to 1h, not '2h'");
    check_fault("[log]\nlevel = loud\n", 2,
                "log.level must be one of debug, info, warning, error, not 'loud'");
    check_fault("[server]\ndata_dir = ~/sky\n", 2,
                "server.data_dir must be a whole path; ~ is not understood here: '~/sky'");
}

static void test_bad_addresses(void **state)
{
    static const char *const bad[] = {"localhost", ":8443",         "::1:8443", "[::1]",
                                      "a:65536",   "[localhost]:1", "a:",       "a:x"};
    char text[128], want[256];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "[server]\nlisten = %s\n", bad[i]);
        snprintf(want, sizeof want,
                 "server.listen must be HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443, not '%s'",
                 bad[i]);
        check_fault(text, 2, want);
    }
}

static void test_metrics(void **state)
{
    load_good("[metrics]\nlisten = 0.0.0.0:9\ntoken = 0123456789-abcdef\n");
    assert_int_equal(config->metrics_listen.port, 9);
    assert_string_equal(config->metrics_token, "0123456789-abcdef");
}

static void test_metrics_off(void **state)
{
    load_good("[metrics]\nlisten = off\n");
    assert_string_equal(config->metrics_listen.host, "");
}

static void test_metrics_faults(void **state)
{
    check_fault("[metrics]\nlisten = on\n", 2,
                "metrics.listen must be HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443, or off, "
                "not 'on'");
    check_fault("[metrics]\nlisten = [::]:9\n", 2,
                "metrics.listen is [::]:9, which others can reach; set metrics.token too, or "
                "listen on 127.0.0.1");
    check_fault("[metrics]\ntoken = 0123456789abcde\n", 2,
                "metrics.token has 15 characters; it needs at least 16, so that nobody guesses it");
    check_fault("[metrics]\ntoken = 0123456789 abcdef\n", 2,
                "metrics.token may have letters, digits and -._~+/= only: it goes into a header");
}

static void test_loopback(void **state)
{
    static const struct {
        const char *host;
        bool loopback;
    } cases[] = {{"127.0.0.1", true},  {"127.9.9.9", true}, {"::1", true},
                 {"localhost", true},  {"LocalHost", true}, {"0.0.0.0", false},
                 {"128.0.0.1", false}, {"::", false},       {"localhost.example.com", false},
                 {"10.0.0.1", false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config_address a = {.port = 1};
        snprintf(a.host, sizeof a.host, "%s", cases[i].host);
        assert_int_equal(config_address_is_loopback(&a), cases[i].loopback);
    }
}

static void test_structure_faults(void **state)
{
    check_fault("[server]\nlisten 127.0.0.1:1\n", 2,
                "'listen 127.0.0.1' is no key; write key = value");
    check_fault("[server]\n\nworkers 4\n", 3, "'workers 4' is neither [section] nor key = value");
    check_fault("[server\n", 1, "'[server' is neither [section] nor key = value");
    check_fault("[server]\nworkers = 1\n[log]\n[server]\nworkers = 1\n", 5,
                "server.workers is set twice; the first time on line 2");
    check_fault("[tls]\ncertificate = /a.pem\n", 2,
                "tls.certificate is set and tls.key is not; set both or none");
    check_fault("[tls]\nkey = /a.key\n", 2,
                "tls.key is set and tls.certificate is not; set both or none");
    char text[6000] = "[server]\ndocs_url = ";
    memset(text + strlen(text), 'a', 5000);
    check_fault(text, 2, "the line is longer than 4094 characters");
}

/* What is made of something else is not kept longer than that. */
static void test_retention(void **state)
{
    load_good("[retention]\nmessages = 0\nevents = 36500d\ndeliveries = 800d\nidempotency = 30d\n");
    assert_int_equal(config->retention_messages_ms, 0);
    load_good("[retention]\nmessages = 2d\nevents = 2d\ndeliveries = 1d\nidempotency = 48h\n");
    assert_int_equal(config->retention_messages_ms, 2 * CONFIG_DAY_MS);
    assert_int_equal(config->retention_idempotency_ms, 2 * CONFIG_DAY_MS);
    check_fault("[retention]\nmessages = 47h\n", 2,
                "retention.messages must be 2d at least, or 0 to keep them for ever, not '47h'");
    check_fault("[retention]\nevents = 23h\ndeliveries = 1d\n", 2,
                "retention.events must be a time from 1d to 36500d, not '23h'");
    check_fault("[retention]\nidempotency = 1h\n", 2,
                "retention.idempotency must be a time from 1d to 30d, not '1h'");
    check_fault("[retention]\nidempotency = 31d\n", 2,
                "retention.idempotency must be a time from 1d to 30d, not '31d'");
    check_fault("[retention]\nevents = 7d\ndeliveries = 8d\n", 3,
                "retention.deliveries is 8d, longer than retention.events, which is 7d; make it as "
                "long at most, or retention.events longer");
    check_fault("[retention]\nmessages = 7d\n", 2,
                "retention.events is 30d, longer than retention.messages, which is 7d; make it as "
                "long at most, or retention.messages longer");
    check_fault("[retention]\nmessages = 2d\nevents = 2d\ndeliveries = 2d\nidempotency = 3d\n", 5,
                "retention.idempotency is 3d, longer than retention.messages, which is 2d; make it "
                "as long at most, or retention.messages longer");
}

static void test_no_text_file(void **state)
{
    struct config_source source = source_of("");
    char want[128];

    assert_int_equal(file_replace(config_path, STR("[server]\n\0"), 0600), 0);
    assert_int_equal(load(&source), -EINVAL);
    snprintf(want, sizeof want, "%s: holds a NUL byte; it is no text file\n", config_path);
    check_lines(&config_report.errors, want);
}

static void test_all_faults_at_once(void **state)
{
    struct config_source source =
        source_of("[server]\nworkers = x\nlisen = y\nlog requests ; = on\nso what\n");
    char want[1024];

    source.flags[CONFIG_server_listen] = "nowhere";
    assert_int_equal(load(&source), -EINVAL);
    snprintf(want, sizeof want,
             "%s:2: server.workers must be a whole number from 0 to 1024, not 'x'\n"
             "%s:3: there is no key 'lisen' in [server]; did you mean 'listen'?\n"
             "%s:4: 'log requests ; = on' is neither [section] nor key = value\n"
             "%s:5: 'so what' is neither [section] nor key = value\n"
             "--listen: server.listen must be HOST:PORT, such as 127.0.0.1:8443 or [::1]:8443, not "
             "'nowhere'\n",
             config_path, config_path, config_path, config_path);
    check_lines(&config_report.errors, want);
    assert_int_equal(config_report.error_count, 5);
}

static void test_unknown_variables(void **state)
{
    char *environment[] = {(char *)"HOME=/home/ada",
                           (char *)"SKYLARK_SERVER_LISEN=x",
                           (char *)"SKYLARK_FOO=green",
                           (char *)"SKYLARK_API_KEY=secret",
                           (char *)"SKYLARK_URL=x",
                           (char *)"SKYLARK_SOURCE=x",
                           (char *)"SKYLARKING=x",
                           (char *)"SKYLARK_WEBHOOK_SECRET=whsec_x",
                           NULL};
    struct config_source source = {.environment = environment, .usual_file = "/nowhere/at/all"};

    assert_int_equal(load(&source), 0);
    check_lines(&config_report.warnings,
                "SKYLARK_SERVER_LISEN: is no setting; did you mean SKYLARK_SERVER_LISTEN?\n"
                "SKYLARK_FOO: is no setting\n");
}

/* A reload reads the file again; the old configuration stays whole beside the new one. */
static void test_reload(void **state)
{
    struct config_source source = source_of("[log]\nlevel = debug\n");
    struct config *again;

    assert_int_equal(load(&source), 0);
    assert_int_equal(file_replace(config_path, STR("[log]\nlevel = error\n"), 0600), 0);
    assert_int_equal(config_load(&again, &source, &config_report), 0);
    assert_int_equal(again->log_level, 3);
    assert_int_equal(config->log_level, 0);
    config_free(again);
    assert_int_equal(file_replace(config_path, STR("[log]\nlevel = \n"), 0600), 0);
    assert_int_equal(config_load(&again, &source, &config_report), -EINVAL);
    assert_null(again);
    assert_string_equal(config->texts[CONFIG_log_level], "debug");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_CASE(test_defaults),
        CONFIG_CASE(test_data_dir_default),
        CONFIG_CASE(test_file),
        CONFIG_CASE(test_durations),
        CONFIG_CASE(test_long_path),
        CONFIG_CASE(test_precedence),
        CONFIG_CASE(test_which_file),
        CONFIG_CASE(test_plans),
        CONFIG_CASE(test_plan_faults),
        CONFIG_CASE(test_too_many_plans),
        CONFIG_CASE(test_unknown_names),
        CONFIG_CASE(test_bad_values),
        CONFIG_CASE(test_bad_addresses),
        CONFIG_CASE(test_metrics),
        CONFIG_CASE(test_metrics_off),
        CONFIG_CASE(test_metrics_faults),
        cmocka_unit_test(test_loopback),
        CONFIG_CASE(test_structure_faults),
        CONFIG_CASE(test_retention),
        CONFIG_CASE(test_no_text_file),
        CONFIG_CASE(test_all_faults_at_once),
        CONFIG_CASE(test_unknown_variables),
        CONFIG_CASE(test_reload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
