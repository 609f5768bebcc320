/* The contract of store.h about parts of messages from handsets. */
#include "store/test_fixture.h"

static struct inbound_part_record part(unsigned reference, unsigned total, unsigned number,
                                       const char *text)
{
    return (struct inbound_part_record){.carrier = 2,
                                        .from = STR("+15551234567"),
                                        .to = STR("+18005551234"),
                                        .reference = reference,
                                        .total = total,
                                        .number = number,
                                        .text = str_of(text),
                                        .at_us = test_now_us};
}

static size_t add_this(struct inbound_part_record p, bool force, struct inbound_part_record **ret)
{
    size_t count;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_inbound_part_add(test_store, &p, force, &test_arena, ret, &count), 0);
    assert_int_equal(store_commit(test_store), 0);
    return count;
}

static size_t overdue(int64_t before_us, size_t limit, struct inbound_part_record **ret)
{
    size_t count;

    assert_int_equal(
        store_inbound_part_overdue(test_reader, before_us, limit, &test_arena, ret, &count), 0);
    return count;
}

static void test_parts_in_any_order(void **state)
{
    struct inbound_part_record *all;

    assert_int_equal(add_this(part(7, 3, 3, "three"), false, &all), 0);
    assert_int_equal(add_this(part(7, 3, 1, "one"), false, &all), 0);
    assert_int_equal(add_this(part(7, 3, 1, "one"), false, &all), 0);
    test_close();
    test_open();
    assert_int_equal(add_this(part(7, 3, 2, "two"), false, &all), 3);
    assert_true(str_is(all[0].text, "one"));
    assert_true(str_is(all[1].text, "two"));
    assert_true(str_is(all[2].text, "three"));
    assert_int_equal(all[1].number, 2);
    assert_true(str_is(all[1].from, "+15551234567"));
    assert_true(str_is(all[1].to, "+18005551234"));
    /* Taken out: the same reference begins anew. */
    assert_int_equal(add_this(part(7, 3, 2, "two"), false, &all), 0);
}

/* What differs in anything but number and text is another message's. */
static void test_other_messages_stay_apart(void **state)
{
    struct inbound_part_record p = part(7, 2, 2, "x"), *all;

    assert_int_equal(add_this(part(7, 2, 1, "one"), false, &all), 0);
    assert_int_equal(add_this(part(8, 2, 2, "x"), false, &all), 0);
    assert_int_equal(add_this(part(7, 3, 2, "x"), false, &all), 0);
    p.from = STR("+15551234568");
    assert_int_equal(add_this(p, false, &all), 0);
    p = part(7, 2, 2, "x");
    p.to = STR("+18005551235");
    assert_int_equal(add_this(p, false, &all), 0);
    p = part(7, 2, 2, "x");
    p.carrier = 3;
    assert_int_equal(add_this(p, false, &all), 0);
    assert_int_equal(add_this(part(7, 2, 2, "two"), false, &all), 2);
}

static void test_what_is_there_can_be_taken(void **state)
{
    struct inbound_part_record *all;

    add_this(part(7, 3, 3, "three"), false, &all);
    add_this(part(7, 3, 1, "one"), false, &all);
    /* The part that is named is not added. */
    assert_int_equal(add_this(part(7, 3, 2, "two"), true, &all), 2);
    assert_true(str_is(all[1].text, "three"));
    assert_int_equal(all[1].number, 3);
    assert_int_equal(add_this(part(7, 3, 1, "one"), true, &all), 0);
    assert_int_equal(overdue(INT64_MAX, 9, &all), 0);
}

static void test_overdue(void **state)
{
    struct inbound_part_record *all;

    add_this(part(7, 2, 2, "first"), false, &all);
    test_now_us += 100;
    add_this(part(8, 2, 1, "second"), false, &all);
    test_now_us += 100;
    add_this(part(9, 2, 1, "third"), false, &all);
    assert_int_equal(overdue(test_now_us - 200, 9, &all), 0);
    assert_int_equal(overdue(test_now_us, 9, &all), 2);
    assert_true(str_is(all[0].text, "first"));
    assert_int_equal(all[0].reference, 7);
    assert_int_equal(all[0].at_us, test_now_us - 200);
    assert_true(str_is(all[1].text, "second"));
    assert_int_equal(overdue(test_now_us, 1, &all), 1);
}

static void test_a_rollback_leaves_them(void **state)
{
    struct inbound_part_record last = part(7, 2, 2, "two"), *all;
    size_t count;

    add_this(part(7, 2, 1, "one"), false, &all);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_inbound_part_add(test_store, &last, false, &test_arena, &all, &count),
                     0);
    assert_int_equal(count, 2);
    store_rollback(test_store);
    assert_int_equal(overdue(INT64_MAX, 9, &all), 1);
    assert_int_equal(add_this(last, false, &all), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_parts_in_any_order),         STORE_TEST(test_other_messages_stay_apart),
        STORE_TEST(test_what_is_there_can_be_taken), STORE_TEST(test_overdue),
        STORE_TEST(test_a_rollback_leaves_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
