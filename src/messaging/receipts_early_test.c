/* Receipts that come before the carrier's answer. */
#include "messaging/test_receipts.h"

#include <errno.h>

static void test_early(void **state)
{
    struct message m = test_accept_to("+15551234567");
    int64_t early_us = atomic_load(&test_now_us);

    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 1);
    assert_int_equal(test_stray_count(), 1);
    atomic_fetch_add(&test_now_us, 1000);
    test_answer_with(&m, "A1");
    test_settle();
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(test_look(m.id).delivered_us, early_us);
    assert_int_equal(test_stray_count(), 0);
    struct receipts_counts c = receipts_counts(test_receipts);
    assert_int_equal(c.early, 1);
    assert_int_equal(c.matched, 1);
    assert_int_equal(c.strays, 1);
}

/* The answer comes while the stray is still on its way to the disk. */
static void test_early_and_the_answer_at_once(void **state)
{
    struct message m = test_accept_to("+15551234567");
    struct str ids[] = {STR("A1")};
    struct carrier_receipt r = test_receipt(RECEIPT_FAILED, ids, 1);
    struct test_answer a = {0};

    test_close_gate();
    receipts_take(test_receipts, &r, test_note_answer, &a);
    test_answer_with(&m, "A1");
    test_open_gate();
    test_settle();
    assert_int_equal(a.count, 1);
    assert_int_equal(a.result, 1);
    assert_int_equal(test_status(&m), STATUS_FAILED);
    assert_true(test_look(m.id).sent_us > 0);
    assert_int_equal(test_stray_count(), 0);
}

static void test_several_early_ones_keep_their_order(void **state)
{
    struct message m = test_accept_to("+15551234567");
    struct event_record *list;

    test_tell("A1", RECEIPT_ON_ITS_WAY);
    test_tell("A1", RECEIPT_DELIVERED);
    test_tell("A1", RECEIPT_DELIVERED);
    assert_int_equal(test_stray_count(), 3);
    test_answer_with(&m, "A1");
    test_settle();
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(test_events(&m, &list), 2);
    assert_int_equal(list[0].kind, EVENT_RECEIPT);
    assert_int_equal(list[1].kind, EVENT_LATE_RECEIPT);
    assert_int_equal(test_stray_count(), 0);
}

static void test_too_early(void **state)
{
    struct message m = test_accept_to("+15551234567");

    test_tell("A1", RECEIPT_DELIVERED);
    atomic_fetch_add(&test_now_us, 59000000);
    receipts_tick(test_receipts);
    test_tell("A2", RECEIPT_DELIVERED);
    atomic_fetch_add(&test_now_us, 2000000);
    receipts_tick(test_receipts);
    test_answer_with(&m, "A1");
    test_settle();
    assert_int_equal(test_status(&m), STATUS_SENT);
    assert_int_equal(test_stray_count(), 2);
    struct message other = test_take("+15551234567", "A2");
    assert_int_equal(test_status(&other), STATUS_DELIVERED);
    assert_int_equal(test_stray_count(), 1);
}

static void test_early_for_somebody_else(void **state)
{
    struct message one = test_take("+15551111111", "0"), two = test_accept_to("+15552222222");

    test_tell_from("0", "15551111111", "ACME");
    assert_int_equal(test_status(&one), STATUS_DELIVERED);
    test_forget();
    /* Of two that wait for the same id the address tells which is meant. */
    struct message three = test_take("+15553333333", "7"), four = test_accept_to("+15554444444");
    assert_int_equal(test_status(&three), STATUS_SENT);
    test_tell_from("8", "15554444444", "ACME");
    test_tell_from("8", "15552222222", "ACME");
    test_answer_with(&two, "8");
    test_answer_with(&four, "8");
    test_settle();
    assert_int_equal(test_status(&two), STATUS_DELIVERED);
    assert_int_equal(test_status(&four), STATUS_DELIVERED);
}

/* When several have the id already, only the right address will do. */
static void test_early_with_an_id_that_several_have(void **state)
{
    struct message other = test_accept_to("+15553333333"), right = test_accept_to("+15554444444");

    test_take("+15551111111", "0");
    test_take("+15552222222", "0");
    assert_int_equal(test_tell_from("0", "15554444444", "ACME"), 1);
    test_answer_with(&other, "0");
    test_settle();
    assert_int_equal(test_status(&other), STATUS_SENT);
    test_answer_with(&right, "0");
    test_settle();
    assert_int_equal(test_status(&right), STATUS_DELIVERED);
}

/* The stray could not be written, so the carrier sends it again: nobody keeps the first. */
static void test_an_early_one_that_was_not_written(void **state)
{
    struct message m = test_accept_to("+15551234567");

    test_fail_commits(1);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), -EIO);
    test_answer_with(&m, "A1");
    test_settle();
    assert_int_equal(test_status(&m), STATUS_SENT);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
}

/* What the carrier will not send again is not given up. */
static void test_an_early_one_is_owed(void **state)
{
    struct message m = test_accept_to("+15551234567");

    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 1);
    test_close_gate();
    test_answer_with(&m, "A1");
    assert_true(test_bring_home());
    test_fail_commits(3); /* that of the gate, and twice that of the two behind it */
    test_open_gate();
    test_settle();
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(test_stray_count(), 0);
}

static void test_early_parts(void **state)
{
    static const char *const ids[] = {"A1", "A2", "A3"};
    struct message m = test_accept_to("+15551234567");

    test_tell("A2", RECEIPT_DELIVERED);
    test_tell("A1", RECEIPT_DELIVERED);
    test_answer_parts(&m, ids, PARTS_MAX);
    test_settle();
    assert_int_equal(test_status(&m), STATUS_SENT);
    test_tell("A3", RECEIPT_DELIVERED);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(test_stray_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIPTS_TEST(test_early),
        RECEIPTS_TEST(test_early_and_the_answer_at_once),
        RECEIPTS_TEST(test_several_early_ones_keep_their_order),
        RECEIPTS_TEST(test_too_early),
        RECEIPTS_TEST(test_early_for_somebody_else),
        RECEIPTS_TEST(test_early_with_an_id_that_several_have),
        RECEIPTS_TEST(test_an_early_one_that_was_not_written),
        RECEIPTS_TEST(test_an_early_one_is_owed),
        RECEIPTS_TEST(test_early_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
