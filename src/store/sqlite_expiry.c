/* What clients were told, past its time: deliveries with their attempts, then notices, then the
 * endpoints of messages that nothing is left of. And what is left of endpoints that were removed.
 * All in small steps; see sqlite_housekeep.c. */
#include "store/sqlite_outbox.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

#define HOUR_US INT64_C(3600000000)

enum { STEP = 256 };

/* Every step returns 1 when there may be more, 0 when there is nothing left, or a negative errno.
 */

static int done_or_more(int failed, size_t count)
{
    return failed ? failed : count == STEP;
}

/* ---- deliveries ---- */

/* Counts the oldest ones out; *ret_last: the last of them. */
static int count_oldest(struct sqlite_store *s, int64_t before, int64_t *ret_last,
                        size_t *ret_count)
{
    sqlite3_stmt *rows = s->statements[WRITE_DELIVERY_OLDEST];
    int code, failed = 0;

    BIND_NUMBERS(rows, before, STEP);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        *ret_last = sqlite3_column_int64(rows, 0);
        ++*ret_count;
        const struct delivery_record d = {.endpoint = sqlite3_column_int64(rows, 1),
                                          .account = sqlite3_column_int64(rows, 4),
                                          .mode = (enum mode)sqlite3_column_int(rows, 2)};
        failed = delivery_tally(s, &d, (enum delivery_state)sqlite3_column_int(rows, 3), -1);
    }
    sqlite3_reset(rows);
    return failed || code == SQLITE_DONE ? failed : sqlite_failed(s);
}

static int expire_deliveries(struct sqlite_store *s, int64_t before)
{
    int64_t last = 0;
    size_t count = 0;
    int failed = count_oldest(s, before, &last, &count);

    if (!failed && count)
        failed = RUN_WITH(s, WRITE_ATTEMPT_DELETE_UPTO, last);
    if (!failed && count)
        failed = RUN_WITH(s, WRITE_DELIVERY_DELETE_UPTO, last);
    if (!failed)
        failed = delivery_flush_tallies(s);
    if (!failed)
        failed = tally_flush(s);
    return done_or_more(failed, count);
}

/* ---- notices ---- */

static int expire_notices(struct sqlite_store *s, int64_t before)
{
    int failed = RUN_WITH(s, WRITE_NOTICE_DELETE, before, STEP);

    return done_or_more(failed, (size_t)sqlite3_changes(s->db));
}

/* ---- endpoints of messages ---- */

/* Numbers of a bound statement into an array of STEP. */
static int read_numbers(struct sqlite_store *s, enum write_statement which, int64_t *ret,
                        size_t *ret_count)
{
    sqlite3_stmt *rows = s->statements[which];
    int code;

    while ((code = sqlite3_step(rows)) == SQLITE_ROW && *ret_count < STEP)
        ret[(*ret_count)++] = sqlite3_column_int64(rows, 0);
    sqlite3_reset(rows);
    return code == SQLITE_DONE || code == SQLITE_ROW ? 0 : sqlite_failed(s);
}

/* Those that are in use are looked at, too: there may be very many of them. */
static int expire_origins(struct sqlite_store *s, int64_t before)
{
    int64_t ids[STEP];
    size_t count = 0;

    BIND_NUMBERS(s->statements[WRITE_ENDPOINT_ORIGINS], s->outbox->origin_seen, before, STEP);
    int failed = read_numbers(s, WRITE_ENDPOINT_ORIGINS, ids, &count);
    for (size_t i = 0; i < count && !failed; i++) {
        failed = RUN_WITH(s, WRITE_ENDPOINT_DELETE_UNUSED, ids[i]);
        if (!failed && sqlite3_changes(s->db))
            failed = RUN_WITH(s, WRITE_DELIVERY_TALLY_DELETE, ids[i]);
    }
    s->outbox->origin_seen = count == STEP ? ids[STEP - 1] : 0;
    return done_or_more(failed, count);
}

/* ---- the chore ---- */

/* Hours before which nothing is kept. */
static int64_t oldest_hour(const struct sqlite_store *s)
{
    return (clock_now_us(s->base.clock) - NOTICE_TIME_US) / HOUR_US;
}

bool outbox_wants_expiry(struct sqlite_store *s, bool idle)
{
    return oldest_hour(s) > s->outbox->expired_hour;
}

/* Deliveries go before the notices that they are made of. */
int outbox_expire(struct sqlite_store *s, bool idle)
{
    int64_t hour = oldest_hour(s), before = id_at_ms(hour * (HOUR_US / 1000));
    int more = expire_deliveries(s, before);

    if (more == 0)
        more = expire_notices(s, before);
    if (more == 0)
        more = expire_origins(s, before);
    if (more == 0)
        s->outbox->expired_hour = hour;
    return more < 0 ? more : 0;
}

/* ---- endpoints that were removed ---- */

bool outbox_wants_removal(struct sqlite_store *s, bool idle)
{
    return !s->outbox->none_removed;
}

static int delete_deliveries(struct sqlite_store *s, int64_t endpoint, size_t *ret_count)
{
    int64_t ids[STEP];

    BIND_NUMBERS(s->statements[WRITE_DELIVERY_OF_ENDPOINT], endpoint, STEP);
    int failed = read_numbers(s, WRITE_DELIVERY_OF_ENDPOINT, ids, ret_count);
    for (size_t i = 0; i < *ret_count && !failed; i++) {
        failed = RUN_WITH(s, WRITE_ATTEMPT_DELETE, ids[i]);
        if (!failed)
            failed = RUN_WITH(s, WRITE_DELIVERY_DELETE, ids[i]);
    }
    return failed;
}

int outbox_remove(struct sqlite_store *s, bool idle)
{
    int64_t removed[STEP];
    size_t endpoints = 0, count = 0;
    int failed = read_numbers(s, WRITE_ENDPOINT_REMOVED, removed, &endpoints);

    s->outbox->none_removed = !failed && endpoints == 0;
    if (failed || endpoints == 0)
        return failed;
    failed = delete_deliveries(s, removed[0], &count);
    if (!failed && count < STEP)
        failed = RUN_WITH(s, WRITE_ENDPOINT_REMOVED_DELETE, removed[0]);
    return failed;
}
