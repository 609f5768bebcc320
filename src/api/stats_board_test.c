#include "api/stats_board.h"

#include "store/engine.h"
#include "store/test_store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MINUTE = 30000000 };

#define NOW_US (INT64_C(60000000) * MINUTE + 5000000)

static struct store *store;
static struct store_reader *reader;
static struct stats_board *board;
static struct stats stats;
static int rings_read, queues_read, fault;

/* An owner has sent as many as its number says, five seconds into the minute. */
static int tell_pulse(struct store_reader *r, int64_t account, enum mode mode, int64_t from_minute,
                      int64_t to_minute, void (*tell)(void *context, const struct pulse_minute *m),
                      void *context)
{
    struct pulse_minute m = {.minute = MINUTE};

    rings_read++;
    m.seconds[5].sent = account * 10 + mode;
    if (from_minute <= MINUTE && MINUTE <= to_minute)
        tell(context, &m);
    return fault;
}

static int tell_queue(struct store_reader *r, int64_t account, enum mode mode,
                      struct queue_state *ret)
{
    queues_read++;
    ret->queued = account;
    return fault;
}

static struct store_engine engine;
static const struct store_engine *real;

static int set_up(void **state)
{
    store = test_store_open(&clock_real);
    assert_int_equal(store_reader_open(store, &reader), 0);
    real = store->engine;
    engine = *real;
    engine.pulse_each = tell_pulse;
    engine.queue_state = tell_queue;
    store->engine = &engine;
    board = stats_board_new(store);
    rings_read = queues_read = fault = 0;
    return 0;
}

static int tear_down(void **state)
{
    stats_board_free(board);
    store->engine = real;
    store_reader_close(reader);
    test_store_close(store);
    return 0;
}

static int ask(int64_t account, enum mode mode, int64_t now_us)
{
    return stats_read(board, reader, account, mode, now_us, &stats);
}

static void commit(void)
{
    assert_int_equal(store_begin(store), 0);
    assert_int_equal(store_touch(store), 0);
    assert_int_equal(store_end(store, 0), 0);
}

static void owners_are_apart(void **state)
{
    assert_int_equal(ask(1, MODE_TEST, NOW_US), 0);
    assert_int_equal(stats.pulse.minute.sent, 10 + MODE_TEST);
    assert_int_equal(stats.mode, MODE_TEST);
    assert_int_equal(stats.now_us, NOW_US);
    assert_int_equal(ask(1, MODE_LIVE, NOW_US), 0);
    assert_int_equal(stats.pulse.minute.sent, 10 + MODE_LIVE);
    assert_int_equal(ask(2, MODE_TEST, NOW_US), 0);
    assert_int_equal(stats.pulse.minute.sent, 20 + MODE_TEST);
    assert_int_equal(stats.queue.queued, 2);
}

static void what_stands_still_is_not_read_again(void **state)
{
    commit();
    assert_int_equal(ask(1, MODE_TEST, NOW_US), 0);
    assert_int_equal(ask(1, MODE_TEST, NOW_US + 1000000), 0);
    assert_int_equal(rings_read, 1);
    assert_int_equal(queues_read, 1);
    commit();
    assert_int_equal(ask(1, MODE_TEST, NOW_US + 1000000), 0);
    assert_int_equal(rings_read, 2);
    assert_int_equal(queues_read, 2);
    assert_int_equal(ask(1, MODE_TEST, NOW_US + 60000000), 0); /* another minute */
    assert_true(rings_read > 2);
    assert_int_equal(stats.pulse.minute.sent, 0); /* it is sixty seconds ago */
    assert_int_equal(stats.pulse.hour.sent, 10 + MODE_TEST);
}

static void many_owners_take_turns(void **state)
{
    for (int round = 0; round < 2; round++)
        for (int64_t account = 1; account <= 200; account++) {
            assert_int_equal(ask(account, MODE_LIVE, NOW_US), 0);
            assert_int_equal(stats.pulse.hour.sent, account * 10 + MODE_LIVE);
        }
    int before = rings_read;
    for (int64_t account = 200; account > 200 - 64; account--) /* those asked about last are kept */
        assert_int_equal(ask(account, MODE_LIVE, NOW_US), 0);
    assert_int_equal(rings_read, before);
}

static void a_fault_is_told_and_forgotten(void **state)
{
    fault = -EIO;
    assert_int_equal(ask(1, MODE_TEST, NOW_US), -EIO);
    assert_int_equal(ask(1, MODE_TEST, NOW_US), -EIO);
    fault = 0;
    assert_int_equal(ask(1, MODE_TEST, NOW_US), 0);
    assert_int_equal(stats.pulse.day.sent, 10 + MODE_TEST);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(owners_are_apart),
        TEST(what_stands_still_is_not_read_again),
        TEST(many_owners_take_turns),
        TEST(a_fault_is_told_and_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
