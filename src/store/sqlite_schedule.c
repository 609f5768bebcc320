/* Messages that wait for their time. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_due(struct store_reader *base, int64_t at_us, size_t limit, struct arena *a,
               struct message **ret, size_t *ret_count)
{
    return sqlite_messages(reader_of(base), READ_SCHEDULE_DUE, at_us, limit, a, ret, ret_count);
}

int sqlite_next_due(struct store_reader *base, int64_t *ret_us)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *next = r->statements[READ_SCHEDULE_NEXT];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    int code = sqlite3_step(next);
    if (code == SQLITE_ROW)
        *ret_us = sqlite3_column_int64(next, 0);
    int broken = finish(r, next, code);
    return broken ? broken : code == SQLITE_ROW ? 0 : -ENOENT;
}
