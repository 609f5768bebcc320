/* The page of metrics over a real listener: who may read it, and that it says what is so. */
#include "metrics/metrics.h"

#include "base/metric.h"
#include "store/test_fixture.h"
#include "store/writer.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef-token"

static struct metrics *metrics;
static struct writer *writer;
static struct http_server *http, *api; /* of the metrics; the one that they tell of */
static char answer[1 << 20];

static void ignore(struct http_request *r)
{
}

static int open_nothing(void *context, void **ret)
{
    *ret = context;
    return 0;
}

static void close_nothing(void *worker)
{
}

static void start(const char *token)
{
    struct writer_options writes = {.store = test_store, .max_waiting = 8};
    char why[HTTP_WHY_SIZE];

    assert_int_equal(writer_start(&writer, &writes), 0);
    struct http_server_options serving = {.listen = "127.0.0.1:0",
                                          .workers = 1,
                                          .max_connections = 4,
                                          .max_per_address = 4,
                                          .request_timeout_us = 5000000,
                                          .idle_timeout_us = 5000000,
                                          .handler = metrics_handle,
                                          .worker_open = metrics_worker_open,
                                          .worker_close = metrics_worker_close};
    struct http_server_options other = serving;
    other.handler = ignore;
    other.worker_open = open_nothing;
    other.worker_close = close_nothing;
    other.context = &api;
    assert_int_equal(http_server_start(&api, &other, why), 0);
    struct metrics_options options = {.sources = {.store = test_store,
                                                  .database = test_path,
                                                  .clock = &test_clock,
                                                  .writer = writer,
                                                  .http = api},
                                      .token = token};
    assert_int_equal(metrics_new(&metrics, &options), 0);
    serving.context = metrics;
    assert_int_equal(http_server_start(&http, &serving, why), 0);
}

static void stop(void)
{
    http_server_drain(http, 0);
    http_server_stop(http);
    metrics_free(metrics);
    http_server_drain(api, 0);
    http_server_stop(api);
    writer_stop(writer);
    writer_free(writer);
}

static int connect_to(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    const char *colon = strrchr(address, ':');

    to.sin_port = htons((uint16_t)atoi(colon + 1));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Says this, and has all that comes until the end in `answer`; its status. */
static int ask(const char *request)
{
    int fd = connect_to(http_server_address(http));
    size_t n = 0;
    ssize_t got;

    assert_int_equal(write(fd, request, strlen(request)), strlen(request));
    while ((got = read(fd, answer + n, sizeof answer - 1 - n)) > 0)
        n += (size_t)got;
    close(fd);
    answer[n] = '\0';
    assert_true(n > 12);
    return atoi(answer + 9);
}

#define GET(path, fields) "GET " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" fields "\r\n"

static void test_page(void **state)
{
    start("");
    assert_int_equal(ask(GET("/metrics", "")), 200);
    assert_non_null(strstr(answer, "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        char line[128];
        snprintf(line, sizeof line, "\n# TYPE %s ", metric_rows[i].name);
        assert_non_null(strstr(answer, line));
    }
    assert_non_null(strstr(answer, "\nskylark_build_info{version=\"" SKYLARK_VERSION "\"} 1\n"));
    assert_int_equal(ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), 200);
    assert_null(strstr(answer, "# TYPE"));
    stop();
}

static void test_nothing_else(void **state)
{
    start("");
    assert_int_equal(ask(GET("/", "")), 404);
    assert_int_equal(ask(GET("/metrics/", "")), 404);
    assert_int_equal(
        ask("POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
        404);
    assert_int_equal(
        ask("POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"),
        400);
    assert_int_equal(ask("nonsense\r\n\r\n"), 400);
    stop();
}

/* The same answer to whatever is not the token, also where there is nothing to see. */
static void test_token(void **state)
{
    static const char *const wrong[] = {
        GET("/metrics", ""),
        GET("/nothing", ""),
        GET("/metrics", "Authorization: Bearer \r\n"),
        GET("/metrics", "Authorization: Bearer 0123456789abcdef-tokeN\r\n"),
        GET("/metrics", "Authorization: Bearer " TOKEN "x\r\n"),
        GET("/metrics", "Authorization: Basic " TOKEN "\r\n"),
        GET("/metrics", "Authorization: " TOKEN "\r\n"),
        GET("/metrics", "Authorization: Bearer " TOKEN "\r\nAuthorization: Bearer x\r\n"),
        GET("/metrics?token=" TOKEN, ""),
    };

    start(TOKEN);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ask(wrong[i]), 401);
        assert_non_null(strstr(answer, "WWW-Authenticate: Bearer\r\n"));
        assert_null(strstr(answer, "skylark_"));
    }
    assert_int_equal(ask(GET("/metrics", "Authorization: Bearer " TOKEN "\r\n")), 200);
    assert_int_equal(ask(GET("/metrics", "authorization: bearer " TOKEN "\r\n")), 200);
    assert_int_equal(ask(GET("/x", "Authorization: Bearer " TOKEN "\r\n")), 404);
    stop();
}

static void note_carrier(const char *name, enum carrier_state carrier_state)
{
    struct carrier_record c = {0};

    snprintf(c.name, sizeof c.name, "%s", name);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_carrier_add(test_store, &c), 0);
    c.state = carrier_state;
    c.binds_up = 1;
    c.binds = 2;
    c.waiting = 30;
    c.in_flight = 4;
    c.submitted = 5000;
    c.taken = 4990;
    c.refused = 6;
    c.throttled = 7;
    c.receipts = 8;
    c.strays = 9;
    assert_int_equal(store_carrier_note(test_store, &c), 0);
    assert_int_equal(store_carrier_twice(test_store, c.id), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static void test_carriers(void **state)
{
    static const char *const lines[] = {
        "\nskylark_carrier_state{carrier=\"acme\",state=\"bound\"} 1\n",
        "\nskylark_carrier_state{carrier=\"acme\",state=\"down\"} 0\n",
        "\nskylark_carrier_binds{carrier=\"acme\"} 1\n",
        "\nskylark_carrier_binds_wanted{carrier=\"acme\"} 2\n",
        "\nskylark_carrier_waiting_messages{carrier=\"acme\"} 30\n",
        "\nskylark_carrier_in_flight_segments{carrier=\"acme\"} 4\n",
        "\nskylark_carrier_submitted_total{carrier=\"acme\"} 5000\n",
        "\nskylark_carrier_taken_total{carrier=\"acme\"} 4990\n",
        "\nskylark_carrier_refused_total{carrier=\"acme\"} 6\n",
        "\nskylark_carrier_throttled_total{carrier=\"acme\"} 7\n",
        "\nskylark_carrier_receipts_total{carrier=\"acme\"} 8\n",
        "\nskylark_carrier_stray_receipts_total{carrier=\"acme\"} 9\n",
        "\nskylark_carrier_possible_duplicates_total{carrier=\"acme\"} 1\n",
    };

    note_carrier("acme", CARRIER_BOUND);
    note_carrier("gone", CARRIER_UNUSED);
    start("");
    assert_int_equal(ask(GET("/metrics", "")), 200);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(answer, lines[i]));
    assert_null(strstr(answer, "\"gone\""));
    stop();
}

static void add_endpoint(enum endpoint_off off, int64_t paused_until_us)
{
    struct endpoint_record e = {.account = 1,
                                .modes = 3,
                                .every_kind = true,
                                .url = STR("https://example.com/"),
                                .secret = STR("whsec_x")};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_endpoint_add(test_store, &e), 0);
    e.off = off;
    e.paused_until_us = paused_until_us;
    assert_int_equal(store_endpoint_put(test_store, &e, false), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static void test_endpoints_and_files(void **state)
{
    add_endpoint(ENDPOINT_OFF_NONE, 0);
    add_endpoint(ENDPOINT_OFF_NONE, test_now_us - 1);
    add_endpoint(ENDPOINT_OFF_NONE, test_now_us + 1000000);
    add_endpoint(ENDPOINT_OFF_GONE, 0);
    start("");
    assert_int_equal(ask(GET("/metrics", "")), 200);
    assert_non_null(strstr(answer, "\nskylark_webhook_endpoints{state=\"active\"} 2\n"));
    assert_non_null(strstr(answer, "\nskylark_webhook_endpoints{state=\"paused\"} 1\n"));
    assert_non_null(strstr(answer, "\nskylark_webhook_endpoints{state=\"off\"} 1\n"));
    assert_non_null(strstr(answer, "\nskylark_store_database_bytes "));
    assert_null(strstr(answer, "\nskylark_store_database_bytes 0\n"));
    assert_null(strstr(answer, "\nskylark_store_wal_bytes 0\n"));
    assert_non_null(strstr(answer, "\nskylark_store_writer_queue 0\n"));
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_page),     STORE_TEST(test_nothing_else),        STORE_TEST(test_token),
        STORE_TEST(test_carriers), STORE_TEST(test_endpoints_and_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
