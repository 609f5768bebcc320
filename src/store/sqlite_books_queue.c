/* The books, of what waits: the small counts beside the rows that they count. They tell how long
 * queues are and since when, of all owners at once, because the rows have no order by owner. */
#include "store/sqlite_books.h"
#include "store/sqlite_pulse.h"
#include "store/sqlite_rows.h"

#include <inttypes.h>

/* Each gives only what differs: owner, number, how many are counted, how many there are. */
static const struct {
    enum read_statement differences;
    const char *number, *what;
} checks[] = {
    {READ_BOOKS_CARRIERS, "carrier", "queued"},
    {READ_BOOKS_LANES, "carrier", "queued"},
    {READ_BOOKS_WAITING, "minute", "queued"},
    {READ_BOOKS_HOOKS, "deliveries in state", "webhook deliveries"},
};

static int check_counts(struct ledger *l, size_t which)
{
    sqlite3_stmt *rows = l->reader->statements[checks[which].differences];
    int code;

    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        l->owner = sqlite3_column_int64(rows, 0);
        books_differ(l, "%s %" PRId64 ": %" PRId64 " %s are counted, %" PRId64 " are there",
                     checks[which].number, (int64_t)sqlite3_column_int64(rows, 1),
                     (int64_t)sqlite3_column_int64(rows, 2), checks[which].what,
                     (int64_t)sqlite3_column_int64(rows, 3));
    }
    return finish(l->reader, rows, code);
}

static void check_minute(struct ledger *l, sqlite3_stmt *row)
{
    int64_t minute = sqlite3_column_int64(row, 1), queued = sqlite3_column_int64(row, 2);
    size_t n = (size_t)sqlite3_column_bytes(row, 4);
    struct pulse_counts counts;

    l->owner = sqlite3_column_int64(row, 0);
    if (!pulse_unpack(&counts, sqlite3_column_blob(row, 4), n)) {
        books_differ(l, "minute %" PRId64 " of its pulse is damaged", minute);
        return;
    }
    if (pulse_queued(&counts) != queued)
        books_differ(l, "minute %" PRId64 ": %" PRId64 " queued in its seconds, %" PRId64 " in all",
                     minute, pulse_queued(&counts), queued);
    if (queued > 0 && !sqlite3_column_int(row, 3))
        books_differ(l, "minute %" PRId64 ": messages wait that are not looked for", minute);
}

static int check_minutes(struct ledger *l)
{
    sqlite3_stmt *rows = l->reader->statements[READ_BOOKS_MINUTES];
    int code;

    while ((code = sqlite3_step(rows)) == SQLITE_ROW)
        check_minute(l, rows);
    return finish(l->reader, rows, code);
}

int books_queues(struct sqlite_reader *r, struct books *books)
{
    struct ledger l = {.reader = r, .books = books};
    int failed = 0;

    for (size_t i = 0; i < sizeof checks / sizeof *checks && !failed; i++)
        failed = check_counts(&l, i);
    return failed ? failed : check_minutes(&l);
}
