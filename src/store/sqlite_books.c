/* The books: that nothing was counted wrong. Every message that was ever accepted is in one status,
 * in the tallies of what is stored or of what is gone, and in the rollups; every one that waits is
 * in the counts of its queue. */
#include "store/sqlite_books.h"

#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

#include <inttypes.h>
#include <stdio.h>

const char *books_status_word(unsigned status)
{
    static const char *const words[STATUS_SLOTS] = {
#define X(name, number, word) [STATUS_##name] = (word),
        MESSAGE_STATUSES(X)
#undef X
    };
    return words[status] ? words[status] : "of no status";
}

void books_differ(struct ledger *l, const char *format, ...)
{
    char sentence[sizeof l->books->first];
    va_list args;

    if (l->books->differences++)
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (l->owner <= 0) {
        str_format(l->books->first, sizeof l->books->first, "%s", sentence);
        return;
    }
    str_format(l->books->first, sizeof l->books->first, "account %" PRId64 ", %s, %s",
               l->owner >> 1, l->owner & 1 ? "live" : "test", sentence);
}

static int read_tallies(struct ledger *l)
{
    sqlite3_stmt *rows = l->reader->statements[READ_BOOKS_TALLIES];
    int code;

    BIND_NUMBERS(rows, l->owner);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        int64_t *counts = sqlite3_column_int(rows, 0) ? l->gone : l->stored;
        int64_t status = sqlite3_column_int64(rows, 1);
        if (status >= 0 && status < STATUS_SLOTS)
            counts[status] += sqlite3_column_int64(rows, 2);
    }
    return finish(l->reader, rows, code);
}

/* Days are enough: hours are compared with them when messages are looked at. */
static int add_days(struct ledger *l, struct rollup *sum)
{
    sqlite3_stmt *rows = l->reader->statements[READ_ROLLUP_BETWEEN];
    struct arena none;
    int code;

    arena_init(&none, 0);
    BIND_NUMBERS(rows, l->owner, GRAIN_DAY, 0, INT64_MAX);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        struct rollup_unpack u;
        struct rollup r;
        rollup_unpack_row(&u, rows, 2, false);
        while (rollup_unpack_next(&u) && rollup_unpack_statuses(&u, &r))
            rollup_add(sum, &r, &none);
        if (u.damaged)
            books_differ(l, "the rollups of a day are damaged");
    }
    arena_done(&none);
    return finish(l->reader, rows, code);
}

static void compare(struct ledger *l, const struct rollup *sum)
{
    int64_t in_status = 0;

    for (unsigned i = 0; i < STATUS_SLOTS; i++) {
        int64_t there = l->stored[i] + l->gone[i];
        in_status += sum->statuses[i];
        if (sum->statuses[i] != there)
            books_differ(l, "all days: %" PRId64 " %s are counted, %" PRId64 " are there",
                         sum->statuses[i], books_status_word(i), there);
    }
    if (sum->accepted != in_status)
        books_differ(l, "all days: %" PRId64 " accepted are counted, %" PRId64 " by status",
                     sum->accepted, in_status);
}

static void sum_up(const struct ledger *l, const struct rollup *sum)
{
    struct books *b = l->books;
    int64_t all[STATUS_SLOTS];

    for (unsigned i = 0; i < STATUS_SLOTS; i++) {
        all[i] = l->stored[i] + l->gone[i];
        b->messages += l->stored[i];
    }
    b->accepted += sum->accepted;
    b->delivered += all[STATUS_DELIVERED];
    b->failed += all[STATUS_FAILED];
    b->cancelled += all[STATUS_CANCELLED];
    b->received += all[STATUS_RECEIVED];
    b->in_flight += all[STATUS_SCHEDULED] + all[STATUS_QUEUED] + all[STATUS_SENT];
}

static int check_owner(struct ledger *l, bool scan)
{
    struct rollup sum = {0};
    int failed = read_tallies(l);

    if (!failed)
        failed = add_days(l, &sum);
    if (failed)
        return failed;
    compare(l, &sum);
    sum_up(l, &sum);
    if (!scan)
        return 0;
    failed = books_scan(l);
    return failed ? failed : books_together(l);
}

/* The next one that has anything; 0 = none. */
static int next_owner(struct sqlite_reader *r, int64_t *owner)
{
    sqlite3_stmt *next = r->statements[READ_BOOKS_NEXT_OWNER];

    BIND_NUMBERS(next, *owner);
    int code = sqlite3_step(next);
    *owner = code == SQLITE_ROW ? sqlite3_column_int64(next, 0) : 0;
    return finish(r, next, code);
}

int sqlite_books(struct store_reader *base, bool scan, struct books *ret)
{
    struct sqlite_reader *r = reader_of(base);
    int64_t owner = 0;
    int failed = sqlite_enter(r);

    if (!failed)
        failed = next_owner(r, &owner);
    while (!failed && owner) {
        struct ledger l = {.reader = r, .books = ret, .owner = owner};
        failed = check_owner(&l, scan);
        if (!failed)
            failed = next_owner(r, &owner);
    }
    return failed || !scan ? failed : books_queues(r, ret);
}
