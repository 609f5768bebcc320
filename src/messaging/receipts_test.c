/* What receipts change, and what becomes of them in trouble and in great number. */
#include "messaging/errand.h"
#include "messaging/test_receipts.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static void test_in_order(void **state)
{
    struct message m = test_take("+15551234567", "A1");

    atomic_fetch_add(&test_now_us, 1000);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    struct message read = test_look(m.id);
    assert_int_equal(read.status, STATUS_DELIVERED);
    assert_int_equal(read.sent_us, atomic_load(&test_now_us) - 1000);
    assert_int_equal(read.delivered_us, atomic_load(&test_now_us));
    struct event_record *list;
    assert_int_equal(test_events(&m, &list), 0);
    assert_int_equal(test_stray_count(), 0);
    assert_int_equal(receipts_counts(test_receipts).matched, 1);
}

static void test_failed(void **state)
{
    struct message m = test_take("+15551234567", "A1");

    assert_int_equal(test_tell("A1", RECEIPT_FAILED), 0);
    assert_int_equal(test_status(&m), STATUS_FAILED);
    assert_int_equal(test_look(m.id).failure, FAILURE_UNDELIVERABLE);
    test_assert_event(&m, 1, EVENT_RECEIPT);
}

static void test_on_its_way_changes_nothing(void **state)
{
    struct message m = test_take("+15551234567", "A1");

    assert_int_equal(test_tell("A1", RECEIPT_ON_ITS_WAY), 0);
    assert_int_equal(test_status(&m), STATUS_SENT);
    test_assert_event(&m, 1, EVENT_RECEIPT);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
}

static void test_repeated_and_late(void **state)
{
    struct message m = test_take("+15551234567", "A1");

    test_tell("A1", RECEIPT_DELIVERED);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    test_assert_event(&m, 1, EVENT_LATE_RECEIPT);
    assert_int_equal(test_tell("A1", RECEIPT_FAILED), 0);
    test_assert_event(&m, 2, EVENT_LATE_RECEIPT);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(receipts_counts(test_receipts).matched, 1);
    assert_int_equal(receipts_counts(test_receipts).repeated, 2);
}

static void test_out_of_order(void **state)
{
    struct message one = test_take("+15551234567", "A1"), two = test_take("+15551234567", "A2");

    assert_int_equal(test_tell("A2", RECEIPT_DELIVERED), 0);
    assert_int_equal(test_status(&one), STATUS_SENT);
    assert_int_equal(test_status(&two), STATUS_DELIVERED);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    assert_int_equal(test_tell("A1", RECEIPT_ON_ITS_WAY), 0);
    assert_int_equal(test_status(&one), STATUS_DELIVERED);
}

/* Nobody waits for the disk: the receipt is behind the answer in the writer's queue. */
static void test_the_answer_is_not_on_disk_yet(void **state)
{
    struct message m = test_accept_to("+15551234567");
    struct str ids[] = {STR("A1")};
    struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, ids, 1);
    struct test_answer a = {0};

    test_close_gate();
    test_answer_with(&m, "A1");
    atomic_fetch_add(&test_now_us, 1000);
    receipts_take(test_receipts, &r, test_note_answer, &a);
    assert_int_equal(test_status(&m), STATUS_QUEUED);
    assert_int_equal(a.count, 0);
    test_open_gate();
    test_settle();
    assert_int_equal(a.count, 1);
    assert_int_equal(a.result, 0);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(test_look(m.id).delivered_us - test_look(m.id).sent_us, 1000);
}

/* ---- trouble ---- */

static void test_what_cannot_be_written_comes_again(void **state)
{
    struct message m = test_take("+15551234567", "A1");

    test_fail_commits(1);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), -EIO);
    assert_int_equal(test_status(&m), STATUS_SENT);
    assert_int_equal(receipts_counts(test_receipts).matched, 0);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 0);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
}

static void test_when_too_much_waits(void **state)
{
    struct str ids[] = {STR("A1")};
    struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, ids, 1);
    struct test_answer answers[TEST_WAITING_MAX + 1] = {0};

    test_take("+15551234567", "A1");
    test_close_gate();
    for (size_t i = 0; i <= TEST_WAITING_MAX; i++)
        receipts_take(test_receipts, &r, test_note_answer, &answers[i]);
    test_open_gate();
    test_settle();
    for (size_t i = 0; i <= TEST_WAITING_MAX; i++) {
        assert_int_equal(answers[i].count, 1);
        assert_int_equal(answers[i].result, i < TEST_WAITING_MAX ? 0 : -EAGAIN);
    }
}

/* Those on their way when the program stops are answered, too. */
static void test_a_stop_in_between(void **state)
{
    struct str ids[] = {STR("A1")};
    struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, ids, 1);
    struct test_answer written = {0}, late = {0};
    struct message m = test_accept_to("+15551234567");

    receipts_take(test_receipts, &r, test_note_answer, &written);
    receipts_expect(test_receipts, ACME, &m, ids, 1);
    writer_stop(test_writer);
    receipts_take(test_receipts, &r, test_note_answer, &late);
    test_bring_home();
    assert_int_equal(written.count, 1);
    assert_int_equal(late.count, 1);
    assert_int_equal(late.result, -ESHUTDOWN);
    writer_free(test_writer);
    struct writer_options w = {.store = test_store, .max_waiting = TEST_WAITING_MAX};
    assert_int_equal(writer_start(&test_writer, &w), 0);
    assert_int_equal(test_stray_count(), 1);
}

/* ---- many ---- */

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) ||                           \
    defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { GROWTH_KIB = 1 << 20 }; /* they keep what was freed, and books on all of it */
#else
enum { GROWTH_KIB = 32 << 10 };
#endif

static size_t resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*s %ld", &pages), 1);
    fclose(file);
    return (size_t)(pages * sysconf(_SC_PAGESIZE) / 1024);
}

static void count_done(void *context, int result)
{
    assert_true(result >= 0);
    ++*(size_t *)context;
}

/* A carrier that sends receipts for messages that are not ours, at full speed. */
static void test_memory_is_bounded(void **state)
{
    enum { RECEIPTS = 100000, STEP = 500 };
    size_t before = resident_kib(), done = 0;

    for (int i = 0; i < RECEIPTS; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        struct str ids[] = {str_of(id)};
        struct carrier_receipt r = test_receipt(RECEIPT_DELIVERED, ids, 1);
        receipts_take(test_receipts, &r, count_done, &done);
        if (i % STEP == STEP - 1)
            test_settle();
    }
    test_settle();
    assert_int_equal(done, RECEIPTS);
    assert_int_equal(receipts_counts(test_receipts).strays, RECEIPTS);
    assert_true(resident_kib() < before + GROWTH_KIB);
}

/* ---- messages that are past their time ---- */

#define DAY_US (24 * INT64_C(3600000000))

static int apply_retention(struct write_job *job, struct store *s)
{
    struct store_retention kept = *store_retention(s);

    kept.messages_us = 2 * DAY_US;
    store_set_retention(s, &kept);
    return 0;
}

static void nothing_back(struct errand *e)
{
}

/* Two days later the writer has dropped it. */
static void wait_until_gone(const struct message *m)
{
    struct errand errand;
    struct message read;

    errand_init(&errand, &test_home, apply_retention, nothing_back);
    errand_owe(&errand, test_writer);
    test_settle();
    atomic_fetch_add(&test_now_us, 2 * DAY_US + 120000000);
    while (store_message_find(test_reader, m->id, &test_arena, &read) != -ENOENT) {
        store_reader_rest(test_reader);
        usleep(1000);
    }
}

/* It is known by its reference for a while longer, to memory and to the store. */
static void test_the_message_is_gone(void **state)
{
    struct message m = test_take("+15551234567", "A1");
    struct event_record *list;

    wait_until_gone(&m);
    assert_int_equal(test_tell("A1", RECEIPT_DELIVERED), 1);
    assert_int_equal(test_stray_count(), 1);
    assert_int_equal(receipts_counts(test_receipts).strays, 1);
    assert_int_equal(receipts_counts(test_receipts).matched, 0);
    test_forget();
    assert_int_equal(test_tell("A1", RECEIPT_FAILED), 1);
    assert_int_equal(test_stray_count(), 2);
    assert_int_equal(test_events(&m, &list), 0);
}

static void test_many_messages(void **state)
{
    enum { MESSAGES = 70000, STEP = 500 };
    struct message m = test_accept_to("+15551234567");
    size_t done = 0;

    /* More ids than memory has room for: the last of them are there. */
    for (int i = 0; i < MESSAGES; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        receipts_expect(test_receipts, ACME, &m, &(struct str){id, strlen(id)}, 1);
    }
    for (int i = MESSAGES - 2 * STEP; i < MESSAGES; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        struct str ids[] = {str_of(id)};
        struct carrier_receipt r = test_receipt(RECEIPT_ON_ITS_WAY, ids, 1);
        receipts_take(test_receipts, &r, count_done, &done);
        if (i % STEP == STEP - 1)
            test_settle();
    }
    assert_int_equal(done, 2 * STEP);
    assert_int_equal(receipts_counts(test_receipts).matched, 2 * STEP);
    assert_int_equal(test_stray_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIPTS_TEST(test_in_order),
        RECEIPTS_TEST(test_failed),
        RECEIPTS_TEST(test_on_its_way_changes_nothing),
        RECEIPTS_TEST(test_repeated_and_late),
        RECEIPTS_TEST(test_out_of_order),
        RECEIPTS_TEST(test_the_answer_is_not_on_disk_yet),
        RECEIPTS_TEST(test_what_cannot_be_written_comes_again),
        RECEIPTS_TEST(test_when_too_much_waits),
        RECEIPTS_TEST(test_a_stop_in_between),
        RECEIPTS_TEST(test_memory_is_bounded),
        RECEIPTS_TEST(test_the_message_is_gone),
        RECEIPTS_TEST(test_many_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
