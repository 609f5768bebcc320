/* What is counted and logged of requests. */
#include "api/answered.h"

#include "api/test_api.h"
#include "base/config.h"
#include "base/log.h"
#include "base/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- paths ---- */

static void assert_path(const char *path, const char *shown)
{
    char out[LOGGED_PATH_SIZE];

    path_for_log(str_of(path), out);
    assert_string_equal(out, shown);
}

static void test_paths(void **state)
{
    assert_path("/v1/messages/msg_7Hq2Kd93LmPzXw04", "/v1/messages/msg_7Hq2Kd93LmPzXw04");
    assert_path("/", "/");
    assert_path("", "");
    assert_path("/v1/opt-outs/+15551234567", "/v1/opt-outs/+1555***4567");
    assert_path("/v1/opt-outs/%2B15551234567", "/v1/opt-outs/+1555***4567");
    assert_path("/v1/opt-outs/%2b1%355512345%367", "/v1/opt-outs/+1555***4567");
    assert_path("/v1/opt-outs/+1%20(555)%20123-4567", "/v1/opt-outs/+1555***4567");
    assert_path("/v1/opt-outs/15551234567/", "/v1/opt-outs/1555***4567/");
    assert_path("/v1/opt-outs/12345", "/v1/opt-outs/***45");
    assert_path("/v1/opt-outs/1234", "/v1/opt-outs/1234");
    assert_path("/v1/opt-outs/tel:+15551234567", "/v1/opt-outs/***");
    assert_path("/v1/opt-outs/%zz15551234567", "/v1/opt-outs/***");
    assert_path("//15551234567//", "//1555***4567//");
}

static void test_secrets_in_paths(void **state)
{
    assert_path("/v1/messages/sl_test_nbcPc6ki2cN9JY5LG98QYU0FKQSU5oSl", "/v1/messages/***");
    assert_path("/v1/keys/key=%73l_live_nbcPc6ki/rotate", "/v1/keys/***/rotate");
    assert_path("/whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "/***");
    assert_path("/v1/sl_tes/whse", "/v1/sl_tes/whse");
}

/* Whatever comes, and wherever it is cut: never seven digits in a row of what was a number. */
static void test_long_paths(void **state)
{
    char path[1000], out[LOGGED_PATH_SIZE];

    for (size_t lead = 150; lead < 260; lead++) {
        int n = snprintf(path, sizeof path, "/%0*d", (int)lead, 0);
        memset(path + 1, 'a', (size_t)n - 1);
        snprintf(path + n, sizeof path - (size_t)n, "/+15551234567/%0300d", 7);
        path_for_log(str_of(path), out);
        assert_true(strlen(out) < LOGGED_PATH_SIZE);
        assert_null(strstr(out, "1555123"));
        assert_null(strstr(out, "0000000"));
    }
}

/* ---- counts ---- */

static void test_handlers(void **state)
{
    const char *method, *path;

    assert_int_equal(handler_of("/v1/send"), METRIC_HANDLER_SEND);
    assert_int_equal(handler_of("/v1/messages/batch/{batchId}"), METRIC_HANDLER_BATCH);
    assert_int_equal(handler_of("/v1/messages/{messageId}"), METRIC_HANDLER_MESSAGES);
    assert_int_equal(handler_of("/nothing"), METRIC_HANDLER_UNKNOWN);
    for (size_t i = 0; route_at(i, &method, &path); i++)
        assert_int_not_equal(handler_of(path), METRIC_HANDLER_UNKNOWN);
}

static int64_t requests(unsigned handler, unsigned code)
{
    return metric_read(METRIC_HTTP_REQUESTS, metric_pair(METRIC_HTTP_REQUESTS, handler, code));
}

static void test_counts(void **state)
{
    int64_t buckets[METRIC_BUCKETS_MAX], before, after;
    int64_t good = requests(METRIC_HANDLER_SERVICE, METRIC_CODE_2);
    int64_t bad = requests(METRIC_HANDLER_UNKNOWN, METRIC_CODE_4);

    metric_read_histogram(METRIC_HTTP_SECONDS, METRIC_HANDLER_SERVICE, buckets, &before);
    api_answered(test_request("GET /livez", ""), 1234);
    api_answered(test_request("GET /nowhere", ""), 1);
    metric_read_histogram(METRIC_HTTP_SECONDS, METRIC_HANDLER_SERVICE, buckets, &after);
    assert_int_equal(requests(METRIC_HANDLER_SERVICE, METRIC_CODE_2), good + 1);
    assert_int_equal(requests(METRIC_HANDLER_UNKNOWN, METRIC_CODE_4), bad + 1);
    assert_int_equal(after - before, 1234);
}

/* Statuses that nobody has are errors of ours, and no place outside the table. */
static void test_odd_status(void **state)
{
    int64_t was = requests(METRIC_HANDLER_SERVICE, METRIC_CODE_5);
    struct http_request *r = test_request("GET /livez", "");

    r->status = 0;
    api_answered(r, 1);
    r->status = 700;
    api_answered(r, 1);
    assert_int_equal(requests(METRIC_HANDLER_SERVICE, METRIC_CODE_5), was + 2);
}

static void assert_auth(const char *head, unsigned reason)
{
    int64_t was = metric_read(METRIC_HTTP_AUTH_FAILURES, reason);

    test_request(head, "");
    assert_int_equal(metric_read(METRIC_HTTP_AUTH_FAILURES, reason), was + 1);
}

static void test_auth_failures(void **state)
{
    assert_auth("GET /v1/messages", METRIC_AUTH_MISSING);
    assert_auth("GET /v1/messages\nAuthorization: Basic x", METRIC_AUTH_MALFORMED);
    assert_auth("GET /v1/messages\nAuthorization: Bearer sl_test_wrong", METRIC_AUTH_INVALID);
}

static void test_limited(void **state)
{
    int64_t was = metric_read(METRIC_HTTP_LIMITED, 0);

    for (int i = 0; i < 5; i++)
        test_call(SMALL_KEY, "GET /v1/messages", "");
    assert_int_equal(metric_read(METRIC_HTTP_LIMITED, 0), was + 3);
}

/* ---- lines ---- */

static FILE *caught;
static int real_stderr;

static void catch_lines(void)
{
    caught = tmpfile();
    real_stderr = dup(STDERR_FILENO);
    assert_true(caught && dup2(fileno(caught), STDERR_FILENO) >= 0);
}

static const char *caught_lines(void)
{
    static char lines[1 << 16];

    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    ssize_t n = pread(fileno(caught), lines, sizeof lines - 1, 0);
    assert_true(n >= 0);
    lines[n] = '\0';
    fclose(caught);
    return lines;
}

static const char *lines_of(int which, const char *head, unsigned status)
{
    catch_lines();
    log_init(LOG_INFO, true);
    api_set_logged_requests(test_api, which);
    struct http_request *r = test_call(TEST_KEY, head, "");
    if (status)
        r->status = status;
    log_begin_request("req_0123456789abcdef");
    api_answered(r, 4321);
    log_end_request();
    return caught_lines();
}

static void test_line(void **state)
{
    const char *line = lines_of(CONFIG_REQUESTS_ALL, "GET /v1/opt-outs/%2B15551234567?a=b", 0);

    assert_non_null(strstr(line, "\"level\":\"info\",\"event\":\"http\",\"message\":\"answered\","
                                 "\"method\":\"GET\",\"path\":\"/v1/opt-outs/+1555***4567\","
                                 "\"status\":404,\"duration_us\":4321,\"bytes\":"));
    assert_non_null(strstr(line, ",\"key\":\"abcd\",\"address\":\"192.0.2.1\","
                                 "\"request\":\"req_0123456789abcdef\"}\n"));
    assert_null(strstr(line, "a=b"));
    assert_null(strstr(line, "5551234"));
}

/* A method can be anything that has no space. */
static void test_odd_method(void **state)
{
    const char *line = lines_of(CONFIG_REQUESTS_ALL, "+15551234567 /v1/send", 0);

    assert_non_null(strstr(line, "\"method\":\"other\",\"path\":\"/v1/send\""));
    assert_null(strstr(line, "5551234"));
}

static void test_which_lines(void **state)
{
    assert_string_equal(lines_of(CONFIG_REQUESTS_OFF, "GET /livez", 503), "");
    assert_string_equal(lines_of(CONFIG_REQUESTS_ERRORS, "GET /livez", 200), "");
    assert_string_equal(lines_of(CONFIG_REQUESTS_ERRORS, "GET /livez", 429), "");
    assert_non_null(strstr(lines_of(CONFIG_REQUESTS_ERRORS, "GET /livez", 500), "\"error\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_long_paths),
        cmocka_unit_test(test_secrets_in_paths),
        cmocka_unit_test(test_handlers),
        API_TEST(test_counts),
        API_TEST(test_odd_status),
        API_TEST(test_auth_failures),
        API_TEST(test_limited),
        API_TEST(test_line),
        API_TEST(test_odd_method),
        API_TEST(test_which_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
