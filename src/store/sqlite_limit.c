/* What keys have used of their windows. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_limit_list(struct store_reader *base, int64_t now_us, struct arena *a,
                      struct limit_count **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_LIMIT_LIST];
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct limit_count *c;
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(rows, now_us);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && (c = rows_add(&list)))
        *c = (struct limit_count){.key = sqlite3_column_int64(rows, 0),
                                  .minute = sqlite3_column_int64(rows, 1),
                                  .minute_used = (uint32_t)sqlite3_column_int64(rows, 2),
                                  .hour = sqlite3_column_int64(rows, 3),
                                  .hour_used = (uint32_t)sqlite3_column_int64(rows, 4)};
    *ret = list.at;
    *ret_count = list.count;
    return rows_finish(&list, r, rows, code);
}

int sqlite_limit_save(struct store *base, const struct limit_count *c)
{
    return RUN_WITH(sqlite_of(base), WRITE_LIMIT_SAVE, c->key, c->minute, c->minute_used, c->hour,
                    c->hour_used);
}
