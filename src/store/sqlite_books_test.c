/* That the books find whatever was counted wrong. */
#include "store/sqlite_books.h"

#include "store/sqlite_testing.h"

#include <sqlite3.h>
#include <stdio.h>

static struct books look(bool scan)
{
    struct books b;

    test_close();
    test_open();
    assert_int_equal(store_books(test_reader, scan, &b), 0);
    return b;
}

static void expect_right(void)
{
    for (int scan = 0; scan < 2; scan++) {
        struct books b = look(scan);
        assert_string_equal(b.first, "");
        assert_int_equal(b.differences, 0);
    }
}

/* One of each status that does not wait, of one account; 2025-11-15T01Z. */
static void fill_done(void)
{
    struct message m = test_accept(1, MODE_LIVE, "sent");

    assert_int_equal(test_move(m.id, ~0u, STATUS_SENT, 0, test_now_us + 5), 1);
    m = test_accept(1, MODE_LIVE, "delivered");
    assert_int_equal(test_move(m.id, ~0u, STATUS_SENT, 0, test_now_us + 5), 1);
    assert_int_equal(test_move(m.id, ~0u, STATUS_DELIVERED, 0, test_now_us + 1234567), 1);
    m = test_accept(1, MODE_LIVE, "failed");
    assert_int_equal(test_move(m.id, ~0u, STATUS_FAILED, FAILURE_UNREACHABLE, test_now_us), 1);
    m = test_accept(1, MODE_LIVE, "cancelled");
    assert_int_equal(test_move(m.id, ~0u, STATUS_CANCELLED, 0, test_now_us), 1);
    m = test_message(1, MODE_LIVE, "received");
    m.status = STATUS_RECEIVED;
    m.direction = DIRECTION_INBOUND;
    test_accept_this(&m);
}

/* One of each status. */
static void fill(void)
{
    struct message m = test_message(1, MODE_LIVE, "queued");

    m.carrier = 7;
    test_accept_this(&m);
    fill_done();
    m = test_message(1, MODE_LIVE, "scheduled");
    m.status = STATUS_SCHEDULED;
    m.scheduled_us = test_now_us + 1000;
    test_accept_this(&m);
}

static void test_right_books(void **state)
{
    expect_right();
    fill();
    test_now_us += INT64_C(86400000000);
    fill();
    test_accept(2, MODE_TEST, "another's");
    expect_right();
    struct books b = look(true);
    assert_int_equal(b.accepted, 15);
    assert_int_equal(b.messages, 15);
    assert_int_equal(b.delivered, 2);
    assert_int_equal(b.failed, 2);
    assert_int_equal(b.cancelled, 2);
    assert_int_equal(b.received, 2);
    assert_int_equal(b.in_flight, 7);
}

/* ---- counts that are wrong ---- */

/* Reads the row of the series 2, changes it and writes it back. */
static void spoil(enum grain grain, void (*change)(struct rollup *r))
{
    static const char get[] = "SELECT c.counts, t.times FROM rollup AS c, rollup AS t"
                              " WHERE c.owner = 3 AND t.owner = 3 AND c.grain = ?1 AND t.grain = ?2"
                              " AND t.start = c.start AND t.chunk = c.chunk";
    static const char *const puts[] = {
        "UPDATE rollup SET counts = ?2 WHERE owner = 3 AND grain = ?1",
        "UPDATE rollup SET times = ?2 WHERE owner = 3 AND grain = ?1"};
    enum grain times_grain = grain == GRAIN_HOUR ? GRAIN_TIMES : grain;
    uint8_t bytes[4096], *to = bytes, times[4096], *times_to = times;
    struct rollup_unpack u;
    struct rollup r;
    sqlite3_stmt *statement;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, get, -1, &statement, NULL), SQLITE_OK);
    sqlite3_bind_int(statement, 1, grain);
    sqlite3_bind_int(statement, 2, times_grain);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    rollup_unpack_row(&u, statement, 0, true);
    while (rollup_unpack_next(&u)) {
        assert_int_equal(rollup_unpack_all(&u, &test_arena, &r), 0);
        if (u.place == 2)
            change(&r);
        to = rollup_pack(to, u.place, &r);
        times_to = rollup_pack_times(times_to, &r);
    }
    sqlite3_finalize(statement);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sqlite3_prepare_v2(db, puts[i], -1, &statement, NULL), SQLITE_OK);
        sqlite3_bind_int(statement, 1, i ? times_grain : grain);
        sqlite3_bind_blob(statement, 2, i ? times : bytes, (int)(i ? times_to - times : to - bytes),
                          SQLITE_STATIC);
        assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
        sqlite3_finalize(statement);
    }
    sqlite3_close(db);
}

static void spoil_accepted(struct rollup *r)
{
    r->accepted++;
}

static void spoil_status(struct rollup *r)
{
    r->statuses[STATUS_DELIVERED]--;
    r->statuses[STATUS_FAILED]++;
}

static void spoil_segments(struct rollup *r)
{
    r->segments--;
}

static void spoil_cost(struct rollup *r)
{
    r->cost_micros++;
}

static void spoil_time(struct rollup *r)
{
    r->delivery_ms++;
}

static void spoil_failure(struct rollup *r)
{
    r->failures.at[0].slot++;
}

static void spoil_times(struct rollup *r)
{
    r->times.at[0].count++;
}

static void test_every_count_is_looked_at(void **state)
{
    static const struct {
        void (*change)(struct rollup *r);
        const char *hour, *day; /* the first difference */
        bool quick;             /* days are found without a scan */
    } cases[] = {
        {spoil_accepted, "account 1, live, hour 2025-11-15T01: 7 accepted are counted, 6 are there",
         "account 1, live, all days: 8 accepted are counted, 7 by status", true},
        {spoil_status, "account 1, live, hour 2025-11-15T01: 0 delivered are counted, 1 are there",
         "account 1, live, all days: 0 delivered are counted, 1 are there", true},
        {spoil_segments,
         "account 1, live, hour 2025-11-15T01: 17 segments are counted, 18 are there",
         "account 1, live, day 2025-11-15: 17 segments are counted, 18 are there", false},
        {spoil_cost,
         "account 1, live, hour 2025-11-15T01: 675001 micro-units of cost are counted, 675000 are "
         "there",
         "account 1, live, day 2025-11-15: 675001 micro-units of cost are counted, 675000 are "
         "there",
         false},
        {spoil_time,
         "account 1, live, hour 2025-11-15T01: 1235 milliseconds to delivery are counted, 1234 are "
         "there",
         "account 1, live, day 2025-11-15: 1235 milliseconds to delivery are counted, 1234 are "
         "there",
         false},
        {spoil_failure,
         "account 1, live, hour 2025-11-15T01: 0 failures of a kind are counted, 1 are there",
         "account 1, live, day 2025-11-15: 0 failures of a kind are counted, 1 are there", false},
        {spoil_times,
         "account 1, live, hour 2025-11-15T01: 2 of a time to delivery are counted, 1 are there",
         "account 1, live, day 2025-11-15: 2 of a time to delivery are counted, 1 are there",
         false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_tear_down(NULL);
        test_set_up(NULL);
        fill();
        spoil(GRAIN_HOUR, cases[i].change);
        assert_int_equal(look(false).differences, 0);
        struct books b = look(true);
        assert_string_equal(b.first, cases[i].hour);

        /* Now the day says the same as its hour. */
        spoil(GRAIN_DAY, cases[i].change);
        assert_int_equal(look(false).differences != 0, cases[i].quick);
        test_tear_down(NULL);
        test_set_up(NULL);
        fill();
        spoil(GRAIN_DAY, cases[i].change);
        assert_int_equal(look(false).differences != 0, cases[i].quick);
        b = look(true);
        assert_string_equal(b.first, cases[i].day);
    }
}

/* No edge is no hour. */
static void test_the_first_hour_of_numbers(void **state)
{
    test_now_us = 0;
    fill();
    expect_right();
    spoil(GRAIN_HOUR, spoil_segments);
    spoil(GRAIN_DAY, spoil_segments);
    assert_string_equal(look(true).first, "account 1, live, hour 2020-01-01T00: 17 segments are "
                                          "counted, 18 are there");
}

/* ---- rows that are wrong ---- */

static void test_every_row_is_looked_at(void **state)
{
    static const struct {
        const char *sql;
        bool quick; /* found without a scan */
        const char *says;
    } cases[] = {
        {"DELETE FROM rollup WHERE grain = 1", false, "0 accepted are counted, 6 are there"},
        {"DELETE FROM rollup WHERE grain = 2", true, "0 scheduled are counted, 1 are there"},
        {"INSERT INTO rollup SELECT owner, grain, start + 1, chunk, counts, times FROM rollup"
         " WHERE grain = 1",
         false, "hour 2025-11-15T02: 6 accepted are counted, 0 are there"},
        {"INSERT INTO rollup SELECT owner, grain, start + 1, chunk, counts, times FROM rollup"
         " WHERE grain = 2",
         true, "2 scheduled are counted, 1 are there"},
        {"DELETE FROM rollup WHERE grain = 3", false,
         "0 messages of all series together are not the 7 of each"},
        {"UPDATE rollup SET counts = x'02' WHERE grain = 3", false, "together are not"},
        {"UPDATE rollup SET start = start + 1 WHERE grain = 3", false,
         "hour 2025-11-15T01: 0 messages of all series together"},
        {"UPDATE rollup SET counts = x'02' WHERE grain = 1", false, "damaged"},
        {"UPDATE rollup SET counts = x'02' WHERE grain = 2", true, "damaged"},
        {"UPDATE rollup SET counts = x'020601000000007f' WHERE grain = 1", false, "damaged"},
        {"UPDATE rollup SET times = x'02' WHERE grain = 4", false, "damaged"},
        {"UPDATE rollup SET times = x'02' WHERE grain = 2", false, "damaged"},
        {"DELETE FROM rollup WHERE grain = 4", false,
         "0 of a time to delivery are counted, 1 are there"},
        {"UPDATE rollup SET times = x'' WHERE grain = 2", false,
         "0 of a time to delivery are counted, 1 are there"},
        {"UPDATE rollup SET times = x'' WHERE grain = 3", false, "together are not"},
        {"UPDATE tally SET count = count + 1 WHERE owner = 3 AND status = 4", true,
         "1 delivered are counted, 2 are there"},
        {"INSERT INTO gone VALUES (3, 4, 1)", true, "1 delivered are counted, 2 are there"},
        {"DELETE FROM ending WHERE status = 4", false, "hour 2025-11-15T01"},
        {"DELETE FROM message WHERE text = 'queued'", false, "6 accepted are counted, 5 are there"},
        {"UPDATE message SET country = 'US' WHERE text = 'sent'", false,
         "a message is in series 2 in place of 0"},
        {"UPDATE message SET owner = 5 WHERE text = 'failed'", false, "account 1, live"},
        {"UPDATE work SET series = 3", false, "a message is in series 3 in place of 2"},
        {"UPDATE schedule SET series = 3", false, "a message is in series 3 in place of 2"},
        {"DELETE FROM series", false, "in place of 0"},
        {"UPDATE ending SET status = 9 WHERE status = 4", false, "no status"},
        {"UPDATE tally SET count = count + 1 WHERE owner = -7", false,
         "carrier 7: 2 queued are counted, 1 are there"},
        {"UPDATE lane_tally SET count = 0", false,
         "account 1, live, carrier 7: 0 queued are counted, 1 are there"},
        {"INSERT INTO lane_tally VALUES (9, 8, 2)", false,
         "account 4, live, carrier 8: 2 queued are counted, 0 are there"},
        {"UPDATE work SET carrier = 5 WHERE status = 2", false, "carrier"},
        {"UPDATE pulse SET queued = queued + 1", false, "2 queued are counted, 1 are there"},
        {"DELETE FROM pulse", false, "0 queued are counted, 1 are there"},
        {"UPDATE work SET updated_us = 0 WHERE status = 2", false,
         "minute 0: 0 queued are counted, 1 are there"},
        {"UPDATE pulse SET counts = x''", false, "0 queued in its seconds, 1 in all"},
        {"UPDATE pulse SET counts = x'ffffff'", false, "of its pulse is damaged"},
        {"UPDATE pulse SET waits = 0", false, "messages wait that are not looked for"},
        {"INSERT INTO hook_tally VALUES (3, 1, 4)", false,
         "account 1, live, deliveries in state 1: 4 webhook deliveries are counted, 0 are there"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_tear_down(NULL);
        test_set_up(NULL);
        fill();
        test_sql(cases[i].sql);
        if ((look(false).differences != 0) != cases[i].quick)
            fail_msg("%s: quick", cases[i].sql);
        struct books b = look(true);
        if (b.differences == 0 || !strstr(b.first, cases[i].says))
            fail_msg("%s: %s", cases[i].sql, b.first);
    }
}

/* ---- what is past its time ---- */

/* As it is dropped: all below the edge, with the counts of what is gone. */
static void drop_below(int64_t edge, bool noted)
{
    char sql[1024];

    snprintf(
        sql, sizeof sql,
        "CREATE TEMP TABLE old AS SELECT m.id, m.owner, coalesce(e.status, w.status, 1) AS status"
        "  FROM message AS m LEFT JOIN ending AS e ON e.id = m.id"
        "  LEFT JOIN work AS w ON w.id = m.id WHERE m.id < %lld;"
        "UPDATE tally SET count = count - (SELECT count(*) FROM old"
        "  WHERE old.owner = tally.owner AND old.status = tally.status);"
        "INSERT INTO gone SELECT owner, status, count(*) FROM old WHERE %d GROUP BY 1, 2;"
        "DELETE FROM message WHERE id < %lld; DELETE FROM ending WHERE id < %lld;"
        "DELETE FROM work WHERE id < %lld; UPDATE edge SET id = %lld",
        (long long)edge, noted, (long long)edge, (long long)edge, (long long)edge, (long long)edge);
    test_sql(sql);
}

static void test_what_is_gone(void **state)
{
    for (int noted = 0; noted < 2; noted++)
        for (int where = 0; where < 3; where++) {
            test_tear_down(NULL);
            test_set_up(NULL);
            fill_done();
            struct message m = test_accept(1, MODE_LIVE, "in the middle of an hour");
            assert_int_equal(test_move(m.id, ~0u, STATUS_CANCELLED, 0, test_now_us), 1);
            fill_done();
            test_now_us += INT64_C(3600000000);
            const int64_t edges[] = {m.id, id_at_ms(test_now_us / 1000), INT64_MAX / 2};
            fill_done();
            drop_below(edges[where], noted);
            if (noted)
                expect_right();
            assert_int_equal(look(false).differences == 0, noted);
            assert_int_equal(look(true).differences == 0, noted);
            assert_int_equal(look(true).accepted, 16);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_right_books),
        STORE_TEST(test_every_count_is_looked_at),
        STORE_TEST(test_the_first_hour_of_numbers),
        STORE_TEST(test_every_row_is_looked_at),
        STORE_TEST(test_what_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
