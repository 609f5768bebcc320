/* The set on its own loop, the writer on its thread, and clients on the test's: news come over, and
 * everything that is written is sent, with no turn of the test's doing. */
#include "hooks/test_hooks.h"

#include <stdio.h>
#include <unistd.h>

enum { ENDPOINTS = 5, ROUNDS = 40, PATIENCE_MS = 20000 };

struct writer *test_writer;
static struct store *store;
static struct loop *loop;
static struct hook_set *set;
static struct loop_timer *timer;
static _Atomic size_t delivered;
static struct {
    loop_http_callback *done;
    void *context;
} waiting[TEST_FLIGHTS];
static size_t waiting_count; /* of the loop's thread, as all above but what is atomic */

/* ---- an endpoint that answers after a moment ---- */

static void answer_all(void *unused)
{
    struct loop_http_reply reply = {.outcome = LOOP_HTTP_ANSWERED, .status = 200};
    size_t count = waiting_count;

    waiting_count = 0;
    for (size_t i = 0; i < count; i++) {
        waiting[i].done(waiting[i].context, &reply);
        atomic_fetch_add(&delivered, 1);
    }
}

static int start_flight(void *unused, const struct loop_http_call *call)
{
    waiting[waiting_count].done = call->done;
    waiting[waiting_count++].context = call->context;
    loop_timer_start(timer, 1, 0);
    return 0;
}

static uint64_t no_chance(void)
{
    return 0;
}

/* ---- life ---- */

static void start(void)
{
    struct hook_set_options options = {.store = store,
                                       .clock = &clock_real,
                                       .port = {.start = start_flight},
                                       .connections = 16,
                                       .per_endpoint = 4,
                                       .random = no_chance};
    struct writer_options w = {.store = store, .max_waiting = 1000};

    atomic_store(&delivered, 0);
    waiting_count = 0;
    assert_int_equal(loop_new(&loop), 0);
    timer = loop_timer_new(loop, answer_all, NULL);
    options.loop = loop;
    assert_int_equal(hook_set_new(&set, &options), 0);
    assert_int_equal(writer_start(&test_writer, &w), 0);
    hook_set_start(set, test_writer);
    assert_int_equal(loop_start(loop, "hooks"), 0);
}

/* As the server does it. */
static void stop(void)
{
    loop_stop(loop);
    writer_stop(test_writer);
    hook_set_free(set);
    loop_free(loop);
    writer_free(test_writer);
}

/* ---- what clients do ---- */

struct deed {
    struct write_job job;
    int64_t *endpoints;
};

static int add_endpoints(struct write_job *job, struct store *s)
{
    struct deed *d = (struct deed *)job;

    for (int i = 0; i < ENDPOINTS; i++) {
        struct endpoint_record e = {.account = TEST_ACCOUNT,
                                    .modes = 1u << MODE_TEST,
                                    .every_kind = true,
                                    .url = STR("https://one.example/"),
                                    .description = STR(""),
                                    .secret = STR(TEST_SECRET),
                                    .old_secret = STR("")};
        assert_int_equal(store_endpoint_add(s, &e), 0);
        d->endpoints[i] = e.id;
    }
    return 0;
}

static int add_deliveries(struct write_job *job, struct store *s)
{
    struct deed *d = (struct deed *)job;

    for (int i = 0; i < ENDPOINTS; i++) {
        struct delivery_record r = {.endpoint = d->endpoints[i],
                                    .account = TEST_ACCOUNT,
                                    .mode = MODE_TEST,
                                    .kind = NOTICE_TEST};
        assert_int_equal(store_delivery_add(s, &r), 0);
    }
    return 0;
}

static void done(struct write_job *job, int result)
{
}

static void post(int (*apply)(struct write_job *job, struct store *s), int64_t *endpoints)
{
    struct deed d = {.job = {.apply = apply, .done = done}, .endpoints = endpoints};

    assert_int_equal(writer_post_owed(test_writer, &d.job), 0);
    test_wait_for_writer();
}

static void wait_for(size_t count)
{
    for (int ms = 0; ms < PATIENCE_MS && atomic_load(&delivered) < count; ms++)
        usleep(1000);
    assert_true(atomic_load(&delivered) >= count);
}

static void test_news(void **state)
{
    int64_t endpoints[ENDPOINTS];

    store = test_store_open(&clock_real);
    start();
    post(add_endpoints, endpoints);
    for (int i = 0; i < ROUNDS; i++)
        post(add_deliveries, endpoints);
    wait_for((size_t)ENDPOINTS * ROUNDS);
    /* The end comes while there is work: the next run finds it. */
    for (int i = 0; i < ROUNDS; i++)
        post(add_deliveries, endpoints);
    stop();
    size_t before = atomic_load(&delivered);
    start();
    wait_for((size_t)2 * ENDPOINTS * ROUNDS - before);
    stop();
    test_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
