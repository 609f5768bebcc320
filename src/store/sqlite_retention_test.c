/* Messages that are past their time go, with all that belongs to them, and in order. */
#include "store/sqlite_internal.h"
#include "store/sqlite_testing.h"
#include "store/test_outbox.h"

#include <stdio.h>

#define MINUTE_US INT64_C(60000000)
enum { KEPT_DAYS = 40 };

static void keep_messages(int64_t days)
{
    struct store_retention kept = *store_retention(test_store);

    kept.messages_us = days * TEST_DAY_US;
    store_set_retention(test_store, &kept);
}

static int set_up(void **state)
{
    int failed = test_set_up(state);

    keep_messages(KEPT_DAYS);
    return failed;
}

#define RETENTION_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, test_tear_down)

static int64_t tally(int64_t account, enum mode mode, enum message_status status)
{
    return test_number("SELECT coalesce(sum(count), 0) FROM tally WHERE owner = %d AND status = %d",
                       (int)account * 2 + (int)mode, (int)status);
}

static int64_t gone(int64_t account, enum mode mode, enum message_status status)
{
    return test_number("SELECT coalesce(sum(count), 0) FROM gone WHERE owner = %d AND status = %d",
                       (int)account * 2 + (int)mode, (int)status);
}

static int64_t total(void)
{
    struct message_page p;

    assert_int_equal(store_message_page(test_reader, 1, MODE_TEST, NULL, 0, 10, &test_arena, &p),
                     0);
    return p.total;
}

static int get(int64_t id)
{
    struct message m;

    return store_message_get(test_reader, 1, MODE_TEST, id, &test_arena, &m);
}

static void pass_days(int64_t days)
{
    test_now_us += days * TEST_DAY_US;
    test_housekeep();
}

static struct message ended(enum message_status status)
{
    struct message m = test_accept(1, MODE_TEST, "x");

    if (status == STATUS_DELIVERED)
        test_move(m.id, UINT32_MAX, STATUS_SENT, 0, test_now_us);
    assert_int_equal(test_move(m.id, UINT32_MAX, status,
                               status == STATUS_FAILED ? FAILURE_NO_ROUTE : 0, test_now_us),
                     1);
    return m;
}

static struct message received(void)
{
    struct message m = test_message(1, MODE_TEST, "x");

    m.direction = DIRECTION_INBOUND;
    m.status = STATUS_RECEIVED;
    test_accept_this(&m);
    return m;
}

/* ---- what goes ---- */

static void test_goes_when_its_time_is_over(void **state)
{
    struct message old = ended(STATUS_DELIVERED);

    test_now_us += 2 * MINUTE_US;
    struct message young = ended(STATUS_DELIVERED);
    test_now_us += KEPT_DAYS * TEST_DAY_US - 2 * MINUTE_US - 1;
    test_housekeep();
    assert_int_equal(get(old.id), 0);
    assert_int_equal(total(), 2);
    test_now_us += MINUTE_US;
    test_housekeep();
    assert_int_equal(get(old.id), -ENOENT);
    assert_int_equal(get(young.id), 0);
    assert_int_equal(total(), 1);
    assert_true(test_number("SELECT id FROM edge") > old.id);
    assert_true(test_number("SELECT id FROM edge") <= young.id);
}

static void test_for_ever(void **state)
{
    struct message m = ended(STATUS_DELIVERED);

    keep_messages(0);
    pass_days(20000);
    assert_int_equal(get(m.id), 0);
    assert_int_equal(test_number("SELECT id FROM edge"), 0);
}

static void test_counts_of_what_is_gone(void **state)
{
    for (int i = 0; i < 3; i++)
        ended(STATUS_DELIVERED);
    ended(STATUS_FAILED);
    ended(STATUS_CANCELLED);
    ended(STATUS_SENT);
    received();
    test_delivered(2, MODE_LIVE);
    pass_days(KEPT_DAYS + 1);
    assert_int_equal(gone(1, MODE_TEST, STATUS_DELIVERED), 3);
    assert_int_equal(gone(1, MODE_TEST, STATUS_FAILED), 1);
    assert_int_equal(gone(1, MODE_TEST, STATUS_CANCELLED), 1);
    assert_int_equal(gone(1, MODE_TEST, STATUS_SENT), 1);
    assert_int_equal(gone(1, MODE_TEST, STATUS_RECEIVED), 1);
    assert_int_equal(gone(2, MODE_LIVE, STATUS_DELIVERED), 1);
    for (enum message_status s = STATUS_SCHEDULED; s <= STATUS_RECEIVED; s++)
        assert_int_equal(tally(1, MODE_TEST, s), 0);
    assert_int_equal(total(), 0);
    ended(STATUS_DELIVERED);
    pass_days(KEPT_DAYS + 1);
    assert_int_equal(gone(1, MODE_TEST, STATUS_DELIVERED), 4);
}

static void add_event(int64_t message)
{
    struct event_record e = {.message = message, .at_us = 5, .kind = 1, .detail = STR("x")};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_event_add(test_store, &e), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static void open_parts(int64_t message)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_parts_open(test_store, message, 3), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static struct batch_record send_batch(int count)
{
    struct batch_record b = {.account = 1, .mode = MODE_TEST, .total = 9};
    struct message m[9];

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_batch_open(test_store, &b), 0);
    for (int i = 0; i < count; i++) {
        m[i] = test_message(1, MODE_TEST, "x");
        m[i].batch = b.id;
        assert_int_equal(store_accept(test_store, &m[i]), 0);
        struct message_move move = {m[i].id, UINT32_MAX, STATUS_DELIVERED, 0, 5};
        assert_int_equal(store_move(test_store, &move), 1);
    }
    assert_int_equal(store_batch_close(test_store, &b), 0);
    assert_int_equal(store_commit(test_store), 0);
    return b;
}

/* All tables that know of messages. */
static const char *const tables[] = {"message",  "work",   "ending",  "standing",
                                     "schedule", "event",  "parts",   "batch",
                                     "delivery", "notice", "attempt", "stray"};

static void test_all_that_belongs_to_it_goes(void **state)
{
    struct message_filter f = {.batch = send_batch(5).id};
    unsigned counts[STATUS_SLOTS];
    struct batch_record b;

    test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    for (int i = 0; i < 100; i++)
        add_event(ended(STATUS_FAILED).id);
    for (int i = 0; i < 300; i++) /* a carrier that repeats itself */
        add_event(f.batch + 1);
    open_parts(ended(STATUS_SENT).id);
    received();
    ended(STATUS_CANCELLED);
    assert_int_equal(store_batch_get(test_reader, 1, MODE_TEST, f.batch, &b, counts), 0);
    pass_days(KEPT_DAYS + 1);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (test_rows_of(tables[i]) != 0)
            fail_msg("rows are left in %s", tables[i]);
    assert_int_equal(store_batch_get(test_reader, 1, MODE_TEST, f.batch, &b, counts), -ENOENT);
}

/* Of a batch that is half gone the other half is there. */
static void test_half_a_batch(void **state)
{
    struct batch_record b = send_batch(5);
    struct message_page p;
    unsigned counts[STATUS_SLOTS] = {0};

    assert_int_equal(test_number("SELECT min(id) FROM message"), b.id + 1);
    assert_int_equal(sqlite3_exec(((struct sqlite_store *)test_store)->db,
                                  "DELETE FROM message WHERE id < (SELECT id FROM message ORDER BY "
                                  "id LIMIT 1 OFFSET 2); UPDATE edge SET id = (SELECT min(id) FROM "
                                  "message)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    store_reader_rest(test_reader);
    assert_int_equal(store_message_page(test_reader, 1, MODE_TEST,
                                        &(struct message_filter){.batch = b.id}, 0, 10, &test_arena,
                                        &p),
                     0);
    assert_int_equal(p.total, 3);
    assert_int_equal(store_batch_get(test_reader, 1, MODE_TEST, b.id, &b, counts), 0);
    assert_int_equal(counts[STATUS_DELIVERED], 3);
}

/* ---- what stays ---- */

/* What is not handed over yet stops the edge, whatever comes after it. */
static void test_what_waits_stays(void **state)
{
    struct message before = ended(STATUS_DELIVERED), queued = test_accept(1, MODE_TEST, "x");
    struct message after = ended(STATUS_DELIVERED);

    pass_days(KEPT_DAYS + 1);
    assert_int_equal(get(before.id), -ENOENT);
    assert_int_equal(get(queued.id), 0);
    assert_int_equal(get(after.id), 0);
    assert_int_equal(total(), 2);
    assert_int_equal(test_number("SELECT id FROM edge"), queued.id);
    assert_int_equal(test_move(queued.id, UINT32_MAX, STATUS_FAILED, 0, test_now_us), 1);
    test_now_us += MINUTE_US;
    test_housekeep();
    assert_int_equal(total(), 0);
    assert_int_equal(gone(1, MODE_TEST, STATUS_FAILED), 1);
}

static void test_what_is_scheduled_stays(void **state)
{
    struct message m = test_message(1, MODE_TEST, "x");

    m.status = STATUS_SCHEDULED;
    m.scheduled_us = test_now_us + 60 * TEST_DAY_US;
    test_accept_this(&m);
    pass_days(KEPT_DAYS + 1);
    assert_int_equal(get(m.id), 0);
    assert_int_equal(test_rows_of("schedule"), 1);
    assert_int_equal(test_move(m.id, UINT32_MAX, STATUS_CANCELLED, 0, test_now_us), 1);
    pass_days(1);
    assert_int_equal(get(m.id), -ENOENT);
}

/* ---- what comes too late ---- */

/* A receipt for a message that is gone changes nothing. */
static void test_sent_ones_go_with_their_work(void **state)
{
    struct message m = ended(STATUS_SENT);
    struct message *work;

    pass_days(KEPT_DAYS + 1);
    assert_int_equal(test_rows_of("work"), 0);
    assert_int_equal(test_open_work(0, 10, &work), 0);
    assert_int_equal(test_move(m.id, UINT32_MAX, STATUS_DELIVERED, 0, test_now_us), 0);
    add_event(m.id); /* that it came, all the same */
    open_parts(m.id);
    assert_int_equal(test_rows_of("ending"), 0);
    assert_int_equal(test_rows_of("notice"), 0);
    assert_int_equal(tally(1, MODE_TEST, STATUS_DELIVERED), 0);
    test_now_us += MINUTE_US;
    test_housekeep();
    assert_int_equal(test_rows_of("event"), 0);
    assert_int_equal(test_rows_of("parts"), 0);
}

/* Its references are not found any more, though they may be kept for longer. */
static void test_references_of_what_is_gone(void **state)
{
    struct message m = ended(STATUS_SENT);
    struct reference_record ref = {.carrier = 2, .id = STR("A1"), .message = m.id}, *found;
    size_t count;

    keep_messages(2);
    test_now_us += 2 * TEST_DAY_US - MINUTE_US;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_reference_add(test_store, &ref), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(store_reference_find(test_reader, 2, ref.id, &test_arena, &found, &count), 0);
    assert_int_equal(count, 1);
    test_now_us += 2 * MINUTE_US;
    test_housekeep();
    assert_int_equal(store_reference_find(test_reader, 2, ref.id, &test_arena, &found, &count), 0);
    assert_int_equal(count, 0);
    assert_int_equal(test_rows_of("reference"), 1);
}

/* A notice may be younger than its message, and live longer. */
static void test_notices_of_what_is_gone(void **state)
{
    struct message m = ended(STATUS_SENT), then;
    struct notice_record *n;
    size_t count;

    test_now_us += (KEPT_DAYS - 1) * TEST_DAY_US;
    assert_int_equal(test_move(m.id, UINT32_MAX, STATUS_DELIVERED, 0, test_now_us), 1);
    pass_days(2);
    assert_int_equal(get(m.id), -ENOENT);
    assert_int_equal(store_notice_list(test_reader, 1, MODE_TEST,
                                       &(struct notice_query){.limit = 10}, &test_arena, &n,
                                       &count),
                     0);
    assert_int_equal(count, 1);
    assert_int_equal(n[0].message, m.id);
    assert_int_equal(store_message_at(test_reader, &n[0], &test_arena, &then), -ENOENT);
}

static void test_cursors_to_what_is_gone(void **state)
{
    struct message m = ended(STATUS_DELIVERED);
    struct message_page p;

    pass_days(KEPT_DAYS + 1);
    ended(STATUS_DELIVERED);
    assert_int_equal(store_message_page(test_reader, 1, MODE_TEST, NULL, m.id, 10, &test_arena, &p),
                     -ENOENT);
    assert_int_equal(store_message_page(test_reader, 1, MODE_TEST,
                                        &(struct message_filter){.to = m.to}, m.id, 10, &test_arena,
                                        &p),
                     -ENOENT);
}

/* ---- numbers ---- */

/* However far ahead the clock was for a while: what is accepted afterwards is not behind the edge.
 */
static void test_clock_that_was_ahead(void **state)
{
    struct message_page p;

    ended(STATUS_DELIVERED);
    int64_t now_us = test_now_us;
    pass_days(3 * KEPT_DAYS);
    assert_int_equal(total(), 0);
    test_now_us = now_us + 1000;
    for (int i = 0; i < 2; i++) {
        struct message m = ended(STATUS_DELIVERED);
        assert_true(m.id >= test_number("SELECT id FROM edge"));
        assert_int_equal(store_message_page(test_reader, 1, MODE_TEST,
                                            &(struct message_filter){.to = m.to}, 0, 10,
                                            &test_arena, &p),
                         0);
        assert_int_equal(p.total, i + 1);
        test_close(); /* nor after a start */
        test_open();
    }
}

/* After a start without any message numbers go on behind the edge. */
static void test_numbers_go_on(void **state)
{
    ended(STATUS_DELIVERED);
    pass_days(KEPT_DAYS + 1);
    int64_t edge = test_number("SELECT id FROM edge");
    test_close();
    test_now_us -= 200 * TEST_DAY_US;
    test_open();
    assert_true(test_accept(1, MODE_TEST, "x").id >= edge);
}

static int refuse(void *context)
{
    return 1;
}

/* A step that cannot be committed has not happened, and is done again. */
static void test_failed_step(void **state)
{
    struct sqlite_store *s = (struct sqlite_store *)test_store;
    struct message m = ended(STATUS_SENT);

    test_now_us += (KEPT_DAYS + 1) * TEST_DAY_US;
    sqlite3_commit_hook(s->db, refuse, NULL);
    store_housekeep(test_store, true);
    sqlite3_commit_hook(s->db, NULL, NULL);
    s->housekeep_us = 0;
    store_reader_rest(test_reader);
    assert_int_equal(get(m.id), 0);
    assert_int_equal(test_number("SELECT id FROM edge"), 0);
    assert_int_equal(test_move(m.id, UINT32_MAX, STATUS_DELIVERED, 0, test_now_us), 1);
    test_housekeep();
    assert_int_equal(get(m.id), -ENOENT);
    assert_int_equal(gone(1, MODE_TEST, STATUS_DELIVERED), 1);
    assert_int_equal(gone(1, MODE_TEST, STATUS_SENT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RETENTION_TEST(test_goes_when_its_time_is_over),
        RETENTION_TEST(test_for_ever),
        RETENTION_TEST(test_counts_of_what_is_gone),
        RETENTION_TEST(test_all_that_belongs_to_it_goes),
        RETENTION_TEST(test_half_a_batch),
        RETENTION_TEST(test_what_waits_stays),
        RETENTION_TEST(test_what_is_scheduled_stays),
        RETENTION_TEST(test_sent_ones_go_with_their_work),
        RETENTION_TEST(test_references_of_what_is_gone),
        RETENTION_TEST(test_notices_of_what_is_gone),
        RETENTION_TEST(test_cursors_to_what_is_gone),
        RETENTION_TEST(test_clock_that_was_ahead),
        RETENTION_TEST(test_numbers_go_on),
        RETENTION_TEST(test_failed_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
