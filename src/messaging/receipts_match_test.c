/* Which message a receipt is about, and which part of it. */
#include "messaging/test_receipts.h"

static void test_unmatched(void **state)
{
    struct message m = test_take("+15551234567", "A1");
    struct stray_record *list;

    assert_int_equal(test_tell("B1", RECEIPT_DELIVERED), 1);
    assert_int_equal(test_status(&m), STATUS_SENT);
    assert_int_equal(test_strays(&list), 1);
    assert_int_equal(list[0].carrier, ACME);
    assert_true(str_is(list[0].reference, "B1"));
    assert_true(str_is(list[0].source, "15551234567"));
    assert_true(str_is(list[0].destination, "ACME"));
    assert_true(str_is(list[0].raw, "id:A1 stat:DELIVRD"));
    assert_int_equal(receipts_counts(test_receipts).strays, 1);
}

static void test_no_id_at_all(void **state)
{
    struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, NULL, 0);
    struct stray_record *list;

    test_take("+15551234567", "");
    assert_int_equal(test_tell_this(&r), 1);
    assert_int_equal(test_tell("", RECEIPT_DELIVERED), 1);
    assert_int_equal(test_strays(&list), 2);
    assert_true(str_is(list[0].reference, ""));
}

static void test_another_carrier_s_id(void **state)
{
    struct str ids[] = {STR("A1")};
    struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, ids, 1);
    struct message m = test_take("+15551234567", "A1");

    r.carrier = OTHER;
    assert_int_equal(test_tell_this(&r), 1);
    assert_int_equal(test_status(&m), STATUS_SENT);
}

/* The answer was in hexadecimal, the receipt is in decimal: a way that is not the first needs the
 * address, too. */
static void test_other_ways(void **state)
{
    struct str ids[] = {STR("40961"), STR("040961"), STR("a001")};
    struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, ids, 3);
    struct message m = test_take("+15551234567", "a001");

    for (int i = 0; i < 2; i++) {
        r.source = STR("15559999999");
        assert_int_equal(test_tell_this(&r), 1);
        assert_int_equal(test_status(&m), STATUS_SENT);
        test_forget(); /* the store thinks the same */
    }
    r.source = STR("15551234567");
    assert_int_equal(test_tell_this(&r), 0);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
}

static void test_other_ways_early(void **state)
{
    struct str ids[] = {STR("40961"), STR("a001")};
    struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, ids, 2);
    struct message m = test_accept_to("+15551234567"), stranger = test_accept_to("+15557654321");

    assert_int_equal(test_tell_this(&r), 1);
    test_answer_with(&stranger, "a001");
    test_settle();
    assert_int_equal(test_status(&stranger), STATUS_SENT);
    test_answer_with(&m, "a001");
    test_settle();
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
}

/* Where only one message has the id, addresses may look as they like. */
static void test_addresses_that_say_nothing(void **state)
{
    struct message one = test_take("+15551234567", "A1"), two = test_take("+15551234567", "A2");

    assert_int_equal(test_tell_from("A1", "", ""), 0);
    assert_int_equal(test_status(&one), STATUS_DELIVERED);
    test_forget();
    assert_int_equal(test_tell_from("A2", "5551234567", "ACME"), 0);
    assert_int_equal(test_status(&two), STATUS_DELIVERED);
}

static void test_an_id_for_several_destinations(void **state)
{
    for (int restarted = 0; restarted < 2; restarted++) {
        struct message m[3] = {test_take("+15551111111", "0"), test_take("+15552222222", "0"),
                               test_take("+15553333333", "0")};
        if (restarted)
            test_forget();
        assert_int_equal(test_tell_from("0", "15552222222", "ACME"), 0);
        assert_int_equal(test_status(&m[0]), STATUS_SENT);
        assert_int_equal(test_status(&m[1]), STATUS_DELIVERED);
        assert_int_equal(test_status(&m[2]), STATUS_SENT);
        /* Not swapped. */
        assert_int_equal(test_tell_from("0", "ACME", "+15551111111"), 0);
        assert_int_equal(test_status(&m[0]), STATUS_DELIVERED);
        assert_int_equal(test_status(&m[2]), STATUS_SENT);
        assert_int_equal(test_tell_from("0", "ACME", "15559999999"), 1);
    }
}

/* Nothing tells them apart: each receipt is for one that waits for it. */
static void test_an_id_for_one_destination(void **state)
{
    for (int restarted = 0; restarted < 2; restarted++) {
        struct message m[3] = {test_take("+15551234567", "0"), test_take("+15551234567", "0"),
                               test_take("+15551234567", "0")};
        if (restarted)
            test_forget();
        for (int i = 0; i < 3; i++)
            assert_int_equal(test_tell("0", RECEIPT_DELIVERED), 0);
        for (int i = 0; i < 3; i++)
            assert_int_equal(test_status(&m[i]), STATUS_DELIVERED);
    }
}

static void test_after_a_restart(void **state)
{
    struct message m = test_take("+15551234567", "A1");

    test_forget();
    atomic_fetch_add(&test_now_us, INT64_C(72) * 3600 * 1000000);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    test_assert_event(&m, 1, EVENT_LATE_RECEIPT);
}

/* The carrier knows of it, whatever the store thinks: sent, then delivered. */
static void test_the_answer_was_lost(void **state)
{
    struct message one = test_accept_to("+15551234567"), two = test_accept_to("+15551234567");

    receipts_expect(test_receipts, ACME, &one, &STR("A1"), 1);
    receipts_expect(test_receipts, ACME, &two, &STR("A2"), 1);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    struct message read = test_look(one.id);
    assert_int_equal(read.status, STATUS_DELIVERED);
    assert_int_equal(read.sent_us, read.delivered_us);
    assert_int_equal(test_tell("A2", RECEIPT_FAILED), 0);
    read = test_look(two.id);
    assert_int_equal(read.status, STATUS_FAILED);
    assert_true(read.sent_us > 0);
}

/* ---- parts ---- */

static struct message take_parts(const char *const ids[PARTS_MAX])
{
    struct message m = test_accept_to("+15551234567");

    test_answer_parts(&m, ids, PARTS_MAX);
    test_settle();
    return m;
}

static void test_delivered_when_all_are(void **state)
{
    static const char *const ids[] = {"A1", "A2", "A3"};

    for (int restarted = 0; restarted < 2; restarted++) {
        struct message m = take_parts(ids);
        assert_int_equal(test_tell("A3", RECEIPT_DELIVERED), 0);
        test_assert_event(&m, 1, EVENT_RECEIPT);
        assert_int_equal(test_tell("A3", RECEIPT_DELIVERED), 0);
        test_assert_event(&m, 2, EVENT_LATE_RECEIPT);
        if (restarted)
            test_forget();
        assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
        assert_int_equal(test_status(&m), STATUS_SENT);
        assert_int_equal(test_tell("A2", RECEIPT_DELIVERED), 0);
        assert_int_equal(test_status(&m), STATUS_DELIVERED);
        assert_int_equal(test_tell("A2", RECEIPT_DELIVERED), 0);
        test_assert_event(&m, 4, EVENT_LATE_RECEIPT);
    }
}

static void test_failed_when_one_is(void **state)
{
    static const char *const ids[] = {"A1", "A2", "A3"};
    struct message m = take_parts(ids);

    test_tell("A1", RECEIPT_DELIVERED);
    assert_int_equal(test_tell("A2", RECEIPT_FAILED), 0);
    assert_int_equal(test_status(&m), STATUS_FAILED);
    assert_int_equal(test_tell("A3", RECEIPT_DELIVERED), 0);
    test_assert_event(&m, 3, EVENT_LATE_RECEIPT);
    assert_int_equal(test_status(&m), STATUS_FAILED);
}

static void test_parts_under_one_id(void **state)
{
    static const char *const ids[] = {"A1", "A1", "A1"};

    for (int restarted = 0; restarted < 2; restarted++) {
        struct message m = take_parts(ids);
        if (restarted)
            test_forget();
        test_tell("A1", RECEIPT_DELIVERED);
        test_tell("A1", RECEIPT_DELIVERED);
        assert_int_equal(test_status(&m), STATUS_SENT);
        test_tell("A1", RECEIPT_DELIVERED);
        assert_int_equal(test_status(&m), STATUS_DELIVERED);
        test_settle();
    }
}

/* Nobody can tell of a part that has no id. */
static void test_parts_without_an_id(void **state)
{
    static const char *const two[] = {"", "A2", "A3"}, *const one[] = {"", "B2", ""};
    struct message m = take_parts(two), n = take_parts(one);

    test_tell("A2", RECEIPT_DELIVERED);
    assert_int_equal(test_status(&m), STATUS_SENT);
    test_tell("A3", RECEIPT_DELIVERED);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    test_tell("B2", RECEIPT_DELIVERED);
    assert_int_equal(test_status(&n), STATUS_DELIVERED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIPTS_TEST(test_unmatched),
        RECEIPTS_TEST(test_no_id_at_all),
        RECEIPTS_TEST(test_another_carrier_s_id),
        RECEIPTS_TEST(test_other_ways),
        RECEIPTS_TEST(test_other_ways_early),
        RECEIPTS_TEST(test_addresses_that_say_nothing),
        RECEIPTS_TEST(test_an_id_for_several_destinations),
        RECEIPTS_TEST(test_an_id_for_one_destination),
        RECEIPTS_TEST(test_after_a_restart),
        RECEIPTS_TEST(test_the_answer_was_lost),
        RECEIPTS_TEST(test_delivered_when_all_are),
        RECEIPTS_TEST(test_failed_when_one_is),
        RECEIPTS_TEST(test_parts_under_one_id),
        RECEIPTS_TEST(test_parts_without_an_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
