#include "api/test_stats.h"

struct test_stats test_stats;

static struct store_engine engine;
static const struct store_engine *real;

static bool is_first(int64_t account, enum mode mode)
{
    return account == FIRST_ACCOUNT && mode == test_stats.mode;
}

static int tell_pulse(struct store_reader *r, int64_t account, enum mode mode, int64_t from_minute,
                      int64_t to_minute, void (*tell)(void *context, const struct pulse_minute *m),
                      void *context)
{
    for (size_t i = 0; i < test_stats.minute_count && is_first(account, mode); i++) {
        const struct pulse_minute *m = &test_stats.minutes[i];
        if (from_minute <= m->minute && m->minute <= to_minute)
            tell(context, m);
    }
    return test_stats.fault;
}

static int tell_queue(struct store_reader *r, int64_t account, enum mode mode,
                      struct queue_state *ret)
{
    test_stats.reads++;
    if (is_first(account, mode))
        *ret = test_stats.queue;
    return test_stats.fault;
}

static int count_lookup(struct store_reader *r, struct arena *a, struct carrier_record **ret,
                        size_t *ret_count)
{
    test_stats.lookups++;
    return real->carrier_list(r, a, ret, ret_count);
}

int test_stats_set_up(void **state)
{
    int failed = test_api_set_up(state);

    test_stats = (struct test_stats){.mode = MODE_TEST};
    engine = *test_store->engine;
    engine.pulse_each = tell_pulse;
    engine.queue_state = tell_queue;
    engine.carrier_list = count_lookup;
    real = test_set_engine(&engine);
    return failed;
}

int test_stats_tear_down(void **state)
{
    test_set_engine(real);
    return test_api_tear_down(state);
}

void test_stats_sent(int64_t at_us, int64_t count)
{
    int64_t second = at_us / 1000000;
    size_t n = test_stats.minute_count;

    if (n == 0 || test_stats.minutes[n - 1].minute != second / 60) {
        assert_true(n < sizeof test_stats.minutes / sizeof *test_stats.minutes);
        test_stats.minutes[n] = (struct pulse_minute){.minute = second / 60};
        test_stats.minute_count = ++n;
    }
    test_stats.minutes[n - 1].seconds[second % 60].sent += count;
}
