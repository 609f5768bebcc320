#include "api/test_api.h"

#include "store/test_store.h"

#include "messaging/plan.h"
#include "net/digest.h"
#include "json/tree.h"

#include <arpa/inet.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

_Atomic int64_t test_now_us;
struct store *test_store;
struct api *test_api;
struct api_worker *test_worker;
void (*test_while_suspended)(void);

static struct limiter *limiter;
static struct usage *usage;
static struct optouts *optouts;
static struct address_guard *guard;
static struct writer *writer;
static struct dispatch *dispatch;
static struct http_server http_server;
static struct http_worker http_worker = {.server = &http_server};
static struct http_conn conn = {.worker = &http_worker};
static struct http_peer peer;
static struct http_request request;
static char *head_bytes, *body_bytes;
static struct json_node *tree;
static struct buf text;

static int64_t tell_time(const struct clock *c)
{
    return test_now_us;
}

static const struct clock test_clock = {tell_time};

static void wake(void *context)
{
}

static const struct plan plans[] = {
    {PLAN_DEFAULT, {100, 1000}}, {"unlimited", {0, 0}}, {"small", {2, 1000}}, {"", {0, 0}}};

struct test_job {
    struct write_job job;
    int (*write)(struct store *s, void *context);
    void *context;
    int result;
    sem_t done;
};

static int apply_test(struct write_job *job, struct store *s)
{
    struct test_job *t = (struct test_job *)job;
    return t->write(s, t->context);
}

static void test_done(struct write_job *job, int result)
{
    struct test_job *t = (struct test_job *)job;

    t->result = result;
    sem_post(&t->done);
}

void test_write(int (*write)(struct store *s, void *context), void *context)
{
    struct test_job t = {
        .job = {.apply = apply_test, .done = test_done}, .write = write, .context = context};

    sem_init(&t.done, 0, 0);
    assert_int_equal(writer_post(writer, &t.job), 0);
    sem_wait(&t.done);
    sem_destroy(&t.done);
    assert_int_equal(t.result, 0);
}

static int swap_engine(struct store *s, void *engine)
{
    const struct store_engine **e = engine, *before = s->engine;

    s->engine = *e;
    *e = before;
    return 0;
}

const struct store_engine *test_set_engine(const struct store_engine *engine)
{
    test_write(swap_engine, &engine);
    return engine;
}

static int insert_key(struct store *s, void *key)
{
    return store_key_insert(s, key);
}

int64_t test_add_key_record(const char *key, const struct key_record *record)
{
    struct key_record k = *record;

    digest_sha256(str_of(key), k.hash);
    test_write(insert_key, &k);
    return k.id;
}

int64_t test_add_key(const char *key, enum mode mode, bool other, uint32_t permissions,
                     const char *plan, int64_t expires_us)
{
    struct key_record k = {.account = other ? OTHER_ACCOUNT : FIRST_ACCOUNT,
                           .mode = mode,
                           .name = "test",
                           .last_four = "abcd",
                           .per_minute = LIMIT_OF_PLAN,
                           .per_hour = LIMIT_OF_PLAN,
                           .permissions = permissions,
                           .created_us = test_now_us,
                           .expires_us = expires_us};

    snprintf(k.plan, sizeof k.plan, "%s", plan);
    return test_add_key_record(key, &k);
}

static int revoke_key(struct store *s, void *id)
{
    return store_key_revoke(s, 0, *(int64_t *)id, test_now_us);
}

void test_revoke_key(int64_t id)
{
    test_write(revoke_key, &id);
}

struct suspension {
    int64_t account, at_us;
};

static int suspend_account(struct store *s, void *suspension)
{
    struct suspension *p = suspension;
    return store_account_suspend(s, p->account, p->at_us);
}

void test_suspend_account(int64_t account, int64_t at_us)
{
    struct suspension p = {account, at_us};
    test_write(suspend_account, &p);
}

static int write_usage(struct store *s, void *rider)
{
    struct writer_rider *r = rider;
    return r->write(r->context, s);
}

void test_write_usage(void)
{
    struct writer_rider rider = usage_rider(usage);

    test_write(write_usage, &rider);
    rider.done(rider.context, 0);
}

static void add_keys(void)
{
    test_add_key(TEST_KEY, MODE_TEST, false, 0, "unlimited", 0);
    test_add_key(LIVE_KEY, MODE_LIVE, false, 0, "default", 0);
    test_add_key(READ_KEY, MODE_TEST, false, 1u << PERMISSION_SMS_READ, "gone", 0);
    test_add_key(SMALL_KEY, MODE_TEST, true, 0, "small", 0);
    test_add_key(EXPIRING_KEY, MODE_TEST, false, 0, "unlimited", test_now_us + 3600000000);
    test_revoke_key(test_add_key(REVOKED_KEY, MODE_TEST, false, 0, "unlimited", 0));
}

static void start_engine(void)
{
    limiter = limiter_new();
    usage = usage_new(&test_clock);
    optouts = optouts_new(store_secret(test_store));
    assert_true(limiter && optouts);
    struct writer_options w = {
        .store = test_store, .riders = {limiter_rider(limiter)}, .max_waiting = 10};
    assert_int_equal(writer_start(&writer, &w), 0);
    struct dispatch_options d = {
        .store = test_store, .writer = writer, .clock = &test_clock, .window = 10, .wake = wake};
    assert_int_equal(dispatch_new(&dispatch, &d), 0);
}

void test_set_peer(const char *address, const char *shown)
{
    assert_int_equal(inet_pton(AF_INET6, address, &peer.address), 1);
    snprintf(peer.text, sizeof peer.text, "%s", shown);
}

static void make_guard(void)
{
    struct address_guard_options strict = {.allow = ""};
    char why[ADDRESS_WHY_SIZE];

    assert_int_equal(address_guard_new(&guard, &strict, why), 0);
}

int test_api_set_up(void **state)
{
    void *worker;

    test_now_us = 1763168523004005; /* 2025-11-15T01:02:03.004005Z */
    test_set_peer("::ffff:192.0.2.1", "192.0.2.1");
    test_store = test_store_open(&test_clock);
    plans_set(plans);
    start_engine();
    make_guard();
    add_keys();
    struct api_options a = {.store = test_store,
                            .writer = writer,
                            .dispatch = dispatch,
                            .limiter = limiter,
                            .usage = usage,
                            .optouts = optouts,
                            .clock = &test_clock,
                            .guard = guard,
                            .docs_url = "https://docs.example.com",
                            .failed_keys = 20};
    assert_int_equal(api_new(&test_api, &a), 0);
    assert_int_equal(api_worker_open(test_api, &worker), 0);
    test_worker = worker;
    test_while_suspended = NULL;
    conn.hangup = false;
    atomic_store(&http_server.draining, false);
    mailbox_init(&http_worker.resumed, NULL, NULL);
    arena_init(&request.arena, HTTP_ARENA_MAX);
    buf_init(&request.out, HTTP_OUT_MAX);
    buf_init(&text, 1 << 20);
    return 0;
}

static void forget_answer(void)
{
    free(head_bytes);
    free(body_bytes);
    head_bytes = body_bytes = NULL;
    json_tree_free(tree);
    tree = NULL;
}

int test_api_tear_down(void **state)
{
    forget_answer();
    api_stop(test_api);
    writer_stop(writer);
    arena_done(&request.arena);
    buf_done(&request.out);
    buf_done(&text);
    mailbox_done(&http_worker.resumed);
    api_worker_close(test_worker);
    api_free(test_api);
    dispatch_free(dispatch);
    writer_free(writer);
    limiter_free(limiter);
    usage_free(usage);
    optouts_free(optouts);
    address_guard_free(guard);
    test_store_close(test_store);
    plans_set(NULL);
    return 0;
}

/* "GET /x\nA: b" as a client sends it. */
static char *wire_head(const char *head)
{
    const char *end = strchrnul(head, '\n');
    struct buf wire;

    buf_init(&wire, 1 << 20);
    buf_printf(&wire, "%.*s HTTP/1.1\r\n", (int)(end - head), head);
    for (struct str rest = str_of(*end ? end + 1 : ""); rest.n;) {
        struct str line = str_cut(&rest, '\n');
        buf_printf(&wire, "%.*s\r\n", STR_FMT(line));
    }
    buf_add(&wire, STR("Host: localhost\r\n\r\n"));
    buf_add_char(&wire, '\0');
    assert_false(wire.failed);
    return wire.p;
}

static enum http_method method_of(struct str word)
{
    static const char *const words[] = {"", "GET", "HEAD", "POST", "PATCH", "DELETE"};

    for (int i = HTTP_GET; i <= HTTP_DELETE; i++)
        if (str_is(word, words[i]))
            return (enum http_method)i;
    return HTTP_OTHER;
}

static void fill_request(const char *head, const char *body)
{
    forget_answer();
    arena_reset(&request.arena);
    buf_clear(&request.out);
    head_bytes = wire_head(head);
    body_bytes = strdup(body ? body : "");
    struct arena arena = request.arena;
    struct buf out = request.out;
    request = (struct http_request){.arena = arena,
                                    .out = out,
                                    .conn = &conn,
                                    .peer = &peer,
                                    .worker_context = test_worker,
                                    .body = str_of(body_bytes),
                                    .content_type = "application/json",
                                    .status = 500,
                                    .length = -1,
                                    .id = "req_0123456789abcdef"};
    request.malformed = http_head_parse(str_of(head_bytes), &request.head);
    assert_null(request.malformed);
    request.method = method_of(request.head.method);
}

void test_hang_up(void)
{
    conn.hangup = true;
}

void test_drain(void)
{
    atomic_store(&http_server.draining, true);
}

static struct letter *wait_for_resume(void)
{
    enum { PATIENCE_US = 10000000 };
    int64_t end_us = clock_monotonic_us() + PATIENCE_US;
    struct letter *l = NULL;

    if (!test_while_suspended)
        return mailbox_wait(&http_worker.resumed, PATIENCE_US);
    while (!(l = mailbox_wait(&http_worker.resumed, 0)) && clock_monotonic_us() < end_us)
        test_while_suspended();
    return l;
}

struct http_request *test_run(http_handler *handle, const char *head, const char *body)
{
    fill_request(head, body);
    handle(&request);
    if (request.suspended) {
        assert_ptr_equal(wait_for_resume(), &request.letter);
        request.suspended = false;
        request.finish(&request);
    }
    struct str answer = request.static_body.p ? request.static_body : buf_str(&request.out);
    tree = json_tree_parse(answer);
    return &request;
}

struct http_request *test_request(const char *head, const char *body)
{
    return test_run(api_handle, head, body);
}

struct http_request *test_call(const char *key, const char *head, const char *body)
{
    char whole[2048];

    assert_true(snprintf(whole, sizeof whole, "%s\nAuthorization: Bearer %s", head, key) <
                (int)sizeof whole);
    return test_request(whole, body);
}

const char *test_body(void)
{
    buf_clear(&text);
    buf_add(&text, request.static_body.p ? request.static_body : buf_str(&request.out));
    buf_add_char(&text, '\0');
    return text.p;
}

const char *test_header(const char *name)
{
    for (size_t i = 0; i < request.header_count; i++)
        if (strcmp(request.headers[i].name, name) == 0)
            return request.headers[i].value;
    return NULL;
}

const char *test_member(const char *path)
{
    buf_clear(&text);
    json_node_text(json_node_at(tree, path), &text);
    buf_add_char(&text, '\0');
    return text.p;
}

void test_assert_problem(unsigned status, const char *code, const char *field)
{
    char number[16];

    assert_string_equal(test_member("code"), code);
    assert_int_equal(request.status, status);
    snprintf(number, sizeof number, "%u", status);
    assert_string_equal(test_member("statusCode"), number);
    assert_string_equal(test_member("field"), field ? field : "");
    assert_true(strlen(test_member("message")) > 5);
    assert_true(strstr(test_member("documentation"), code) != NULL);
}
