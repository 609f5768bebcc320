#include "metrics/exposition.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct buf out;

static int set_up(void **state)
{
    buf_init(&out, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    buf_done(&out);
    return 0;
}

static const char *text(void)
{
    buf_add_char(&out, '\0');
    assert_false(out.failed);
    return out.p;
}

static void test_head(void **state)
{
    exposition_head(&out, METRIC_BOOKS);
    exposition_head(&out, METRIC_COMMIT_SECONDS);
    assert_string_equal(text(),
                        "# HELP skylark_books_difference Counts that do not agree with each other; "
                        "anything but 0 is a fault.\n"
                        "# TYPE skylark_books_difference gauge\n"
                        "# HELP skylark_store_commit_duration_seconds Time to make a transaction "
                        "durable.\n"
                        "# TYPE skylark_store_commit_duration_seconds histogram\n");
}

static void test_counter(void **state)
{
    metric_add(METRIC_SENT, METRIC_MODE_LIVE, 12345678901);
    exposition_counted(&out, METRIC_SENT);
    exposition_counted(&out, METRIC_RETRIED);
    assert_string_equal(text(), "skylark_messages_sent_total{mode=\"test\"} 0\n"
                                "skylark_messages_sent_total{mode=\"live\"} 12345678901\n"
                                "skylark_dispatch_retries_total 0\n");
}

static void test_two_labels(void **state)
{
    metric_add(METRIC_HTTP_REQUESTS,
               metric_pair(METRIC_HTTP_REQUESTS, METRIC_HANDLER_SEND, METRIC_CODE_2), 7);
    exposition_counted(&out, METRIC_HTTP_REQUESTS);
    assert_non_null(
        strstr(text(), "\nskylark_http_requests_total{handler=\"send\",code=\"2xx\"} 7\n"));
}

/* Buckets add up, the last holds all, and sums are exact. */
static void test_histogram(void **state)
{
    metric_observe(METRIC_COMMIT_SECONDS, 0, 50);
    metric_observe(METRIC_COMMIT_SECONDS, 0, 51);
    metric_observe(METRIC_COMMIT_SECONDS, 0, 2400000);
    metric_observe(METRIC_COMMIT_SECONDS, 0, 9000001);
    exposition_counted(&out, METRIC_COMMIT_SECONDS);
    assert_string_equal(text(), "skylark_store_commit_duration_seconds_bucket{le=\"0.00005\"} 1\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.0001\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.00025\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.0005\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.001\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.0025\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.005\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.01\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.025\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.05\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.1\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.25\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"0.5\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"1\"} 2\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"2.5\"} 3\n"
                                "skylark_store_commit_duration_seconds_bucket{le=\"+Inf\"} 4\n"
                                "skylark_store_commit_duration_seconds_sum 11.400102\n"
                                "skylark_store_commit_duration_seconds_count 4\n");
}

static void test_samples(void **state)
{
    exposition_sample(&out, METRIC_BOOKS, NULL, 0);
    exposition_sample(&out, METRIC_BOOKS, NULL, NAN);
    exposition_sample(&out, METRIC_PROCESS_CPU, NULL, 1.25);
    exposition_sample(&out, METRIC_PROCESS_VIRTUAL, NULL, 123456789012);
    exposition_sample(&out, METRIC_PROCESS_MAX_FDS, NULL, INFINITY);
    exposition_sample(&out, METRIC_QUEUE, (const char *[]){"live", "queued"}, 3);
    assert_string_equal(text(), "skylark_books_difference 0\n"
                                "skylark_books_difference NaN\n"
                                "process_cpu_seconds_total 1.25\n"
                                "process_virtual_memory_bytes 123456789012\n"
                                "process_max_fds +Inf\n"
                                "skylark_queue_messages{mode=\"live\",status=\"queued\"} 3\n");
}

/* A carrier's name comes from a file: it must not end the line, or the word. */
static void test_escapes(void **state)
{
    exposition_sample(&out, METRIC_CARRIER_BINDS, (const char *[]){"a\"b\\c\nd"}, 1);
    assert_string_equal(text(), "skylark_carrier_binds{carrier=\"a\\\"b\\\\c\\nd\"} 1\n");
}

#define EXPOSITION_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPOSITION_TEST(test_head),       EXPOSITION_TEST(test_counter),
        EXPOSITION_TEST(test_two_labels), EXPOSITION_TEST(test_histogram),
        EXPOSITION_TEST(test_samples),    EXPOSITION_TEST(test_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
