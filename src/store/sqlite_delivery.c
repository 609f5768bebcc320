/* Deliveries: read one by one, by their message, and by when they are due. */
#include "store/sqlite_delivery.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

enum { OF_MESSAGE_MAX = 100 };

void delivery_from_row(sqlite3_stmt *row, struct delivery_record *d)
{
    *d = (struct delivery_record){
        .id = sqlite3_column_int64(row, 0),
        .endpoint = sqlite3_column_int64(row, 1),
        .account = sqlite3_column_int64(row, 2),
        .mode = (enum mode)sqlite3_column_int(row, 3),
        .notice = sqlite3_column_int64(row, 4),
        .kind = (enum notice_kind)sqlite3_column_int(row, 5),
        .message = sqlite3_column_int64(row, 6),
        .created_us = sqlite3_column_int64(row, 7),
        .due_us = sqlite3_column_int64(row, 8),
        .state = (enum delivery_state)sqlite3_column_int(row, 9),
        .attempts = (unsigned)sqlite3_column_int(row, 10) - DELIVERY_COUNTS_FROM,
        .tries = (unsigned)sqlite3_column_int(row, 11) - DELIVERY_COUNTS_FROM,
    };
}

int sqlite_delivery_get(struct store_reader *base, int64_t id, struct delivery_record *ret)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *get = r->statements[READ_DELIVERY_GET];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        delivery_from_row(get, ret);
    int broken = finish(r, get, code);
    return broken ? broken : code == SQLITE_ROW ? 0 : -ENOENT;
}

/* All rows of a bound statement. */
static int read_list(struct sqlite_reader *r, sqlite3_stmt *rows, struct arena *a,
                     struct delivery_record **ret, size_t *ret_count)
{
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct delivery_record *d;
    int code;

    while ((code = sqlite3_step(rows)) == SQLITE_ROW && (d = rows_add(&list)))
        delivery_from_row(rows, d);
    *ret = list.at;
    *ret_count = list.count;
    return rows_finish(&list, r, rows, code);
}

int sqlite_delivery_of_message(struct store_reader *base, int64_t message, struct arena *a,
                               struct delivery_record **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_DELIVERY_OF_MESSAGE];
    int failed = sqlite_enter(r);

    BIND_NUMBERS(rows, message, OF_MESSAGE_MAX);
    return failed ? failed : read_list(r, rows, a, ret, ret_count);
}

int sqlite_delivery_due(struct store_reader *base, int64_t endpoint, struct delivery_place after,
                        int64_t now_us, size_t limit, struct arena *a, struct delivery_record **ret,
                        size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_DELIVERY_DUE];
    int failed = sqlite_enter(r);

    BIND_NUMBERS(rows, endpoint, after.due_us, after.id, now_us, (int64_t)limit);
    return failed ? failed : read_list(r, rows, a, ret, ret_count);
}

int sqlite_delivery_next(struct store_reader *base, int64_t endpoint, int64_t now_us,
                         int64_t *ret_us)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *next = r->statements[READ_DELIVERY_NEXT];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(next, endpoint, now_us);
    int code = sqlite3_step(next);
    if (code == SQLITE_ROW)
        *ret_us = sqlite3_column_int64(next, 0);
    int broken = finish(r, next, code);
    return broken ? broken : code == SQLITE_ROW ? 0 : -ENOENT;
}
