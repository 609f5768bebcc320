#include "messaging/reference_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { BITS = 10, ROOM = 1 << BITS, ACME = 2, OTHER = 3 };

static struct reference_table *table;

static int set_up(void **state)
{
    static const uint8_t key[SIPHASH_KEY_SIZE] = "0123456789abcdef";
    return reference_table_new(&table, BITS, key);
}

static int tear_down(void **state)
{
    reference_table_free(table);
    return 0;
}

static void add(unsigned carrier, const char *id, const char *to, int64_t message, unsigned part)
{
    reference_table_add(table, &(struct reference_entry){
                                   .id = reference_hash(table, carrier, str_of(id)),
                                   .destination = reference_address(table, str_of(to)),
                                   .message = message,
                                   .part = part,
                               });
}

static struct reference_match found[REFERENCE_MATCHES];

static size_t find(unsigned carrier, const char *id, const char *source, const char *destination,
                   bool strict)
{
    struct reference_ends ends = {reference_address(table, str_of(source)),
                                  reference_address(table, str_of(destination))};

    return reference_table_find(table, reference_hash(table, carrier, str_of(id)), &ends, strict,
                                found);
}

static void test_one_message_needs_no_address(void **state)
{
    add(ACME, "A1", "+15551234567", 70, 0);
    assert_int_equal(find(ACME, "A1", "", "", false), 1);
    assert_int_equal(found[0].message, 70);
    assert_int_equal(found[0].parts, 0);
    assert_int_equal(find(OTHER, "A1", "", "", false), 0);
    assert_int_equal(find(ACME, "a1", "", "", false), 0);
    assert_int_equal(find(ACME, "A", "1", "", false), 0);
}

static void test_an_address_that_must_fit(void **state)
{
    add(ACME, "A1", "+15551234567", 70, 0);
    assert_int_equal(find(ACME, "A1", "15551234567", "ACME", true), 1);
    assert_int_equal(find(ACME, "A1", "ACME", "15551234567", true), 1);
    assert_int_equal(find(ACME, "A1", "0015551234567", "", true), 1);
    assert_int_equal(find(ACME, "A1", "15551234568", "ACME", true), 0);
    assert_int_equal(find(ACME, "A1", "", "", true), 0);
}

static void test_an_id_that_several_have(void **state)
{
    uint64_t id = reference_hash(table, ACME, STR("0"));

    add(ACME, "0", "+15551111111", 70, 0);
    assert_false(reference_table_repeats(table, id));
    add(ACME, "0", "+15552222222", 71, 0);
    assert_true(reference_table_repeats(table, id));
    assert_int_equal(find(ACME, "0", "15551111111", "x", false), 1);
    assert_int_equal(found[0].message, 70);
    assert_int_equal(find(ACME, "0", "x", "15552222222", false), 1);
    assert_int_equal(found[0].message, 71);
    assert_int_equal(find(ACME, "0", "x", "y", false), 0);
}

/* Both the id and the destination: the newest four. */
static void test_nothing_to_tell_them_apart(void **state)
{
    for (int64_t i = 0; i < 6; i++)
        add(ACME, "0", "+15551111111", 70 + i, 0);
    assert_int_equal(find(ACME, "0", "15551111111", "x", false), 4);
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(found[i].message, 75 - i);
}

static void test_parts(void **state)
{
    add(ACME, "A1", "+15551234567", 70, 1);
    add(ACME, "A2", "+15551234567", 70, 2);
    add(ACME, "A3", "+15551234567", 70, 64);
    assert_int_equal(find(ACME, "A2", "", "", false), 1);
    assert_int_equal(found[0].parts, 2);
    assert_int_equal(find(ACME, "A3", "", "", false), 1);
    assert_true(found[0].parts == UINT64_C(1) << 63);
}

/* The same id for all of them: it is one message still. */
static void test_parts_under_one_id(void **state)
{
    for (unsigned part = 1; part <= 3; part++)
        add(ACME, "A1", "+15551234567", 70, part);
    assert_false(reference_table_repeats(table, reference_hash(table, ACME, STR("A1"))));
    assert_int_equal(find(ACME, "A1", "", "", false), 1);
    assert_int_equal(found[0].parts, 7);
}

static void test_the_oldest_make_room(void **state)
{
    char id[16];

    for (int i = 0; i < 5 * ROOM; i++) {
        snprintf(id, sizeof id, "%d", i);
        add(ACME, id, "+15551234567", 1000 + i, 0);
    }
    for (int i = 0; i < 5 * ROOM; i++) {
        snprintf(id, sizeof id, "%d", i);
        assert_int_equal(find(ACME, id, "15551234567", "", true), i >= 4 * ROOM);
        if (i >= 4 * ROOM)
            assert_int_equal(found[0].message, 1000 + i);
    }
}

/* A carrier that gives one id to all fills one list; others are found beside it. */
static void test_one_id_for_all(void **state)
{
    char to[16];

    add(OTHER, "7", "+15559999999", 1, 0);
    for (int i = 0; i < ROOM - 1; i++) {
        snprintf(to, sizeof to, "+1555%07d", i);
        add(ACME, "0", to, 1000 + i, 0);
    }
    for (int i = 0; i < ROOM - 1; i++) {
        snprintf(to, sizeof to, "1555%07d", i);
        assert_int_equal(find(ACME, "0", "x", to, false), 1);
        assert_int_equal(found[0].message, 1000 + i);
    }
    assert_int_equal(find(OTHER, "7", "", "", false), 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_one_message_needs_no_address),
        TEST(test_an_address_that_must_fit),
        TEST(test_an_id_that_several_have),
        TEST(test_nothing_to_tell_them_apart),
        TEST(test_parts),
        TEST(test_parts_under_one_id),
        TEST(test_the_oldest_make_room),
        TEST(test_one_id_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
