/* The contract of store.h about the ids under which carriers took messages, and about parts. */
#include "store/test_fixture.h"

#include <stdio.h>

#define DAY_US INT64_C(86400000000)
enum { ACME = 2, OTHER = 3 };

static void add(unsigned carrier, const char *id, int64_t message, unsigned part)
{
    struct reference_record r = {
        .carrier = carrier, .id = str_of(id), .message = message, .part = part};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_reference_add(test_store, &r), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static size_t find(unsigned carrier, const char *id, struct reference_record **ret)
{
    size_t count;

    assert_int_equal(
        store_reference_find(test_reader, carrier, str_of(id), &test_arena, ret, &count), 0);
    return count;
}

static void test_add_and_find(void **state)
{
    struct reference_record *found;

    add(ACME, "A001", 70, 1);
    add(ACME, "A001", 70, 1); /* once is enough */
    add(ACME, "a001", 71, 0);
    add(OTHER, "A001", 72, 0);
    assert_int_equal(find(ACME, "A001", &found), 1);
    assert_int_equal(found[0].message, 70);
    assert_int_equal(found[0].part, 1);
    assert_int_equal(found[0].carrier, ACME);
    assert_true(str_is(found[0].id, "A001"));
    assert_int_equal(find(ACME, "a001", &found), 1);
    assert_int_equal(found[0].message, 71);
    assert_int_equal(find(OTHER, "a001", &found), 0);
    assert_int_equal(find(ACME, "", &found), 0);
}

/* Several at once, and ids of any length. */
static void test_add_many(void **state)
{
    static char ids[50][210];
    struct reference_record *found;

    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < 50; i++) {
        memset(ids[i], 'x', i * 4);
        snprintf(ids[i] + i * 4, 8, "%d", i);
        struct reference_record r = {
            .carrier = ACME, .id = str_of(ids[i]), .message = 100 + i, .part = (unsigned)i % 3};
        assert_int_equal(store_reference_add(test_store, &r), 0);
    }
    assert_int_equal(store_commit(test_store), 0);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(find(ACME, ids[i], &found), 1);
        assert_int_equal(found[0].message, 100 + i);
        assert_int_equal(found[0].part, i % 3);
    }
}

static void test_newest_first(void **state)
{
    struct reference_record *found;

    add(ACME, "1", 90, 0);
    test_now_us += DAY_US;
    add(ACME, "1", 50, 0);
    add(ACME, "1", 60, 0);
    assert_int_equal(find(ACME, "1", &found), 3);
    assert_int_equal(found[0].message, 60);
    assert_int_equal(found[1].message, 50);
    assert_int_equal(found[2].message, 90);
}

/* A carrier that gives the same id to all does not make a look long. */
static void test_not_all_are_found(void **state)
{
    struct reference_record *found;

    for (int i = 0; i < 200; i++)
        add(ACME, "0", 1000 + i, 0);
    assert_int_equal(find(ACME, "0", &found), 128);
    assert_int_equal(found[0].message, 1199);
}

static void test_three_days(void **state)
{
    struct reference_record *found;

    add(ACME, "1", 90, 0);
    test_now_us += 3 * DAY_US;
    assert_int_equal(find(ACME, "1", &found), 1);
    test_now_us += DAY_US;
    assert_int_equal(find(ACME, "1", &found), 0);
}

static void test_a_rollback_leaves_nothing(void **state)
{
    struct reference_record r = {.carrier = ACME, .id = STR("1"), .message = 5}, *found;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_reference_add(test_store, &r), 0);
    store_rollback(test_store);
    assert_int_equal(find(ACME, "1", &found), 0);
    add(ACME, "2", 6, 0);
    assert_int_equal(find(ACME, "1", &found), 0);
    assert_int_equal(find(ACME, "2", &found), 1);
}

/* ---- housekeeping ---- */

static void add_many(int count)
{
    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < count; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        struct reference_record r = {.carrier = ACME, .id = str_of(id), .message = i};
        assert_int_equal(store_reference_add(test_store, &r), 0);
    }
    assert_int_equal(store_commit(test_store), 0);
}

/* How many of add_many are left, whatever the day. */
static int left(int64_t day_us)
{
    struct reference_record *found;
    int64_t now_us = test_now_us;
    int count = 0;

    test_now_us = day_us;
    store_reader_rest(test_reader); /* housekeeping is nothing that readers are told of */
    for (int i = 0; i < 2500; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        count += find(ACME, id, &found) > 0;
    }
    test_now_us = now_us;
    return count;
}

static void test_the_old_go_in_steps(void **state)
{
    int64_t day_us = test_now_us;
    int steps = 0;

    while (store_housekeep(test_store, true))
        ;
    add_many(2500);
    test_now_us += 3 * DAY_US;
    add(ACME, "kept", 7, 0);
    while (store_housekeep(test_store, true))
        ;
    assert_int_equal(left(day_us), 2500);

    test_now_us += DAY_US;
    assert_true(store_housekeep(test_store, true));
    assert_in_range(left(day_us), 1500, 2500); /* by the clock, and so many at most */
    while (store_housekeep(test_store, true))
        steps++;
    assert_true(steps >= 1);
    assert_int_equal(left(day_us), 0);
    struct reference_record *found;
    assert_int_equal(find(ACME, "kept", &found), 1);
    assert_false(store_housekeep(test_store, true));
}

/* ---- parts ---- */

static int deliver(int64_t message, unsigned part, unsigned *ret_left)
{
    assert_int_equal(store_begin(test_store), 0);
    int r = store_part_delivered(test_store, message, part, ret_left);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

static void open_parts(int64_t message, unsigned parts)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_parts_open(test_store, message, parts), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static void test_parts_are_folded(void **state)
{
    unsigned left_over = 99;

    assert_int_equal(deliver(7, 1, &left_over), 0);
    open_parts(7, 3);
    assert_int_equal(deliver(7, 2, &left_over), 1);
    assert_int_equal(left_over, 2);
    assert_int_equal(deliver(7, 2, &left_over), 0);
    assert_int_equal(deliver(8, 1, &left_over), 0);
    test_close();
    test_open();
    assert_int_equal(deliver(7, 3, &left_over), 1);
    assert_int_equal(left_over, 1);
    assert_int_equal(deliver(7, 1, &left_over), 1);
    assert_int_equal(left_over, 0);
    assert_int_equal(deliver(7, 1, &left_over), 0);
}

static void test_the_most_parts(void **state)
{
    unsigned left_over;

    open_parts(7, STORE_PARTS_MAX);
    for (unsigned part = STORE_PARTS_MAX; part >= 1; part--) {
        assert_int_equal(deliver(7, part, &left_over), 1);
        assert_int_equal(left_over, part - 1);
    }
}

static void test_a_failed_message_has_no_parts(void **state)
{
    struct message m = test_message(1, MODE_LIVE, "x");
    unsigned left_over;

    m.carrier = ACME;
    test_accept_this(&m);
    test_move(m.id, TEST_BIT(STATUS_QUEUED), STATUS_SENT, 0, 5);
    open_parts(m.id, 2);
    assert_int_equal(deliver(m.id, 1, &left_over), 1);
    test_move(m.id, TEST_BIT(STATUS_SENT), STATUS_FAILED, FAILURE_UNDELIVERABLE, 6);
    assert_int_equal(deliver(m.id, 2, &left_over), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_add_and_find),        STORE_TEST(test_add_many),
        STORE_TEST(test_newest_first),        STORE_TEST(test_not_all_are_found),
        STORE_TEST(test_three_days),          STORE_TEST(test_a_rollback_leaves_nothing),
        STORE_TEST(test_the_old_go_in_steps), STORE_TEST(test_parts_are_folded),
        STORE_TEST(test_the_most_parts),      STORE_TEST(test_a_failed_message_has_no_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
