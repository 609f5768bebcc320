/* The contract of store.h about carriers and how they stand. */
#include "store/test_fixture.h"

#include <stdio.h>

static struct carrier_record add(const char *name)
{
    struct carrier_record c = {0};

    snprintf(c.name, sizeof c.name, "%s", name);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_carrier_add(test_store, &c), 0);
    assert_int_equal(store_commit(test_store), 0);
    return c;
}

static void note(const struct carrier_record *c)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_carrier_note(test_store, c), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static int drain(unsigned id, bool drained)
{
    assert_int_equal(store_begin(test_store), 0);
    return store_end(test_store, store_carrier_drain(test_store, id, drained));
}

static size_t list(struct carrier_record **ret)
{
    size_t count;

    assert_int_equal(store_carrier_list(test_reader, &test_arena, ret, &count), 0);
    return count;
}

static void test_numbers_are_for_good(void **state)
{
    struct carrier_record *read;

    assert_int_equal(list(&read), 0);
    unsigned one = add("acme").id, two = add("other").id;
    assert_true(one >= 2 && two > one);
    assert_int_equal(add("acme").id, one);
    test_close();
    test_open();
    assert_int_equal(add("other").id, two);
    assert_true(add("third").id > two);
    assert_int_equal(list(&read), 3);
    assert_string_equal(read[0].name, "acme");
    assert_int_equal(read[1].id, two);
}

static void same(const struct carrier_record *read, const struct carrier_record *wanted)
{
#define SAME(member) assert_int_equal(read->member, wanted->member)
    SAME(id);
    SAME(drained);
    SAME(told_us);
    SAME(state);
    SAME(since_us);
    SAME(binds_up);
    SAME(binds);
    SAME(waiting);
    SAME(in_flight);
    SAME(submitted);
    SAME(taken);
    SAME(refused);
    SAME(throttled);
    SAME(receipts);
    SAME(strays);
    SAME(maybe_twice);
#undef SAME
    assert_string_equal(read->name, wanted->name);
    assert_string_equal(read->note, wanted->note);
}

static void test_how_it_stands(void **state)
{
    struct carrier_record c = add("acme"), *read;

    c = (struct carrier_record){.id = c.id,
                                .told_us = 1,
                                .state = CARRIER_DOWN,
                                .since_us = 3,
                                .binds_up = 4,
                                .binds = 5,
                                .waiting = 6,
                                .in_flight = 7,
                                .submitted = 8,
                                .taken = 9,
                                .refused = 10,
                                .throttled = 11,
                                .receipts = 12,
                                .strays = 13,
                                .maybe_twice = 14,
                                .drained = true,
                                .note = "It hung up."};
    note(&c);
    /* The name stays, what the operator wants, and what is counted elsewhere. */
    snprintf(c.name, sizeof c.name, "acme");
    c.drained = false;
    c.maybe_twice = 0;
    assert_int_equal(list(&read), 1);
    same(&read[0], &c);
    struct carrier_record again = add("acme");
    same(&again, &c);
}

static void test_counting_what_may_have_gone_twice(void **state)
{
    struct carrier_record c = add("acme"), *read;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(store_begin(test_store), 0);
        assert_int_equal(store_end(test_store, store_carrier_twice(test_store, c.id)), 0);
        note(&c);
    }
    assert_int_equal(list(&read), 1);
    assert_int_equal(read[0].maybe_twice, 2);
}

static void test_draining(void **state)
{
    struct carrier_record c = add("acme"), *read;

    assert_int_equal(drain(c.id, true), 0);
    note(&c);
    assert_int_equal(list(&read), 1);
    assert_true(read[0].drained);
    assert_int_equal(drain(c.id, false), 0);
    assert_int_equal(list(&read), 1);
    assert_false(read[0].drained);
    assert_int_equal(drain(c.id + 1, true), -ENOENT);
}

/* The command line, while a server runs. */
static void test_another_process_drains(void **state)
{
    struct carrier_record c = add("acme"), *read;
    char why[STORE_WHY_SIZE];
    struct store *other;

    assert_int_equal(list(&read), 1);
    assert_int_equal(store_open_sqlite(&other, test_path, &test_clock, why), 0);
    assert_int_equal(store_begin(other), 0);
    assert_int_equal(store_carrier_drain(other, c.id, true), 0);
    assert_int_equal(store_commit(other), 0);
    store_close(other);
    assert_int_equal(list(&read), 1);
    assert_true(read[0].drained);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_numbers_are_for_good),
        STORE_TEST(test_how_it_stands),
        STORE_TEST(test_counting_what_may_have_gone_twice),
        STORE_TEST(test_draining),
        STORE_TEST(test_another_process_drains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
