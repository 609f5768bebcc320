#include "api/throttle.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NOON   INT64_C(1763164800000000)
#define SECOND INT64_C(1000000)

static struct in6_addr address_of(const char *text)
{
    struct in6_addr address;

    assert_int_equal(inet_pton(AF_INET6, text, &address), 1);
    return address;
}

static unsigned wait_of(struct throttle *t, const char *address, int64_t now_us)
{
    struct in6_addr a = address_of(address);
    return throttle_wait(t, &a, now_us);
}

/* How many of these failures may be told. */
static unsigned fail_many(struct throttle *t, const char *address, int64_t now_us, unsigned times)
{
    struct in6_addr a = address_of(address);
    unsigned told = 0;

    for (unsigned i = 0; i < times; i++)
        told += throttle_fail(t, &a, now_us) == 0;
    return told;
}

static void the_minute_begins_with_the_first_failure(void **state)
{
    struct throttle *t = throttle_new(20);
    const char *home = "::ffff:192.0.2.1";

    assert_int_equal(wait_of(t, home, NOON), 0);
    assert_int_equal(fail_many(t, home, NOON, 1), 1);
    assert_int_equal(fail_many(t, home, NOON + 30 * SECOND, 18), 18);
    assert_int_equal(wait_of(t, home, NOON + 30 * SECOND), 0);
    assert_int_equal(fail_many(t, home, NOON + 30 * SECOND, 5), 1);
    assert_int_equal(wait_of(t, home, NOON + 30 * SECOND), 30);
    assert_int_equal(wait_of(t, home, NOON + 30 * SECOND + 1), 30);
    assert_int_equal(wait_of(t, home, NOON + 60 * SECOND - 1), 1);
    assert_int_equal(fail_many(t, home, NOON + 60 * SECOND - 1, 1), 0);
    assert_int_equal(wait_of(t, home, NOON + 60 * SECOND), 0);
    assert_int_equal(fail_many(t, home, NOON + 60 * SECOND, 30), 20);
    assert_int_equal(wait_of(t, home, NOON + 60 * SECOND), 60);
    throttle_free(t);
}

static void addresses_are_apart(void **state)
{
    struct throttle *t = throttle_new(3);

    assert_int_equal(fail_many(t, "::ffff:192.0.2.1", NOON, 9), 3);
    assert_int_equal(wait_of(t, "::ffff:192.0.2.2", NOON), 0);
    assert_int_equal(fail_many(t, "::ffff:192.0.2.2", NOON, 9), 3);
    assert_int_equal(wait_of(t, "::1", NOON), 0);
    assert_int_equal(fail_many(t, "::1", NOON, 9), 3);
    throttle_free(t);
}

static void a_network_of_ipv6_is_one_address(void **state)
{
    struct throttle *t = throttle_new(3);

    assert_int_equal(fail_many(t, "2001:db8:1:2::1", NOON, 2), 2);
    assert_int_equal(fail_many(t, "2001:db8:1:2:ffff:ffff:ffff:ffff", NOON, 2), 1);
    assert_int_equal(wait_of(t, "2001:db8:1:2:3:4:5:6", NOON), 60);
    assert_int_equal(wait_of(t, "2001:db8:1:3::1", NOON), 0);
    throttle_free(t);
}

static void without_a_number_nobody_waits(void **state)
{
    struct throttle *t = throttle_new(0);

    assert_int_equal(fail_many(t, "::1", NOON, 1000), 1000);
    assert_int_equal(wait_of(t, "::1", NOON), 0);
    throttle_free(t);
}

static void a_clock_set_back_locks_nobody_out(void **state)
{
    struct throttle *t = throttle_new(3);

    assert_int_equal(fail_many(t, "::1", NOON + 9999999 * SECOND, 9), 3);
    assert_int_equal(wait_of(t, "::1", NOON), 0);
    assert_int_equal(fail_many(t, "::1", NOON, 9), 3);
    assert_int_equal(wait_of(t, "::1", NOON + SECOND), 59);
    throttle_free(t);
}

/* Some hundred addresses for each place in the table: the first is forgotten, the last is not. */
static void when_it_is_full_the_oldest_is_forgotten(void **state)
{
    struct throttle *t = throttle_new(1);
    struct in6_addr other = address_of("::ffff:10.0.0.0");

    assert_int_equal(fail_many(t, "::ffff:192.0.2.1", NOON, 2), 1);
    for (unsigned i = 0; i < 1000000; i++) {
        other.s6_addr[13] = (uint8_t)(i >> 16);
        other.s6_addr[14] = (uint8_t)(i >> 8);
        other.s6_addr[15] = (uint8_t)i;
        assert_int_equal(throttle_fail(t, &other, NOON + 1), 0);
    }
    assert_int_equal(throttle_wait(t, &other, NOON + 1), 60);
    assert_int_equal(wait_of(t, "::ffff:192.0.2.1", NOON + 1), 0);
    throttle_free(t);
}

struct crowd {
    struct throttle *throttle;
    atomic_uint told;
};

static void *crowd_member(void *data)
{
    struct crowd *c = data;
    struct in6_addr address = address_of("2001:db8::1");

    for (unsigned i = 0; i < 10000; i++)
        if (throttle_wait(c->throttle, &address, NOON) == 0 &&
            throttle_fail(c->throttle, &address, NOON) == 0)
            atomic_fetch_add(&c->told, 1);
    return NULL;
}

static void threads_together_are_told_the_number_exactly(void **state)
{
    enum { THREADS = 6 };
    struct crowd c = {throttle_new(20), 0};
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, crowd_member, &c), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&c.told), 20);
    throttle_free(c.throttle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minute_begins_with_the_first_failure),
        cmocka_unit_test(addresses_are_apart),
        cmocka_unit_test(a_network_of_ipv6_is_one_address),
        cmocka_unit_test(without_a_number_nobody_waits),
        cmocka_unit_test(a_clock_set_back_locks_nobody_out),
        cmocka_unit_test(when_it_is_full_the_oldest_is_forgotten),
        cmocka_unit_test(threads_together_are_told_the_number_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
