/* Rollups as they are written: the counts of each series, by hour and by day, changed in the
 * transaction of what they count.
 *
 * The rows that change are kept in memory and changed there; each is written once, before the
 * commit. Memory has an end: when it is reached, what has changed is written and all is forgotten.
 */
#pragma once

#include "store/rollup.h"
#include "store/rollup_pack.h"
#include "store/series.h"
#include "store/sqlite_internal.h"
#include "store/sqlite_work.h"

/* The numbers are on disk. GRAIN_TOGETHER: an hour, of all series of an owner together; so that who
 * wants every hour of a month need not look at every series in it. GRAIN_TIMES: the times of
 * GRAIN_HOUR, which few want; no row when there are none. */
enum grain { GRAIN_HOUR = 1, GRAIN_DAY = 2, GRAIN_TOGETHER = 3, GRAIN_TIMES = 4 };

static const int64_t grain_ms[] = {
    [GRAIN_HOUR] = 3600000, [GRAIN_DAY] = 86400000, [GRAIN_TOGETHER] = 3600000};

enum { HOURS_A_DAY = 24 };

/* What a row of GRAIN_TOGETHER has in place of series. Of MMS only how many were accepted; they are
 * among the outbound ones, too. */
enum { TOGETHER_OUTBOUND = 0, TOGETHER_INBOUND = 1, TOGETHER_MMS = 2 };

enum { ROLLUP_PAGES_MAX = 4096, ROLLUP_PAGE_SLOTS = 2 * ROLLUP_PAGES_MAX };

/* A row of `rollup`; of an hour, with that of its times. */
struct rollup_page {
    int64_t owner, start, chunk;
    enum grain grain;
    bool dirty;
    bool has_times, times_dirty;       /* of an hour: its row of GRAIN_TIMES */
    struct rollup *rows[ROLLUP_CHUNK]; /* NULL: nothing was counted */
    struct rollup_page *next_dirty;
};

/* Owned by the writing thread. */
struct rollups {
    struct series_table series;
    bool series_known; /* all that are in the table */
    bool series_added; /* in this transaction */
    struct arena arena;
    struct rollup_page *slots[ROLLUP_PAGE_SLOTS]; /* NULL = free */
    size_t page_count;
    struct rollup_page *dirty;
    uint8_t *bytes; /* of the row that is written */
    size_t room;
    int64_t data_version; /* which the memory is of */
    size_t tag_sets_max;  /* tests make it small */
};

/* -ENOMEM. */
int rollup_init(struct sqlite_store *s);
void rollup_done(struct sqlite_store *s);

/* When a transaction has begun: forgets what another process may have changed. True: one has. */
bool rollup_begin(struct sqlite_store *s);
/* A new message: finds its series, or makes it, and counts. *ret: the series. */
int rollup_accepted(struct sqlite_store *s, const struct message *m, int64_t *ret);
/* A message whose row of `work` was `was` has moved. */
int rollup_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was);
/* Counts it, for its hour and its day, and for the hour of all series. */
int rollup_apply(struct sqlite_store *s, const struct rollup_change *c);
/* Before the commit: writes what has changed. */
int rollup_flush(struct sqlite_store *s);
/* After a rollback: what is remembered may not be so. */
void rollup_forget(struct sqlite_store *s);

/* The series of a message, made if there is none yet. */
int sqlite_series_of(struct sqlite_store *s, const struct message *m, int64_t *ret);
/* A row whose columns are {series_columns}; views hold until the next step. */
void sqlite_series_from_row(sqlite3_stmt *row, struct series_record *ret);
/* A message as far as it is counted, from a row whose columns are {counted_message} of
 * sql/rollup.sql; views hold until the next step. *ret_series: what its open row says; 0. */
void sqlite_counted_from_row(sqlite3_stmt *row, struct message *m, int64_t *ret_series);

/* A row whose columns from `at` on are counts, and times if they are wanted. */
static inline void rollup_unpack_row(struct rollup_unpack *u, sqlite3_stmt *row, int at, bool times)
{
    rollup_unpack_begin(u, sqlite3_column_blob(row, at), (size_t)sqlite3_column_bytes(row, at));
    if (times && sqlite3_column_bytes(row, at + 1) > 0)
        rollup_unpack_times(u, sqlite3_column_blob(row, at + 1),
                            (size_t)sqlite3_column_bytes(row, at + 1));
}

/* In the migration to schema 10: takes over what schema 8 counted; counts what there is, unless
 * schema 8 did. */
int rollup_convert(struct sqlite_store *s);
int rollup_backfill(struct sqlite_store *s);
