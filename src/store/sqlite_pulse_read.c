/* What happens now, read: the pulse, what waits, and calls of the API. */
#include "store/sqlite_pulse.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

#define HOUR_US   INT64_C(3600000000)
#define SECOND_US INT64_C(1000000)

/* From a row with the minute and its counts. */
static bool counts_from_row(sqlite3_stmt *row, struct pulse_counts *ret)
{
    const uint8_t *bytes = sqlite3_column_blob(row, 1);

    return pulse_unpack(ret, bytes, (size_t)sqlite3_column_bytes(row, 1));
}

int sqlite_pulse_each(struct store_reader *base, int64_t account, enum mode mode,
                      int64_t from_minute, int64_t to_minute,
                      void (*tell)(void *context, const struct pulse_minute *m), void *context)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_PULSE_FROM];
    struct pulse_counts counts;
    struct pulse_minute minute;
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(rows, owner_of(account, mode), from_minute, to_minute);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        if (counts_from_row(rows, &counts)) {
            pulse_tell(&counts, sqlite3_column_int64(rows, 0), &minute);
            tell(context, &minute);
        } else
            failed = -EIO;
    }
    int broken = finish(r, rows, code);
    return broken ? broken : failed;
}

/* ---- what waits ---- */

static int read_statuses(struct sqlite_reader *r, int64_t owner, struct queue_state *ret)
{
    sqlite3_stmt *rows = r->statements[READ_TALLY_LIST];
    int64_t counts[STATUS_SLOTS] = {0};
    int code;

    BIND_NUMBERS(rows, owner);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        int64_t status = sqlite3_column_int64(rows, 0);
        if (status >= 0 && status < STATUS_SLOTS)
            counts[status] = sqlite3_column_int64(rows, 1);
    }
    ret->scheduled = counts[STATUS_SCHEDULED];
    ret->queued = counts[STATUS_QUEUED];
    ret->sent = counts[STATUS_SENT];
    return finish(r, rows, code);
}

static int64_t first_queued_us(int64_t minute, const struct pulse_counts *c)
{
    int64_t second = 0;

    while (second < PULSE_SECONDS - 1 && !c->at[second][PULSE_QUEUED])
        second++;
    return (minute * PULSE_SECONDS + second) * SECOND_US;
}

static int read_oldest(struct sqlite_reader *r, int64_t owner, struct queue_state *ret)
{
    sqlite3_stmt *first = r->statements[READ_PULSE_FIRST_QUEUED];
    struct pulse_counts counts;
    int failed = 0;

    BIND_NUMBERS(first, owner);
    int code = sqlite3_step(first);
    if (code == SQLITE_ROW && counts_from_row(first, &counts))
        ret->oldest_queued_us = first_queued_us(sqlite3_column_int64(first, 0), &counts);
    else if (code == SQLITE_ROW)
        failed = -EIO;
    int broken = finish(r, first, code);
    return broken ? broken : failed;
}

static int read_lanes(struct sqlite_reader *r, int64_t owner, struct queue_state *ret)
{
    sqlite3_stmt *rows = r->statements[READ_LANE_TALLY_LIST];
    int code;

    BIND_NUMBERS(rows, owner);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && ret->lane_count < QUEUE_LANES_MAX)
        ret->lanes[ret->lane_count++] =
            (struct queue_lane){.carrier = (unsigned)sqlite3_column_int(rows, 0),
                                .queued = sqlite3_column_int64(rows, 1)};
    return finish(r, rows, code);
}

int sqlite_queue_state(struct store_reader *base, int64_t account, enum mode mode,
                       struct queue_state *ret)
{
    struct sqlite_reader *r = reader_of(base);
    int64_t owner = owner_of(account, mode);
    int failed = sqlite_enter(r);

    if (!failed)
        failed = read_statuses(r, owner, ret);
    if (!failed)
        failed = read_oldest(r, owner, ret);
    if (!failed)
        failed = read_lanes(r, owner, ret);
    if (!failed) {
        BIND_NUMBERS(r->statements[READ_HOOK_TALLY_GET], owner, DELIVERY_WAITING);
        failed = last_number(r, READ_HOOK_TALLY_GET, &ret->hooks_pending);
    }
    return failed;
}

/* ---- calls of the API ---- */

int sqlite_request_each(struct store_reader *base, int64_t account, enum mode mode, int64_t from_us,
                        int64_t to_us, void (*tell)(void *context, int64_t start_us, int64_t count),
                        void *context)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_REQUEST_TALLY_BETWEEN];
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(rows, owner_of(account, mode), from_us / HOUR_US, to_us / HOUR_US);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW)
        tell(context, sqlite3_column_int64(rows, 0) * HOUR_US, sqlite3_column_int64(rows, 1));
    return finish(r, rows, code);
}
