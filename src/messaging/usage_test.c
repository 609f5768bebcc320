#include "messaging/usage.h"

#include "store/test_store.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

static struct store *store;
static struct store_reader *reader;
static struct usage *usage;
static struct writer_rider rider;
static int64_t now_us;

static int64_t tell_time(const struct clock *c)
{
    return now_us;
}

static const struct clock test_clock = {tell_time};

static int set_up(void **state)
{
    now_us = 1800000000000000;
    store = test_store_open(&clock_real);
    assert_int_equal(store_reader_open(store, &reader), 0);
    usage = usage_new(&test_clock);
    rider = usage_rider(usage);
    return 0;
}

static int tear_down(void **state)
{
    usage_free(usage);
    store_reader_close(reader);
    test_store_close(store);
    return 0;
}

static bool wants(void)
{
    return rider.wants(rider.context, false);
}

static void write_it(int result)
{
    assert_int_equal(store_begin(store), 0);
    assert_int_equal(rider.write(rider.context, store), 0);
    assert_int_equal(store_end(store, result), result);
    rider.done(rider.context, result);
}

static void assert_usage(int64_t key, int64_t requests, int64_t last_us, const char *address)
{
    struct key_usage u;

    assert_int_equal(store_key_usage(reader, key, &u), 0);
    assert_int_equal(u.requests, requests);
    assert_int_equal(u.last_us, last_us);
    assert_string_equal(u.address, address);
}

static void requests_are_counted_by_key(void **state)
{
    usage_note(usage, 1, 100, "192.0.2.1");
    usage_note(usage, 2, 101, "192.0.2.2");
    usage_note(usage, 1, 102, "2001:db8::1");
    write_it(0);
    assert_usage(1, 2, 102, "2001:db8::1");
    assert_usage(2, 1, 101, "192.0.2.2");
    assert_usage(3, 0, 0, "");
    usage_note(usage, 1, 103, "192.0.2.3");
    write_it(0);
    assert_usage(1, 3, 103, "192.0.2.3");
    assert_usage(2, 1, 101, "192.0.2.2");
}

static void the_longest_address_fits(void **state)
{
    const char longest[] = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255";

    assert_int_equal(strlen(longest), ADDRESS_MAX);
    usage_note(usage, 1, 100, longest);
    usage_note(usage, 2, 100, "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255 and more");
    write_it(0);
    assert_usage(1, 1, 100, longest);
    assert_usage(2, 1, 100, longest);
}

static void it_is_written_once_a_second(void **state)
{
    assert_false(wants());
    assert_false(rider.wants(rider.context, true));
    usage_note(usage, 1, now_us, "192.0.2.1");
    assert_true(wants());
    write_it(0);
    assert_false(wants());
    usage_note(usage, 1, now_us, "192.0.2.1");
    now_us += 999999;
    assert_false(wants());
    assert_true(rider.wants(rider.context, true)); /* there is no later */
    now_us += 1;
    assert_true(wants());
    write_it(0);
    usage_note(usage, 1, now_us, "192.0.2.1");
    now_us -= 3600000000; /* a clock set back */
    assert_true(wants());
}

static void what_was_lost_is_written_later(void **state)
{
    usage_note(usage, 1, 100, "192.0.2.1");
    usage_note(usage, 2, 100, "192.0.2.1");
    write_it(-EIO);
    assert_usage(1, 0, 0, "");
    assert_false(wants()); /* not at once */
    usage_note(usage, 1, 200, "192.0.2.2");
    now_us += 1000000;
    assert_true(wants());
    write_it(0);
    assert_usage(1, 2, 200, "192.0.2.2");
    assert_usage(2, 1, 100, "192.0.2.1");
    now_us += 1000000;
    assert_false(wants());
}

static void many_keys(void **state)
{
    for (int round = 0; round < 3; round++) {
        for (int64_t key = 1; key <= 2000; key++)
            usage_note(usage, key, 100 + round, "192.0.2.1");
        if (round)
            write_it(0);
    }
    for (int64_t key = 1; key <= 2000; key++)
        assert_usage(key, 3, 102, "192.0.2.1");
}

enum { THREADS = 3, NOTES = 20000, KEYS = 20 };
static atomic_int working;

static void *note_a_lot(void *context)
{
    for (int i = 0; i < NOTES; i++)
        usage_note(usage, i % KEYS, 1000 + i, "192.0.2.1");
    atomic_fetch_sub(&working, 1);
    return NULL;
}

static void threads_note_while_it_is_written(void **state)
{
    pthread_t threads[THREADS];

    atomic_store(&working, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, note_a_lot, NULL), 0);
    for (int turn = 0; atomic_load(&working) > 0; turn++)
        write_it(turn % 3 == 0 ? -EIO : 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    write_it(0);
    for (int64_t key = 0; key < KEYS; key++)
        assert_usage(key, THREADS * NOTES / KEYS, 1000 + NOTES - KEYS + key, "192.0.2.1");
}

#define USAGE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        USAGE_TEST(requests_are_counted_by_key),
        USAGE_TEST(the_longest_address_fits),
        USAGE_TEST(it_is_written_once_a_second),
        USAGE_TEST(what_was_lost_is_written_later),
        USAGE_TEST(many_keys),
        USAGE_TEST(threads_note_while_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
