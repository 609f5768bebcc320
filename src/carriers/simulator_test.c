/* The simulator with a clock whose hands the test turns. Behind it stand a real dispatch, writer
 * and memory store, because they are what hears its answers. */
#include "carriers/simulator.h"
#include "store/test_store.h"

#include "store/engine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { MS = 1000, ANSWER_US = 50 * MS, DELIVERY_US = 1000 * MS, ACCOUNT = 1 };

static int64_t now_us;
static const int64_t start_us = 1763168523004005;

static int64_t tell_time(const struct clock *c)
{
    return now_us;
}

static const struct clock test_clock = {tell_time};

static struct store *store;
static struct store_reader *reader;
static struct writer *writer;
static struct dispatch *dispatch;
static struct loop *loop;
static struct simulator *simulator;
static struct arena arena;
static int woken;

static void count_wake(void *context)
{
    __atomic_fetch_add(&woken, 1, __ATOMIC_RELAXED);
}

static void start(size_t max_pending)
{
    struct writer_options w = {.store = store, .max_waiting = 1000};
    assert_int_equal(writer_start(&writer, &w), 0);
    struct dispatch_options d = {
        .store = store, .writer = writer, .clock = &test_clock, .window = 1000, .wake = count_wake};
    assert_int_equal(dispatch_new(&dispatch, &d), 0);
    assert_int_equal(loop_new(&loop), 0); /* never started: the test is the engine's thread */
    struct simulator_options options = {.dispatch = dispatch,
                                        .loop = loop,
                                        .clock = &test_clock,
                                        .answer_us = ANSWER_US,
                                        .delivery_us = DELIVERY_US,
                                        .max_pending = max_pending};
    assert_int_equal(simulator_new(&simulator, &options), 0);
    dispatch_set_carrier(dispatch, MODE_TEST, simulator_carrier(simulator));
}

static void stop(void)
{
    writer_stop(writer);
    simulator_free(simulator);
    dispatch_free(dispatch);
    loop_free(loop);
    writer_free(writer);
}

static int set_up(void **state)
{
    now_us = start_us;
    arena_init(&arena, 64 << 20);
    store = test_store_open(&test_clock);
    assert_int_equal(store_reader_open(store, &reader), 0);
    return 0;
}

static int tear_down(void **state)
{
    store_reader_close(reader);
    test_store_close(store);
    arena_done(&arena);
    return 0;
}

/* A message in the store; dispatch finds it there. Only while no writer runs. */
static int64_t put(const char *to)
{
    struct message m = {.account = ACCOUNT,
                        .mode = MODE_TEST,
                        .direction = DIRECTION_OUTBOUND,
                        .status = STATUS_QUEUED,
                        .from = STR("+18005551234"),
                        .to = str_of(to),
                        .text = STR("Hello"),
                        .media = STR("")};

    assert_int_equal(store_begin(store), 0);
    assert_int_equal(store_accept(store, &m), 0);
    assert_int_equal(store_commit(store), 0);
    return m.id;
}

static struct message look_at(int64_t id)
{
    struct message m;
    assert_int_equal(store_message_get(reader, ACCOUNT, MODE_TEST, id, &arena, &m), 0);
    return m;
}

/* A barrier: when a job of our own is done, all moves before it are. */
struct barrier {
    struct write_job job;
    int done;
};

static int apply_nothing(struct write_job *job, struct store *s)
{
    return 0;
}

static void barrier_done(struct write_job *job, int result)
{
    __atomic_store_n(&((struct barrier *)job)->done, 1, __ATOMIC_RELEASE);
}

static void settle(void)
{
    struct barrier b = {.job = {.apply = apply_nothing, .done = barrier_done}};

    assert_int_equal(writer_post(writer, &b.job), 0);
    for (int i = 0; !__atomic_load_n(&b.done, __ATOMIC_ACQUIRE); i++) {
        if (i > 100000)
            fail_msg("the writer does not answer");
        usleep(100);
    }
    dispatch_run(dispatch);
}

/* Turns the clock to this many milliseconds after the start and lets everything happen. */
static void at_ms(int64_t ms)
{
    now_us = start_us + ms * MS;
    simulator_run(simulator);
    settle();
}

static void assert_status(int64_t id, enum message_status status)
{
    assert_int_equal(look_at(id).status, status);
}

static void answers_then_delivers(void **state)
{
    int64_t id = put("+15551234567");

    start(100);
    dispatch_run(dispatch);
    at_ms(49);
    assert_status(id, STATUS_QUEUED);
    at_ms(50);
    assert_status(id, STATUS_SENT);
    assert_int_equal(look_at(id).sent_us, start_us + 50 * MS);
    at_ms(999);
    assert_status(id, STATUS_SENT);
    at_ms(1000);
    assert_status(id, STATUS_DELIVERED);
    assert_int_equal(look_at(id).delivered_us, start_us + 1000 * MS);
    at_ms(100000);
    assert_status(id, STATUS_DELIVERED);
    stop();
}

static void acting_numbers_act(void **state)
{
    int64_t at_once = put("+15550001234"), slow = put("+15550001010");
    int64_t no_route = put("+15005550002"), rejected = put("+15005550006");
    int64_t ordinary = put("+447700900123");

    start(100);
    dispatch_run(dispatch);
    at_ms(0);
    assert_status(at_once, STATUS_DELIVERED);
    assert_int_equal(look_at(at_once).sent_us, start_us);
    assert_status(slow, STATUS_QUEUED);
    at_ms(50);
    assert_status(slow, STATUS_SENT);
    assert_status(ordinary, STATUS_SENT);
    assert_status(no_route, STATUS_FAILED);
    assert_int_equal(look_at(no_route).failure, FAILURE_NO_ROUTE);
    assert_int_equal(look_at(no_route).sent_us, 0);
    assert_int_equal(look_at(rejected).failure, FAILURE_CARRIER_REJECTED);
    at_ms(1000);
    assert_status(ordinary, STATUS_DELIVERED);
    assert_status(slow, STATUS_SENT);
    at_ms(9999);
    assert_status(slow, STATUS_SENT);
    at_ms(10000);
    assert_status(slow, STATUS_DELIVERED);
    stop();
}

/* Messages with delays in no order come out in the order of their times. */
static void many_come_in_the_order_of_their_times(void **state)
{
    static const struct {
        const char *to;
        int64_t ms;
    } kinds[] = {{"+15550001060", 60000}, {"+15550001235", 5000}, {"+15551234567", 1000},
                 {"+15550001030", 30000}, {"+15550001234", 0},    {"+15550001010", 10000}};
    enum { KINDS = 6, MESSAGES = 300 };
    int64_t ids[MESSAGES];

    for (int i = 0; i < MESSAGES; i++)
        ids[i] = put(kinds[i * 7 % KINDS].to);
    start(MESSAGES);
    dispatch_run(dispatch);
    for (int64_t ms = 0; ms <= 60000; ms += 1000) {
        at_ms(ms);
        for (int i = 0; i < MESSAGES; i++) {
            bool due = kinds[i * 7 % KINDS].ms <= ms;
            assert_int_equal(look_at(ids[i]).status == STATUS_DELIVERED, due);
        }
        arena_reset(&arena);
    }
    stop();
}

static void a_full_simulator_calls_when_it_has_room(void **state)
{
    int64_t ids[10];

    for (int i = 0; i < 10; i++)
        ids[i] = put("+15550001234"); /* delivered at once */
    start(4);
    dispatch_run(dispatch);
    assert_int_equal(dispatch_held(dispatch), 10);
    int before = __atomic_load_n(&woken, __ATOMIC_RELAXED);
    simulator_run(simulator);
    assert_true(__atomic_load_n(&woken, __ATOMIC_RELAXED) > before);
    settle();
    for (int i = 0; i < 4; i++)
        assert_status(ids[i], STATUS_DELIVERED);
    for (int i = 4; i < 10; i++)
        assert_status(ids[i], STATUS_QUEUED);
    at_ms(0);
    assert_status(ids[7], STATUS_DELIVERED);
    assert_status(ids[8], STATUS_QUEUED);
    at_ms(0);
    assert_status(ids[9], STATUS_DELIVERED);
    stop();
}

static void receipts_are_expected_again_after_a_restart(void **state)
{
    int64_t ordinary = put("+15551234567"), slow = put("+15550001235");

    start(100);
    dispatch_run(dispatch);
    at_ms(50);
    assert_status(ordinary, STATUS_SENT);
    stop();

    int64_t queued = put("+15551234567");
    now_us = start_us + 500 * MS;
    start(100);
    dispatch_run(dispatch);
    at_ms(549);
    assert_status(queued, STATUS_QUEUED);
    at_ms(550);
    assert_status(queued, STATUS_SENT);
    at_ms(1049);
    assert_status(ordinary, STATUS_SENT);
    at_ms(1050); /* a second after it was sent */
    assert_status(ordinary, STATUS_DELIVERED);
    at_ms(5049);
    assert_status(slow, STATUS_SENT);
    at_ms(5050);
    assert_status(slow, STATUS_DELIVERED);
    stop();
}

static void receipts_long_overdue_come_at_once(void **state)
{
    int64_t id = put("+15551234567");

    start(100);
    dispatch_run(dispatch);
    at_ms(50);
    stop();
    now_us = start_us + 3600000LL * MS;
    start(100);
    dispatch_run(dispatch);
    at_ms(3600000);
    assert_status(id, STATUS_DELIVERED);
    stop();
}

#define SIMULATOR_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SIMULATOR_TEST(answers_then_delivers),
        SIMULATOR_TEST(acting_numbers_act),
        SIMULATOR_TEST(many_come_in_the_order_of_their_times),
        SIMULATOR_TEST(a_full_simulator_calls_when_it_has_room),
        SIMULATOR_TEST(receipts_are_expected_again_after_a_restart),
        SIMULATOR_TEST(receipts_long_overdue_come_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
