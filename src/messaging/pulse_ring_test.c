/* The rings against a count of every second, whatever the clock does. */
#include "messaging/pulse_ring.h"

#include "store/engine.h"
#include "store/test_store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ACCOUNT = 7, MINUTE = 60, DAY = 86400, SPAN = 4 * DAY };

#define BEGIN_S INT64_C(1800000000) /* the first second that the test knows of */

static struct store *store;
static struct store_reader *reader;
static struct pulse_ring *ring;
static struct pulse *seconds; /* what happened, from BEGIN_S on */
static int64_t now_s;
static int64_t rows_read, reads;
static int fault;

/* ---- a store that knows them ---- */

static void fill(struct pulse_minute *ret, int64_t minute)
{
    ret->minute = minute;
    for (int64_t i = 0; i < MINUTE; i++)
        ret->seconds[i] = seconds[minute * MINUTE + i - BEGIN_S];
}

static bool is_empty(const struct pulse_minute *m)
{
    static const struct pulse none;

    for (size_t i = 0; i < MINUTE; i++)
        if (memcmp(&m->seconds[i], &none, sizeof none) != 0)
            return false;
    return true;
}

static int tell_minutes(struct store_reader *r, int64_t account, enum mode mode,
                        int64_t from_minute, int64_t to_minute,
                        void (*tell)(void *context, const struct pulse_minute *m), void *context)
{
    int64_t first = BEGIN_S / MINUTE, last = first + SPAN / MINUTE - 1;
    struct pulse_minute m;

    assert_int_equal(account, ACCOUNT);
    assert_int_equal(mode, MODE_LIVE);
    reads++;
    if (from_minute > first)
        first = from_minute;
    if (to_minute < last)
        last = to_minute;
    for (; first <= last; first++) {
        fill(&m, first);
        if (is_empty(&m))
            continue;
        rows_read++;
        tell(context, &m);
    }
    return fault;
}

static struct store_engine engine;
static const struct store_engine *real;

static int set_up(void **state)
{
    seconds = calloc(SPAN, sizeof *seconds);
    assert_non_null(seconds);
    srand(20261116);
    now_s = BEGIN_S + 2 * DAY;
    fault = 0;
    store = test_store_open(&clock_real);
    assert_int_equal(store_reader_open(store, &reader), 0);
    real = store->engine;
    engine = *real;
    engine.pulse_each = tell_minutes;
    store->engine = &engine;
    ring = pulse_ring_new(ACCOUNT, MODE_LIVE);
    assert_non_null(ring);
    return 0;
}

static int tear_down(void **state)
{
    pulse_ring_free(ring);
    store->engine = real;
    store_reader_close(reader);
    test_store_close(store);
    free(seconds);
    return 0;
}

/* ---- events, and what they come to ---- */

static struct pulse *at(int64_t second)
{
    assert_true(second >= BEGIN_S && second < BEGIN_S + SPAN);
    return &seconds[second - BEGIN_S];
}

static void happen(int64_t second)
{
    struct pulse *p = at(second);

#define X(member) p->member += rand() % 4;
    PULSE_COUNTS(X)
#undef X
}

static struct pulse count(int64_t first, int64_t last)
{
    struct pulse sum = {0};

    for (; first <= last; first++) {
        const struct pulse *p = at(first);
#define X(member) sum.member += p->member;
        PULSE_COUNTS(X)
#undef X
    }
    return sum;
}

static void assert_same(const char *what, struct pulse is, struct pulse wanted)
{
#define X(member)                                                                                  \
    if (is.member != wanted.member)                                                                \
        fail_msg("%s at %lld: " #member " is %lld, not %lld", what, (long long)now_s,              \
                 (long long)is.member, (long long)wanted.member);
    PULSE_COUNTS(X)
#undef X
}

static int64_t now_us(void)
{
    return now_s * 1000000 + rand() % 1000000;
}

static void assert_right(void)
{
    struct pulse_view view;
    int64_t us = now_us();

    assert_int_equal(pulse_ring_read(ring, reader, us), 0);
    pulse_ring_view(ring, us, &view);
    assert_same("minute", view.minute, count(now_s - 59, now_s));
    assert_same("hour", view.hour, count(now_s - 3599, now_s));
    assert_same("day", view.day, count(now_s - 86399, now_s));
    assert_same("rate", view.rate, count(now_s - 10, now_s - 1));
}

static void fill_past(void)
{
    for (int64_t s = now_s - DAY - 200; s <= now_s; s++)
        if (rand() % 3 == 0)
            happen(s);
}

/* ---- tests ---- */

static void nothing_is_nothing(void **state)
{
    assert_right();
    now_s += 90;
    assert_right();
}

static void every_second_is_exact(void **state)
{
    fill_past();
    for (int i = 0; i < 400; i++, now_s++) {
        happen(now_s);
        assert_right();
        happen(now_s); /* the same second goes on */
        assert_right();
    }
}

static void each_end_of_a_window_is_exact(void **state)
{
    static const int64_t ages[] = {9, 10, 11, 59, 60, 3599, 3600, 86399, 86400};

    for (int64_t second = 0; second < MINUTE; second++) {
        now_s = BEGIN_S + 2 * DAY + 61 * second; /* at each second of a minute */
        for (size_t i = 0; i < sizeof ages / sizeof *ages; i++)
            happen(now_s - ages[i]);
        pulse_ring_free(ring);
        ring = pulse_ring_new(ACCOUNT, MODE_LIVE);
        assert_right();
    }
}

static void a_new_ring_knows_the_same(void **state)
{
    fill_past();
    assert_right();
    for (int i = 0; i < 5; i++) {
        now_s += rand() % 100;
        happen(now_s);
        pulse_ring_free(ring);
        ring = pulse_ring_new(ACCOUNT, MODE_LIVE);
        assert_right();
    }
}

static void gaps_are_zero(void **state)
{
    fill_past();
    assert_right();
    for (int i = 0; i < 3 * 60; i++, now_s += MINUTE - 1) /* nothing more happens */
        assert_right();
    happen(now_s);
    assert_right();
    now_s += DAY - 1;
    assert_right();
    now_s++;
    assert_right();
}

static void the_clock_jumps(void **state)
{
    static const int64_t jumps[] = {61, 3600, -30, -61, -120, 7200, -7200, 86400, -86400, -3, 599};

    fill_past();
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        now_s += jumps[i];
        for (int j = 0; j < 130; j++, now_s++) {
            if (rand() % 2)
                happen(now_s);
            assert_right();
        }
    }
}

/* What is written a moment late, over the end of a minute. */
static void late_words_count(void **state)
{
    fill_past();
    for (int i = 0; i < 300; i++, now_s++) {
        happen(now_s - rand() % 90);
        assert_right();
    }
}

/* What could not be written for a long time. */
static void very_late_words_are_found(void **state)
{
    fill_past();
    assert_right();
    now_s += 5;
    for (int64_t age = 200; age < 3000; age += 100)
        happen(now_s - age);
    now_s += 600;
    assert_right();
}

static void goes_on_after_a_fault(void **state)
{
    struct pulse_view view;

    fill_past();
    assert_right();
    now_s += 70;
    happen(now_s);
    fault = -EIO;
    assert_int_equal(pulse_ring_read(ring, reader, now_us()), -EIO);
    pulse_ring_view(ring, now_us(), &view);
    assert_same("nothing", view.day, (struct pulse){0});
    fault = 0;
    assert_right();
}

static void reads_little(void **state)
{
    fill_past();
    now_s = now_s / MINUTE * MINUTE;
    assert_right();
    assert_true(rows_read >= 1440);
    rows_read = reads = 0;
    for (int i = 0; i < MINUTE; i++, now_s++) {
        happen(now_s);
        assert_right();
    }
    assert_int_equal(reads, 60);
    assert_true(rows_read <= 3 * 60);
    rows_read = reads = 0;
    assert_right(); /* the next minute: and those at the edges */
    assert_int_equal(reads, 3);
    assert_true(rows_read <= 6);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_nothing),
        TEST(every_second_is_exact),
        TEST(each_end_of_a_window_is_exact),
        TEST(a_new_ring_knows_the_same),
        TEST(gaps_are_zero),
        TEST(the_clock_jumps),
        TEST(late_words_count),
        TEST(very_late_words_are_found),
        TEST(goes_on_after_a_fault),
        TEST(reads_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
