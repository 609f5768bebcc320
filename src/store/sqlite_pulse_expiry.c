/* The pulse, past its time: in small steps, see sqlite_housekeep.c. Minutes with messages that are
 * still queued are passed over; they go with the last of these. */
#include "store/sqlite_pulse.h"
#include "store/sqlite_rows.h"

/* How many rows at a time, and how many minutes may gather before there is something to do. */
enum { STEP = 256, EVERY_MINUTES = 10 };

int64_t pulse_kept_from(int64_t now_us)
{
    return pulse_minute_of(now_us) - PULSE_KEPT_MINUTES;
}

struct place {
    int64_t owner, minute;
};

bool pulse_wants_expiry(struct sqlite_store *s, bool idle)
{
    return pulse_kept_from(clock_now_us(s->base.clock)) >= s->pulses->swept_minute + EVERY_MINUTES;
}

/* The next rows; which of them go is in `ret`. *ret_looked: how many there were. */
static int read_step(struct sqlite_store *s, int64_t before, struct place ret[STEP],
                     size_t *ret_count, size_t *ret_looked)
{
    struct pulse_memory *p = s->pulses;
    sqlite3_stmt *rows = s->statements[WRITE_PULSE_OLDEST];
    int code;

    BIND_NUMBERS(rows, p->seen_minute, p->seen_owner, before, STEP);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        p->seen_owner = sqlite3_column_int64(rows, 0);
        p->seen_minute = sqlite3_column_int64(rows, 1);
        ++*ret_looked;
        if (sqlite3_column_int64(rows, 2) == 0)
            ret[(*ret_count)++] = (struct place){p->seen_owner, p->seen_minute};
    }
    sqlite3_reset(rows);
    return code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

static int drop(struct sqlite_store *s, const struct place *place)
{
    struct pulse_cell *cell = pulse_find(s->pulses, place->owner, place->minute);

    if (cell)
        cell->used = false;
    return RUN_WITH(s, WRITE_PULSE_DELETE, place->owner, place->minute);
}

int pulse_expire(struct sqlite_store *s, bool idle)
{
    int64_t before = pulse_kept_from(clock_now_us(s->base.clock));
    struct place places[STEP];
    size_t count = 0, looked = 0;
    int failed = read_step(s, before, places, &count, &looked);

    for (size_t i = 0; i < count && !failed; i++)
        failed = drop(s, &places[i]);
    if (!failed && looked < STEP)
        s->pulses->swept_minute = before;
    return failed;
}
