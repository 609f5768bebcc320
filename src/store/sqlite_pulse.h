/* The pulse as it is written: what happens to an owner's messages, second by second, and what of
 * each minute is still queued.
 *
 * The writer remembers the minutes that it wrote last. It changes them in memory and writes each
 * once in a transaction. What happened longer ago than PULSE_KEPT_MINUTES goes, except where
 * messages are still queued since then. */
#pragma once

#include "store/pulse_pack.h"
#include "store/sqlite_internal.h"
#include "store/sqlite_work.h"

enum { PULSE_KEPT_MINUTES = 25 * 60, PULSE_SETS = 64, PULSE_WAYS = 4 };

/* A row of `pulse`. */
struct pulse_cell {
    int64_t owner, minute;
    int64_t queued;
    uint64_t stamp; /* of its last use */
    bool used;
    bool listed; /* the place is among the dirty ones */
    bool dirty;
    bool on_disk;
    bool waits, certain; /* as on disk, if this is certain */
    struct pulse_counts counts;
};

/* Owned by the writing thread. All zero: nothing is remembered. */
struct pulse_memory {
    struct pulse_cell cells[PULSE_SETS][PULSE_WAYS];
    struct pulse_cell *last;
    uint64_t stamp;
    struct pulse_cell *dirty[PULSE_SETS * PULSE_WAYS]; /* and some that were */
    size_t dirty_count;
    /* Rows up to here were looked at whether they are past their time; all before `swept_minute`
     * have queued messages. */
    int64_t seen_minute, seen_owner, swept_minute;
};

int pulse_accepted(struct sqlite_store *s, const struct message *m);
int pulse_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was);
/* An attempt to tell a client that did not succeed. */
int pulse_hook_failed(struct sqlite_store *s, int64_t owner, int64_t at_us);
/* Before the commit: writes what has changed. */
int pulse_flush(struct sqlite_store *s);
/* After a rollback, or when another process wrote: what is remembered may not be so. */
void pulse_forget(struct sqlite_store *s);
/* NULL: not remembered. */
struct pulse_cell *pulse_find(struct pulse_memory *p, int64_t owner, int64_t minute);

/* In the migration to schema 8: the minutes in which messages were queued that still are. */
int pulse_backfill(struct sqlite_store *s);

/* A chore: minutes past their time. */
bool pulse_wants_expiry(struct sqlite_store *s, bool idle);
int pulse_expire(struct sqlite_store *s, bool idle);
/* The first minute that is kept at this time. */
int64_t pulse_kept_from(int64_t now_us);

/* Times before 1970 are as good as others. */
static inline int64_t pulse_floor(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

static inline int64_t pulse_minute_of(int64_t at_us)
{
    return pulse_floor(at_us, 60 * INT64_C(1000000));
}

static inline unsigned pulse_second_of(int64_t at_us)
{
    return (unsigned)(pulse_floor(at_us, 1000000) - 60 * pulse_minute_of(at_us));
}
