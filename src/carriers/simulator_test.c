/* The simulator with a clock whose hands the test turns. Behind it stand a real dispatch, writer
 * and store, because they are what hears its answers. */
#include "carriers/simulator.h"
#include "messaging/test_dispatch.h"

enum { MS = 1000, ANSWER_US = 50 * MS, DELIVERY_US = 1000 * MS };

static const int64_t start_us = 1763168523004005; /* where the clock stands at first */

static struct loop *loop;
static struct simulator *simulator;

static void start(size_t max_pending)
{
    test_start(1000);
    assert_int_equal(loop_new(&loop), 0); /* never started: the test is the engine's thread */
    struct simulator_options options = {.dispatch = test_dispatch,
                                        .loop = loop,
                                        .clock = &test_clock,
                                        .answer_us = ANSWER_US,
                                        .delivery_us = DELIVERY_US,
                                        .max_pending = max_pending,
                                        .media = {.need = MEDIA_FIRST, .size_max = 4711}};
    assert_int_equal(simulator_new(&simulator, &options), 0);
    dispatch_add_carrier(test_dispatch, simulator_carrier(simulator));
}

static void stop(void)
{
    writer_stop(test_writer);
    simulator_free(simulator);
    dispatch_free(test_dispatch);
    loop_free(loop);
    writer_free(test_writer);
}

/* A message in the store; dispatch finds it there. Only while no writer runs. */
static int64_t put(const char *to)
{
    struct message m = test_message(MODE_TEST, STATUS_QUEUED);

    m.to = str_of(to);
    return test_leave(m).id;
}

/* Turns the clock to this many milliseconds after the start and lets everything happen. */
static void at_ms(int64_t ms)
{
    test_now_us = start_us + ms * MS;
    simulator_run(simulator);
    test_settle();
}

static void assert_status(int64_t id, enum message_status status)
{
    assert_int_equal(test_status(id), status);
}

static void answers_then_delivers(void **state)
{
    int64_t id = put("+15551234567");

    start(100);
    dispatch_run(test_dispatch);
    at_ms(49);
    assert_status(id, STATUS_QUEUED);
    at_ms(50);
    assert_status(id, STATUS_SENT);
    assert_int_equal(test_look(id).sent_us, start_us + 50 * MS);
    at_ms(999);
    assert_status(id, STATUS_SENT);
    at_ms(1000);
    assert_status(id, STATUS_DELIVERED);
    assert_int_equal(test_look(id).delivered_us, start_us + 1000 * MS);
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
    dispatch_run(test_dispatch);
    at_ms(0);
    assert_status(at_once, STATUS_DELIVERED);
    assert_int_equal(test_look(at_once).sent_us, start_us);
    assert_status(slow, STATUS_QUEUED);
    at_ms(50);
    assert_status(slow, STATUS_SENT);
    assert_status(ordinary, STATUS_SENT);
    assert_status(no_route, STATUS_FAILED);
    assert_int_equal(test_look(no_route).failure, FAILURE_NO_ROUTE);
    assert_int_equal(test_look(no_route).sent_us, 0);
    assert_int_equal(test_look(rejected).failure, FAILURE_CARRIER_REJECTED);
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
    dispatch_run(test_dispatch);
    for (int64_t ms = 0; ms <= 60000; ms += 1000) {
        at_ms(ms);
        for (int i = 0; i < MESSAGES; i++) {
            bool due = kinds[i * 7 % KINDS].ms <= ms;
            assert_int_equal(test_look(ids[i]).status == STATUS_DELIVERED, due);
        }
        arena_reset(&test_arena);
    }
    stop();
}

static void a_full_simulator_calls_when_it_has_room(void **state)
{
    int64_t ids[10];

    for (int i = 0; i < 10; i++)
        ids[i] = put("+15550001234"); /* delivered at once */
    start(4);
    dispatch_run(test_dispatch);
    assert_int_equal(dispatch_held(test_dispatch), 10);
    int before = atomic_load(&test_woken);
    simulator_run(simulator);
    assert_true(atomic_load(&test_woken) > before);
    test_settle();
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
    dispatch_run(test_dispatch);
    at_ms(50);
    assert_status(ordinary, STATUS_SENT);
    stop();

    int64_t queued = put("+15551234567");
    test_now_us = start_us + 500 * MS;
    start(100);
    dispatch_run(test_dispatch);
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
    dispatch_run(test_dispatch);
    at_ms(50);
    stop();
    test_now_us = start_us + 3600000LL * MS;
    start(100);
    dispatch_run(test_dispatch);
    at_ms(3600000);
    assert_status(id, STATUS_DELIVERED);
    stop();
}

static void it_wants_the_media_it_was_told(void **state)
{
    start(100);
    assert_int_equal(simulator_carrier(simulator)->media.need, MEDIA_FIRST);
    assert_int_equal(simulator_carrier(simulator)->media.size_max, 4711);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISPATCH_TEST(answers_then_delivers),
        DISPATCH_TEST(acting_numbers_act),
        DISPATCH_TEST(many_come_in_the_order_of_their_times),
        DISPATCH_TEST(a_full_simulator_calls_when_it_has_room),
        DISPATCH_TEST(receipts_are_expected_again_after_a_restart),
        DISPATCH_TEST(receipts_long_overdue_come_at_once),
        DISPATCH_TEST(it_wants_the_media_it_was_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
