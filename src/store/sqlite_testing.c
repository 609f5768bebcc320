#include "store/sqlite_testing.h"

#include "store/sqlite_internal.h"

#include <stdio.h>

void test_sql(const char *sql)
{
    sqlite3 *db;
    char *why = NULL;

    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 1000);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
}

int64_t test_number(const char *format, ...)
{
    char sql[256];
    va_list args;
    int64_t ret = -1;
    sqlite3 *db;

    va_start(args, format);
    vsnprintf(sql, sizeof sql, format, args);
    va_end(args);
    assert_int_equal(sqlite3_open(test_path, &db), SQLITE_OK);
    assert_int_equal(sqlite_number(db, sql, &ret), 0);
    sqlite3_close(db);
    return ret;
}

int64_t test_rows_of(const char *table)
{
    return test_number("SELECT count(*) FROM %s", table);
}

void test_check_books(void)
{
    struct books b;

    store_reader_rest(test_reader);
    for (int scan = 0; scan < 2; scan++) {
        assert_int_equal(store_books(test_reader, scan, &b), 0);
        if (b.differences)
            fail_msg("%d differences: %s", (int)b.differences, b.first);
        assert_int_equal(b.accepted,
                         b.delivered + b.failed + b.cancelled + b.received + b.in_flight);
        assert_int_equal(b.messages, b.accepted);
    }
}
