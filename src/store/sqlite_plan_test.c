/* That what is asked of many rows, and dropping some of them, costs the same however many there
 * are.
 */
#include "store/sqlite_internal.h"
#include "store/test_outbox.h"

#include <stdio.h>

/* That no statement looks at more rows than it gives: no scan, and no sorting. */
static void check_plan(sqlite3 *db, const char *sql)
{
    char explain[2048];
    sqlite3_stmt *plan;

    snprintf(explain, sizeof explain, "EXPLAIN QUERY PLAN %s", sql);
    assert_int_equal(sqlite3_prepare_v2(db, explain, -1, &plan, NULL), SQLITE_OK);
    while (sqlite3_step(plan) == SQLITE_ROW) {
        const char *detail = (const char *)sqlite3_column_text(plan, 3);
        if ((strstr(detail, "SCAN") && !strstr(detail, "CONSTANT ROW")) ||
            strstr(detail, "TEMP B-TREE"))
            fail_msg("%s: %s", sql, detail);
    }
    sqlite3_finalize(plan);
}

static void test_plans(void **state)
{
    static const enum read_statement reads[] = {
        READ_DELIVERY_GET,
        READ_DELIVERY_READ,
        READ_DELIVERY_AT_MOST,
        READ_DELIVERY_AT_LEAST,
        READ_DELIVERY_NUMBER,
        READ_DELIVERY_OF_MESSAGE,
        READ_DELIVERY_DUE,
        READ_DELIVERY_NEXT,
        READ_DELIVERY_TALLY,
        READ_ATTEMPT_LIST,
        READ_NOTICE_AT_MOST,
        READ_NOTICE_AT_LEAST,
        READ_NOTICE_GET,
        READ_NOTICE_LAST,
        READ_FIRST_NOTICE_GET,
        READ_FIRST_NOTICE_AT_MOST,
        READ_FIRST_NOTICE_AT_LEAST,
        READ_SCHEDULED_NOTICE_AT_MOST,
        READ_SCHEDULED_NOTICE_AT_LEAST,
        READ_RECEIVED_NOTICE_AT_MOST,
        READ_RECEIVED_NOTICE_AT_LEAST,
        READ_MESSAGE_AS_ACCEPTED,
        READ_ENDPOINT_GET,
        READ_ENDPOINT_LIST,
        READ_ENDPOINT_REPLAYING,
        READ_PULSE_FROM,
        READ_PULSE_FIRST_QUEUED,
        READ_TALLY_LIST,
        READ_LANE_TALLY_LIST,
        READ_HOOK_TALLY_GET,
        READ_REQUEST_TALLY_BETWEEN,
        READ_SERIES_LIST,
        READ_ROLLUP_BETWEEN,
        READ_ROLLUP_TIMED,
        READ_MESSAGE_CREATED_FROM,
        READ_MEDIA_GET,
        READ_MEDIA_LIST,
    };
    static const enum write_statement writes[] = {
        WRITE_CONTENT_GET,
        WRITE_CONTENT_AT,
        WRITE_CONTENT_UNUSED,
        WRITE_CONTENT_DELETE,
        WRITE_MEDIA_HAS,
        WRITE_MEDIA_DELETE_BEFORE,
        WRITE_DELIVERY_SET,
        WRITE_DELIVERY_OTHERS,
        WRITE_DELIVERY_BEHIND,
        WRITE_DELIVERY_OLDEST,
        WRITE_DELIVERY_DELETE_UPTO,
        WRITE_DELIVERY_OF_ENDPOINT,
        WRITE_DELIVERY_TALLY_TAKE,
        WRITE_ATTEMPT_DELETE,
        WRITE_ATTEMPT_DELETE_BEFORE,
        WRITE_ENDPOINT_OF_ORIGIN,
        WRITE_MESSAGE_HOOK,
        WRITE_NOTICE_DELETE,
        WRITE_ROLLUP_GET,
        WRITE_PULSE_GET,
        WRITE_PULSE_SET,
        WRITE_PULSE_SET_WAITS,
        WRITE_PULSE_SETTLE,
        WRITE_PULSE_OLDEST,
        WRITE_PULSE_DELETE,
        WRITE_DELIVERY_TALLY_OF,
        WRITE_MESSAGE_OLDEST,
        WRITE_MESSAGE_DELETE_BEFORE,
        WRITE_ENDING_DELETE_BEFORE,
        WRITE_WORK_DELETE_BEFORE,
        WRITE_STANDING_DELETE_BEFORE,
        WRITE_PARTS_DELETE_BEFORE,
        WRITE_EVENT_DELETE_BEFORE,
        WRITE_BATCH_DELETE_BEFORE,
        WRITE_STRAY_DELETE_BEFORE,
    };
    sqlite3 *db;

    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        check_plan(db, sqlite_read_sql[reads[i]]);
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        check_plan(db, sqlite_write_sql[writes[i]]);
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
