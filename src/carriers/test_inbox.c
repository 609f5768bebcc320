#include "carriers/test_inbox.h"

#include "base/test_config.h"
#include "messaging/errand.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct loop *test_loop;
struct mm7_inbox *test_inbox;
struct buf test_request;
_Atomic int test_noted, test_noted_strays;

static struct loop_signal *homecoming;
static struct mailbox home;
static struct receipts *receipts;
static struct arrivals *arrivals;
static struct optouts *optouts;
static struct http_server *http;
static struct buf answer;

/* ---- the engine ---- */

static void bring_home(void *context)
{
    errands_back(mailbox_take(&home));
}

static void wake_engine(void *context)
{
    loop_signal_raise(homecoming);
}

static void note(void *context, unsigned carrier, int stray)
{
    assert_int_equal(carrier, ACME);
    atomic_fetch_add(&test_noted, 1);
    atomic_fetch_add(&test_noted_strays, stray);
}

static void start_engine(void)
{
    struct receipts_options to_receipts = {
        .store = test_store, .writer = test_writer, .clock = &test_clock, .home = &home};
    struct arrivals_options to_arrivals = {.store = test_store,
                                           .writer = test_writer,
                                           .clock = &test_clock,
                                           .optouts = optouts,
                                           .home = &home};

    assert_int_equal(loop_new(&test_loop), 0);
    homecoming = loop_signal_new(test_loop, bring_home, NULL);
    mailbox_init(&home, wake_engine, NULL);
    assert_int_equal(receipts_new(&receipts, &to_receipts), 0);
    assert_int_equal(arrivals_new(&arrivals, &to_arrivals), 0);
    struct mm7_inbox_options options = {.loop = test_loop,
                                        .store = test_store,
                                        .clock = &test_clock,
                                        .receipts = receipts,
                                        .arrivals = arrivals,
                                        .noted = note};
    assert_int_equal(mm7_inbox_new(&test_inbox, &options), 0);
    assert_int_equal(loop_start(test_loop, "engine"), 0);
}

static void start_http(void)
{
    struct http_server_options options = {.listen = "127.0.0.1:0",
                                          .workers = 2,
                                          .max_connections = 16,
                                          .max_per_address = 16,
                                          .request_timeout_us = 10000000,
                                          .idle_timeout_us = 10000000,
                                          .body_max_of = mm7_inbox_body_max,
                                          .bodies_max = TEST_BODIES_MAX,
                                          .admits = mm7_inbox_admits,
                                          .handler = mm7_inbox_handle,
                                          .context = test_inbox,
                                          .worker_open = mm7_inbox_worker_open,
                                          .worker_close = mm7_inbox_worker_close};
    char why[HTTP_WHY_SIZE];

    assert_int_equal(http_server_start(&http, &options, why), 0);
}

static unsigned number_of(void *context, const char *name)
{
    return strcmp(name, "acme") == 0 ? ACME : OTHER;
}

void test_use(const char *sections)
{
    static char text[2000];
    struct mm7_doors *doors;
    char why[MM7_DOOR_WHY_SIZE];

    snprintf(text, sizeof text,
             "[carrier sms]\naddress = 127.0.0.1:2775\nsystem_id = x\npassword = y\n"
             "[sender +18005551234]\n%s",
             sections);
    load_good(text);
    assert_int_equal(mm7_doors_new(&doors, config, NULL, number_of, NULL, why), 0);
    mm7_inbox_set_doors(test_inbox, doors);
}

int test_inbox_set_up(void **state)
{
    test_set_up(state);
    optouts = optouts_new(store_secret(test_store));
    atomic_store(&test_noted, 0);
    atomic_store(&test_noted_strays, 0);
    buf_init(&test_request, 16 << 20);
    buf_init(&answer, 1 << 20);
    start_engine();
    start_http();
    if (config_setup(state) < 0)
        return -1;
    test_use("[mmsc acme]\nurl = http://127.0.0.1:1/\n");
    return 0;
}

int test_inbox_tear_down(void **state)
{
    http_server_drain(http, 1000000);
    loop_stop(test_loop);
    mm7_inbox_close(test_inbox);
    test_settle();
    bring_home(NULL);
    http_server_stop(http);
    mm7_inbox_free(test_inbox);
    arrivals_free(arrivals);
    receipts_free(receipts);
    loop_free(test_loop);
    optouts_free(optouts);
    test_tear_down(state);
    mailbox_done(&home);
    buf_done(&test_request);
    buf_done(&answer);
    return config_teardown(state);
}

/* ---- the MMSC ---- */

static int connect_to(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};

    to.sin_port = htons((uint16_t)atoi(strrchr(address, ':') + 1));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void write_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n <= 0)
            return; /* the answer came before all was said */
        bytes = str_skip(bytes, (size_t)n);
    }
}

int test_ask(void)
{
    int fd = connect_to(http_server_address(http));
    char piece[4096];
    ssize_t got;

    write_all(fd, buf_str(&test_request));
    buf_clear(&answer);
    while ((got = read(fd, piece, sizeof piece)) > 0)
        buf_add(&answer, (struct str){piece, (size_t)got});
    close(fd);
    buf_add_char(&answer, '\0');
    assert_true(answer.n > 13);
    return atoi(answer.p + 9);
}

int test_post_with(const char *path, const char *fields, const char *type, struct str body)
{
    buf_clear(&test_request);
    buf_printf(&test_request,
               "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sContent-Type: %s\r\n"
               "Content-Length: %zu\r\n\r\n",
               path, fields, type, body.n);
    buf_add(&test_request, body);
    return test_ask();
}

int test_post(const char *body)
{
    return test_post_with("/mm7/acme", "", "text/xml", str_of(body));
}

bool test_says(const char *text)
{
    return strstr(answer.p, text) != NULL;
}

/* ---- the log ---- */

static FILE *log_file;
static int log_saved;

void test_log_begin(void)
{
    fflush(stderr);
    log_file = tmpfile();
    log_saved = dup(STDERR_FILENO);
    assert_non_null(log_file);
    assert_true(log_saved >= 0 && dup2(fileno(log_file), STDERR_FILENO) >= 0);
}

const char *test_log_end(void)
{
    static char text[1 << 14];

    dup2(log_saved, STDERR_FILENO);
    close(log_saved);
    rewind(log_file);
    text[fread(text, 1, sizeof text - 1, log_file)] = '\0';
    fclose(log_file);
    return text;
}

/* ---- what is answered ---- */

struct mm7_heard test_heard(void)
{
    const char *body = strstr(answer.p, "\r\n\r\n") + 4;
    char why[MM7_WHY_SIZE];
    struct mm7_heard h;

    assert_int_equal(mm7_read_soap(&h, &test_arena, str_of(body), why), 0);
    return h;
}

void test_assert_answer(enum mm7_kind kind, unsigned code, const char *transaction)
{
    struct mm7_heard h = test_heard();

    assert_int_equal(h.kind, kind);
    assert_int_equal(h.code, code);
    assert_true(str_is(h.transaction, transaction));
}
