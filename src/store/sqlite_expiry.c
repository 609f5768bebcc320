/* What clients were told, past its time: deliveries with their attempts, then notices, then the
 * endpoints of messages that nothing is left of. And what is left of endpoints that were removed.
 * All in small steps; see sqlite_housekeep.c. */
#include "store/sqlite_outbox.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"
#include "store/stint.h"

#define HOUR_US INT64_C(3600000000)

enum { STEP = 256 }; /* rows of a stint at most */

/* Every step returns 1 when there may be more, 0 when there is nothing left, or a negative errno.
 */

/* Takes pieces away, so many rows at a time, until there is nothing left or the time is up. */
static int in_pieces(struct sqlite_store *s, int64_t before,
                     int (*drop)(struct sqlite_store *s, int64_t before, size_t rows))
{
    struct stint stint;
    size_t rows;
    int more = 1;

    stint_begin(&stint, s->chores_until_us, STEP);
    while (more > 0 && (rows = stint_next(&stint, clock_monotonic_us())))
        more = drop(s, before, rows);
    return more;
}

/* Runs a statement that deletes so many rows before a number. */
static int delete_before(struct sqlite_store *s, enum write_statement which, int64_t before,
                         size_t rows)
{
    int failed = RUN_WITH(s, which, before, (int64_t)rows);

    return failed ? failed : (size_t)sqlite3_changes(s->db) >= rows;
}

/* ---- deliveries ---- */

/* Counts the oldest ones out; *ret_last: the last of them. */
static int count_oldest(struct sqlite_store *s, int64_t before, size_t most, int64_t *ret_last,
                        size_t *ret_count)
{
    sqlite3_stmt *rows = s->statements[WRITE_DELIVERY_OLDEST];
    int code, failed = 0;

    BIND_NUMBERS(rows, before, (int64_t)most);
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

/* A delivery may have any number of them. */
static int drop_attempts(struct sqlite_store *s, int64_t before, size_t rows)
{
    return delete_before(s, WRITE_ATTEMPT_DELETE_BEFORE, before, rows);
}

static int drop_deliveries(struct sqlite_store *s, int64_t before, size_t rows)
{
    int64_t last = 0;
    size_t count = 0;
    int failed = count_oldest(s, before, rows, &last, &count);

    if (!failed && count)
        failed = RUN_WITH(s, WRITE_DELIVERY_DELETE_UPTO, last);
    if (!failed)
        failed = delivery_flush_tallies(s);
    if (!failed)
        failed = tally_flush(s);
    return failed ? failed : count == rows;
}

/* ---- notices ---- */

static int drop_notices(struct sqlite_store *s, int64_t before, size_t rows)
{
    return delete_before(s, WRITE_NOTICE_DELETE, before, rows);
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
static int drop_origins(struct sqlite_store *s, int64_t before, size_t rows)
{
    int64_t ids[STEP];
    size_t count = 0;

    BIND_NUMBERS(s->statements[WRITE_ENDPOINT_ORIGINS], s->outbox->origin_seen, before,
                 (int64_t)rows);
    int failed = read_numbers(s, WRITE_ENDPOINT_ORIGINS, ids, &count);
    for (size_t i = 0; i < count && !failed; i++) {
        failed = RUN_WITH(s, WRITE_ENDPOINT_DELETE_UNUSED, ids[i]);
        if (!failed && sqlite3_changes(s->db))
            failed = RUN_WITH(s, WRITE_DELIVERY_TALLY_DELETE, ids[i]);
    }
    s->outbox->origin_seen = count == rows ? ids[rows - 1] : 0;
    return failed ? failed : count == rows;
}

/* ---- the chore ---- */

/* Hours before which nothing is kept. */
static int64_t oldest_hour(const struct sqlite_store *s, int64_t kept_us)
{
    return (clock_now_us(s->base.clock) - kept_us) / HOUR_US;
}

bool outbox_wants_expiry(struct sqlite_store *s, bool idle)
{
    return oldest_hour(s, s->base.retention.deliveries_us) > s->outbox->expired_hour;
}

/* Deliveries go before the notices that they are made of, and are not kept longer. */
int outbox_expire(struct sqlite_store *s, bool idle)
{
    int64_t hour = oldest_hour(s, s->base.retention.deliveries_us);
    int64_t before = id_at_ms(hour * (HOUR_US / 1000));
    int64_t notices_before =
        id_at_ms(oldest_hour(s, s->base.retention.notices_us) * (HOUR_US / 1000));
    int more = in_pieces(s, before, drop_attempts);

    if (more == 0)
        more = in_pieces(s, before, drop_deliveries);
    if (more == 0)
        more = in_pieces(s, notices_before, drop_notices);
    if (more == 0)
        more = in_pieces(s, before, drop_origins);
    if (more == 0)
        s->outbox->expired_hour = hour;
    return more < 0 ? more : 0;
}

/* ---- endpoints that were removed ---- */

bool outbox_wants_removal(struct sqlite_store *s, bool idle)
{
    return !s->outbox->none_removed;
}

/* Takes some attempts of a delivery away, and the delivery when none is left: 1 it is gone. */
static int delete_delivery(struct sqlite_store *s, int64_t id, size_t rows)
{
    int failed = RUN_WITH(s, WRITE_ATTEMPT_DELETE, id, (int64_t)rows);

    if (failed || (size_t)sqlite3_changes(s->db) == rows)
        return failed;
    failed = RUN_WITH(s, WRITE_DELIVERY_DELETE, id);
    return failed ? failed : 1;
}

/* 1 there may be more of them, 0 none is left. */
static int delete_deliveries(struct sqlite_store *s, int64_t endpoint, size_t rows)
{
    int64_t ids[STEP];
    size_t count = 0;
    int gone = 1;

    BIND_NUMBERS(s->statements[WRITE_DELIVERY_OF_ENDPOINT], endpoint, (int64_t)rows);
    int failed = read_numbers(s, WRITE_DELIVERY_OF_ENDPOINT, ids, &count);
    for (size_t i = 0; i < count && !failed && gone == 1; i++)
        gone = delete_delivery(s, ids[i], STEP);
    if (gone < 0)
        failed = gone;
    return failed ? failed : gone == 0 || count == rows;
}

int outbox_remove(struct sqlite_store *s, bool idle)
{
    int64_t removed[STEP];
    size_t endpoints = 0;
    int failed = read_numbers(s, WRITE_ENDPOINT_REMOVED, removed, &endpoints);

    s->outbox->none_removed = !failed && endpoints == 0;
    if (failed || endpoints == 0)
        return failed;
    int more = in_pieces(s, removed[0], delete_deliveries);
    return more == 0 ? RUN_WITH(s, WRITE_ENDPOINT_REMOVED_DELETE, removed[0]) : more < 0 ? more : 0;
}
