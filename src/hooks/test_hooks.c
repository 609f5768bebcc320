#include "hooks/test_hooks.h"

#include "base/log.h"
#include "store/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Atomic int64_t test_now_us;
struct store *test_store;
struct store_reader *test_reader;
struct writer *test_writer;
struct hook_set *test_set;
struct arena test_arena;
struct test_flight test_flights[TEST_FLIGHTS];
size_t test_sent;
int test_start_error;
unsigned test_auto_status;
static struct loop *loop;
static _Atomic bool commits_fail;
static int failing_reads;
static int notices_lost;
static _Atomic int faulty_outcomes;
static struct store_engine engine;
static const struct store_engine *beneath;
static uint64_t chance;

static int64_t tell_time(const struct clock *c)
{
    return atomic_load(&test_now_us);
}

static const struct clock hands = {tell_time};

/* ---- a store that fails where a test wants it ---- */

static int commit(struct store *s)
{
    if (!atomic_load(&commits_fail))
        return beneath->commit(s);
    beneath->rollback(s);
    return store_fail(s, -EIO, "the test wants it so");
}

static bool read_fails(void)
{
    return failing_reads > 0 && failing_reads--;
}

static int endpoint_get(struct store_reader *r, int64_t account, int64_t id, struct arena *a,
                        struct endpoint_record *ret)
{
    return read_fails() ? -EIO : beneath->endpoint_get(r, account, id, a, ret);
}

static int delivery_due(struct store_reader *r, int64_t endpoint, struct delivery_place after,
                        int64_t now_us, size_t limit, struct arena *a, struct delivery_record **ret,
                        size_t *ret_count)
{
    return read_fails()
               ? -EIO
               : beneath->delivery_due(r, endpoint, after, now_us, limit, a, ret, ret_count);
}

static int notice_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                      struct notice_record *ret)
{
    return notices_lost ? notices_lost : beneath->notice_get(r, account, mode, id, ret);
}

static int delivery_tried(struct store *s, const struct attempt_record *attempt,
                          enum delivery_state state, unsigned tries, int64_t due_us)
{
    if (atomic_load(&faulty_outcomes) > 0)
        return store_fail(s, -EINVAL, "the test wants it so");
    return beneath->delivery_tried(s, attempt, state, tries, due_us);
}

/* On the writer's thread. */
static void note_given_up(void *context, const char *why)
{
    atomic_fetch_sub(&faulty_outcomes, 1);
}

static int endpoint_busy(struct store_reader *r, int64_t after, int64_t *ret, size_t max,
                         size_t *ret_count)
{
    return read_fails() ? -EIO : beneath->endpoint_busy(r, after, ret, max, ret_count);
}

void test_fail_reads(int count)
{
    failing_reads = count;
}

void test_fail_outcomes(int count)
{
    atomic_store(&faulty_outcomes, count);
}

void test_wait_for_faulty(void)
{
    while (atomic_load(&faulty_outcomes) > 0)
        usleep(1000);
    test_settle();
}

void test_lose_notices(int error)
{
    notices_lost = error;
}

void test_fail_commits(bool fail)
{
    atomic_store(&commits_fail, fail);
}

static void weaken_store(void)
{
    beneath = test_store->engine;
    engine = *beneath;
    engine.commit = commit;
    engine.endpoint_get = endpoint_get;
    engine.delivery_due = delivery_due;
    engine.endpoint_busy = endpoint_busy;
    engine.notice_get = notice_get;
    engine.delivery_tried = delivery_tried;
    test_store->engine = &engine;
}

/* ---- the way out ---- */

static char *joined(const char *const *lines)
{
    struct buf b;

    buf_init(&b, 1 << 16);
    for (; *lines; lines++)
        buf_printf(&b, "%s\n", *lines);
    buf_add_char(&b, '\0');
    return b.p;
}

static char *copy(struct str bytes)
{
    char *text = calloc(1, bytes.n + 1);

    assert_non_null(text);
    memcpy(text, bytes.p, bytes.n);
    return text;
}

static int start(void *context, const struct loop_http_call *call)
{
    struct test_flight *f = &test_flights[test_sent];

    if (test_start_error)
        return test_start_error;
    assert_true(test_sent < TEST_FLIGHTS);
    assert_string_equal(call->method, "POST");
    *f = (struct test_flight){.url = strdup(call->url),
                              .body = copy(call->body),
                              .headers = joined(call->headers),
                              .done = call->done,
                              .context = call->context};
    test_sent++;
    return 0;
}

static void forget_flights(void)
{
    for (size_t i = 0; i < test_sent; i++) {
        free(test_flights[i].url);
        free(test_flights[i].body);
        free(test_flights[i].headers);
    }
    test_sent = 0;
}

/* ---- life ---- */

static uint64_t next_chance(void)
{
    return chance++;
}

static void start_set(void)
{
    struct hook_set_options options = {.store = test_store,
                                       .clock = &hands,
                                       .port = {.start = start},
                                       .connections = TEST_CONNECTIONS,
                                       .per_endpoint = TEST_PER_ENDPOINT,
                                       .random = next_chance};
    struct writer_options w = {.store = test_store, .max_waiting = 1000, .given_up = note_given_up};

    assert_int_equal(loop_new(&loop), 0);
    options.loop = loop;
    assert_int_equal(hook_set_new(&test_set, &options), 0);
    assert_int_equal(writer_start(&test_writer, &w), 0);
    hook_set_start(test_set, test_writer);
}

static void stop_set(void)
{
    writer_stop(test_writer);
    hook_set_free(test_set);
    writer_free(test_writer);
    loop_free(loop);
}

int test_hooks_set_up(void **state)
{
    log_init(LOG_ERROR + 1, false);               /* what is said is not of interest here */
    atomic_store(&test_now_us, 1763168523004005); /* 2025-11-15T01:02:03.004005Z */
    atomic_store(&commits_fail, false);
    failing_reads = test_start_error = 0;
    notices_lost = 0;
    atomic_store(&faulty_outcomes, 0);
    test_auto_status = 0;
    chance = 0;
    arena_init(&test_arena, 64 << 20);
    test_store = test_store_open(&hands);
    weaken_store();
    assert_int_equal(store_reader_open(test_store, &test_reader), 0);
    start_set();
    return 0;
}

int test_hooks_tear_down(void **state)
{
    stop_set();
    forget_flights();
    store_reader_close(test_reader);
    test_store_close(test_store);
    arena_done(&test_arena);
    return 0;
}

void test_crash(void)
{
    test_fail_commits(true);
    stop_set();
    test_fail_commits(false);
    for (size_t i = 0; i < test_sent; i++)
        test_flights[i].answered = true; /* who should hear of it is gone */
    start_set();
}

/* ---- the store, as the API and dispatch write to it ---- */

struct deed {
    struct write_job job;
    int (*act)(struct store *s, struct deed *d);
    struct endpoint_record *endpoint;
    struct message *message;
    struct message_move move;
    struct delivery_record *delivery;
    int64_t id;
    int result;
};

static int act(struct write_job *job, struct store *s)
{
    struct deed *d = (struct deed *)job;

    d->result = d->act(s, d);
    return d->result < 0 ? d->result : 0;
}

static void acted(struct write_job *job, int result)
{
    if (result < 0)
        ((struct deed *)job)->result = result;
}

static void do_deed(struct deed *d)
{
    d->job.apply = act;
    d->job.done = acted;
    assert_int_equal(writer_post_owed(test_writer, &d->job), 0);
    test_wait_for_writer();
    assert_true(d->result >= 0);
}

static int add_endpoint(struct store *s, struct deed *d)
{
    return store_endpoint_add(s, d->endpoint);
}

int64_t test_endpoint_of(int64_t account, const char *url)
{
    struct endpoint_record e = {.account = account,
                                .modes = 1u << MODE_TEST,
                                .every_kind = true,
                                .url = str_of(url),
                                .description = STR(""),
                                .secret = STR(TEST_SECRET),
                                .old_secret = STR("")};
    struct deed d = {.act = add_endpoint, .endpoint = &e};

    do_deed(&d);
    return e.id;
}

int64_t test_endpoint(const char *url)
{
    return test_endpoint_of(TEST_ACCOUNT, url);
}

struct endpoint_record test_endpoint_look(int64_t endpoint)
{
    struct endpoint_record e;

    assert_int_equal(store_endpoint_get(test_reader, 0, endpoint, &test_arena, &e), 0);
    return e;
}

static int put_endpoint(struct store *s, struct deed *d)
{
    return store_endpoint_put(s, d->endpoint, true);
}

void test_endpoint_change(const struct endpoint_record *changed)
{
    struct endpoint_record e = *changed;
    struct deed d = {.act = put_endpoint, .endpoint = &e};

    atomic_fetch_add(&test_now_us, 1); /* the time of the change tells that there was one */
    do_deed(&d);
}

static int remove_endpoint(struct store *s, struct deed *d)
{
    return store_endpoint_remove(s, TEST_ACCOUNT, d->id);
}

void test_endpoint_remove(int64_t endpoint)
{
    struct deed d = {.act = remove_endpoint, .id = endpoint};

    do_deed(&d);
}

static int accept_message(struct store *s, struct deed *d)
{
    return store_accept(s, d->message);
}

static int64_t add_message(const char *webhook_url, const char *failover_url, struct str text)
{
    struct message m = {.account = TEST_ACCOUNT,
                        .mode = MODE_TEST,
                        .direction = DIRECTION_OUTBOUND,
                        .status = STATUS_QUEUED,
                        .kind = KIND_SMS,
                        .type = TYPE_OTP,
                        .from = STR("+18005551234"),
                        .to = STR("+447700900123"),
                        .text = text,
                        .media = STR(""),
                        .segments = 1,
                        .encoding = ENCODING_GSM7,
                        .number_type = NUMBER_LOCAL,
                        .coverage = COVERAGE_HIGH,
                        .reason = REASON_FAILOVER,
                        .currency = "USD",
                        .webhook_url = str_of(webhook_url),
                        .webhook_failover_url = str_of(failover_url)};
    struct deed d = {.act = accept_message, .message = &m};

    do_deed(&d);
    return m.id;
}

int64_t test_message_add(const char *webhook_url, const char *failover_url)
{
    return add_message(webhook_url, failover_url, STR("Hello"));
}

int64_t test_message_of(struct str text)
{
    return add_message("", "", text);
}

static int move_message(struct store *s, struct deed *d)
{
    return store_move(s, &d->move);
}

void test_message_move(int64_t message, enum message_status to)
{
    struct deed d = {.act = move_message,
                     .move = {.id = message,
                              .from = status_bit(STATUS_QUEUED) | status_bit(STATUS_SENT),
                              .to = to,
                              .at_us = atomic_load(&test_now_us)}};

    do_deed(&d);
    assert_int_equal(d.result, 1);
}

static int add_delivery(struct store *s, struct deed *d)
{
    return store_delivery_add(s, d->delivery);
}

int64_t test_delivery_add(int64_t endpoint)
{
    struct delivery_record r = {
        .endpoint = endpoint, .account = TEST_ACCOUNT, .mode = MODE_TEST, .kind = NOTICE_TEST};
    struct deed d = {.act = add_delivery, .delivery = &r};

    do_deed(&d);
    return r.id;
}

static int ask_again(struct store *s, struct deed *d)
{
    return store_delivery_again(s, d->id, atomic_load(&test_now_us));
}

void test_delivery_again(int64_t delivery)
{
    struct deed d = {.act = ask_again, .id = delivery};

    do_deed(&d);
    assert_int_equal(d.result, 1);
}

struct delivery_record test_delivery_look(int64_t delivery)
{
    struct delivery_record d;

    assert_int_equal(store_delivery_get(test_reader, delivery, &d), 0);
    return d;
}

struct delivery_page test_deliveries(int64_t endpoint)
{
    struct delivery_filter filter = {.endpoint = endpoint};
    struct delivery_page page;

    assert_int_equal(store_delivery_page(test_reader, &filter, 0, 100, &test_arena, &page), 0);
    return page;
}

struct attempt_record *test_attempts(int64_t delivery, size_t *ret_count)
{
    struct attempt_record *list;

    assert_int_equal(store_attempt_list(test_reader, delivery, 100, &test_arena, &list, ret_count),
                     0);
    return list;
}

/* ---- turns ---- */

static bool has_letters(void)
{
    pthread_mutex_lock(&test_set->home.lock);
    bool any = test_set->home.first != NULL;
    pthread_mutex_unlock(&test_set->home.lock);
    return any;
}

static bool has_turns(void)
{
    return (test_set->proven.first && hook_has_room(test_set, false)) ||
           (test_set->doubtful.first && hook_has_room(test_set, true));
}

static bool has_scan(void)
{
    return test_set->scanning && test_set->scan_us <= atomic_load(&test_now_us);
}

static bool answer_waiting(void)
{
    static size_t from;
    bool any = false;

    if (from > test_sent)
        from = 0;
    if (!test_auto_status)
        return false;
    for (size_t i = from; i < test_sent; i++)
        if (!test_flights[i].answered) {
            struct loop_http_reply reply = {.outcome = LOOP_HTTP_ANSWERED,
                                            .status = test_auto_status,
                                            .url = str_of(test_flights[i].url)};
            test_flights[i].answered = any = true;
            test_flights[i].done(test_flights[i].context, &reply);
        }
    return any;
}

void test_settle(void)
{
    do {
        hook_set_run(test_set);
        if (!atomic_load(&commits_fail))
            test_wait_for_writer();
    } while (answer_waiting() || has_letters() || has_turns() || has_scan());
}

void test_pass(int64_t us)
{
    atomic_fetch_add(&test_now_us, us);
    test_settle();
}

void test_answer_reply(struct test_flight *f, const struct loop_http_reply *reply)
{
    assert_false(f->answered);
    f->answered = true;
    struct loop_http_reply whole = *reply;
    whole.url = str_of(f->url);
    f->done(f->context, &whole);
    test_settle();
}

void test_answer(struct test_flight *f, unsigned status)
{
    struct loop_http_reply reply = {.outcome = LOOP_HTTP_ANSWERED,
                                    .status = status,
                                    .body = STR("thanks"),
                                    .duration_us = 2500,
                                    .connect_us = 1500};

    test_answer_reply(f, &reply);
}

void test_answer_all(unsigned status)
{
    for (size_t i = 0, count = test_sent; i < count; i++)
        if (!test_flights[i].answered)
            test_answer(&test_flights[i], status);
}

size_t test_under_way(void)
{
    size_t count = 0;

    for (size_t i = 0; i < test_sent; i++)
        count += !test_flights[i].answered;
    return count;
}

struct test_flight *test_only(void)
{
    struct test_flight *found = NULL;

    for (size_t i = 0; i < test_sent; i++)
        if (!test_flights[i].answered) {
            assert_null(found);
            found = &test_flights[i];
        }
    assert_non_null(found);
    return found;
}

const char *test_header(const struct test_flight *f, const char *name)
{
    struct str rest = str_of(f->headers), line;

    while (rest.n) {
        line = str_cut(&rest, '\n');
        struct str value = line, key = str_cut(&value, ':');
        if (str_is(key, name))
            return arena_copy(&test_arena, str_skip(value, 1)).p;
    }
    return NULL;
}

bool test_tells(const struct test_flight *f, const char *text)
{
    return strstr(f->body, text) != NULL;
}
