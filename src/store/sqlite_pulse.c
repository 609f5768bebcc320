#include "store/sqlite_pulse.h"

#include "store/sqlite_outbox.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

/* ---- rows ---- */

static int read_row(struct sqlite_store *s, struct pulse_cell *cell)
{
    sqlite3_stmt *row = s->statements[WRITE_PULSE_GET];

    BIND_NUMBERS(row, cell->owner, cell->minute);
    int code = sqlite3_step(row);
    if (code == SQLITE_ROW) {
        const uint8_t *bytes = sqlite3_column_blob(row, 1);
        cell->on_disk = true;
        cell->waits = sqlite3_column_int(row, 0);
        /* Messages must go on when this is damaged: the minute begins anew, and the books tell. */
        pulse_unpack(&cell->counts, bytes, (size_t)sqlite3_column_bytes(row, 1));
        cell->queued = pulse_queued(&cell->counts);
    }
    sqlite3_reset(row);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

static int bind_counts(sqlite3_stmt *put, int at, const struct pulse_cell *cell,
                       uint8_t bytes[PULSE_PACK_SIZE])
{
    size_t n = pulse_pack(&cell->counts, bytes);

    return sqlite3_bind_blob(put, at, bytes, (int)n, SQLITE_STATIC);
}

/* The minute before this one may have been left to wait though nothing does; see write_row. */
static int settle(struct sqlite_store *s, const struct pulse_cell *next)
{
    struct pulse_cell *cells = s->pulses->cells[0];

    for (size_t i = 0; i < PULSE_SETS * (size_t)PULSE_WAYS; i++)
        if (cells[i].owner == next->owner && cells[i].minute < next->minute)
            cells[i].certain = false;
    return RUN_WITH(s, WRITE_PULSE_SETTLE, next->owner, next->minute);
}

static int insert_row(struct sqlite_store *s, struct pulse_cell *cell)
{
    uint8_t bytes[PULSE_PACK_SIZE];
    sqlite3_stmt *put = s->statements[WRITE_PULSE_INSERT];

    cell->waits = cell->queued > 0;
    bind_counts(put, BIND_NUMBERS(put, cell->owner, cell->minute, cell->queued, cell->waits), cell,
                bytes);
    int failed = run(s, WRITE_PULSE_INSERT);
    cell->on_disk = true;
    return failed ? failed : settle(s, cell);
}

static int update_row(struct sqlite_store *s, struct pulse_cell *cell, bool waits)
{
    uint8_t bytes[PULSE_PACK_SIZE];
    enum write_statement which = WRITE_PULSE_SET;
    int at;

    if (waits == cell->waits && cell->certain)
        at = BIND_NUMBERS(s->statements[which], cell->owner, cell->minute, cell->queued);
    else {
        which = WRITE_PULSE_SET_WAITS;
        at = BIND_NUMBERS(s->statements[which], cell->owner, cell->minute, cell->queued, waits);
    }
    cell->waits = waits;
    bind_counts(s->statements[which], at, cell, bytes);
    return run(s, which);
}

static int delete_row(struct sqlite_store *s, struct pulse_cell *cell)
{
    bool there = cell->on_disk;

    cell->on_disk = false;
    return there ? RUN_WITH(s, WRITE_PULSE_DELETE, cell->owner, cell->minute) : 0;
}

/* A minute that is long past goes with its last queued message. In the minute that runs, messages
 * are queued and sent by turns: `waits` stays as it is, because changing it costs more than the row
 * does; the next minute settles it. */
static int write_row(struct sqlite_store *s, struct pulse_cell *cell)
{
    int64_t now_us = s->outbox->now_us;
    bool running = cell->minute >= pulse_minute_of(now_us);
    bool over = cell->minute < s->pulses->swept_minute && cell->minute < pulse_kept_from(now_us);
    int failed;

    cell->dirty = false;
    if (over && cell->queued == 0)
        failed = delete_row(s, cell);
    else if (!cell->on_disk)
        failed = insert_row(s, cell);
    else
        failed = update_row(s, cell, cell->queued > 0 || (running && cell->waits));
    cell->certain = true;
    return failed;
}

/* ---- what is remembered ---- */

static struct pulse_cell *set_of(struct pulse_memory *p, int64_t owner, int64_t minute)
{
    uint64_t mixed = ((uint64_t)owner * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    return p->cells[(mixed + (uint64_t)minute) % PULSE_SETS];
}

static bool is_it(const struct pulse_cell *cell, int64_t owner, int64_t minute)
{
    return cell->used && cell->minute == minute && cell->owner == owner;
}

struct pulse_cell *pulse_find(struct pulse_memory *p, int64_t owner, int64_t minute)
{
    struct pulse_cell *set = set_of(p, owner, minute);

    for (size_t i = 0; i < PULSE_WAYS; i++)
        if (is_it(&set[i], owner, minute))
            return &set[i];
    return NULL;
}

/* The place whose use is longest ago, written when it has changed. */
static int make_room(struct sqlite_store *s, struct pulse_cell *set, struct pulse_cell **ret)
{
    struct pulse_cell *oldest = set;

    for (size_t i = 1; i < PULSE_WAYS; i++)
        if (set[i].stamp < oldest->stamp)
            oldest = &set[i];
    *ret = oldest;
    return oldest->dirty ? write_row(s, oldest) : 0;
}

static int load(struct sqlite_store *s, int64_t owner, int64_t minute, struct pulse_cell **ret)
{
    struct pulse_cell *cell;
    int failed = make_room(s, set_of(s->pulses, owner, minute), &cell);

    if (failed)
        return failed;
    *cell = (struct pulse_cell){
        .owner = owner, .minute = minute, .used = true, .listed = cell->listed, .certain = true};
    *ret = cell;
    return read_row(s, cell);
}

static int get(struct sqlite_store *s, int64_t owner, int64_t minute, struct pulse_cell **ret)
{
    struct pulse_memory *p = s->pulses;
    struct pulse_cell *cell = p->last;
    int failed = 0;

    if (!cell || !is_it(cell, owner, minute))
        cell = pulse_find(p, owner, minute);
    if (!cell)
        failed = load(s, owner, minute, &cell);
    if (failed)
        return failed;
    cell->stamp = ++p->stamp;
    *ret = p->last = cell;
    return 0;
}

static int add(struct sqlite_store *s, int64_t owner, int64_t at_us, enum pulse_slot slot,
               int delta)
{
    struct pulse_memory *p = s->pulses;
    struct pulse_cell *cell;
    int failed = COUNTING ? get(s, owner, pulse_minute_of(at_us), &cell) : 0;

    if (failed || !COUNTING)
        return failed;
    int64_t changed = pulse_add(&cell->counts, pulse_second_of(at_us), slot, delta);
    if (slot == PULSE_QUEUED)
        cell->queued += changed;
    if (!cell->listed)
        p->dirty[p->dirty_count++] = cell;
    cell->listed = cell->dirty = true;
    return 0;
}

/* ---- what happens ---- */

int pulse_accepted(struct sqlite_store *s, const struct message *m)
{
    int64_t owner = owner_of(m->account, m->mode);
    enum pulse_slot slot = m->status == STATUS_RECEIVED ? PULSE_received : PULSE_accepted;
    int failed = add(s, owner, m->created_us, slot, 1);

    if (!failed && m->status == STATUS_QUEUED)
        failed = add(s, owner, m->updated_us, PULSE_QUEUED, 1);
    return failed;
}

/* Whoever is queued was last changed when it was: being handed to a carrier, or to another, is no
 * change. */
int pulse_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was)
{
    static const enum pulse_slot slots[STATUS_SLOTS] = {
        [STATUS_SENT] = PULSE_sent,
        [STATUS_DELIVERED] = PULSE_delivered,
        [STATUS_FAILED] = PULSE_failed,
        [STATUS_CANCELLED] = PULSE_cancelled,
    };
    int failed = 0;

    if (was->status == STATUS_QUEUED)
        failed = add(s, was->owner, was->updated_us, PULSE_QUEUED, -1);
    if (!failed && (move->to == STATUS_QUEUED || slots[move->to]))
        failed = add(s, was->owner, move->at_us, slots[move->to], 1);
    return failed;
}

int pulse_hook_failed(struct sqlite_store *s, int64_t owner, int64_t at_us)
{
    return add(s, owner, at_us, PULSE_hook_failures, 1);
}

int pulse_flush(struct sqlite_store *s)
{
    struct pulse_memory *p = s->pulses;
    int failed = 0;

    for (size_t i = 0; i < p->dirty_count && !failed; i++) {
        p->dirty[i]->listed = false;
        if (p->dirty[i]->dirty)
            failed = write_row(s, p->dirty[i]);
    }
    p->dirty_count = 0;
    return failed;
}

void pulse_forget(struct sqlite_store *s)
{
    struct pulse_memory *p = s->pulses;
    struct pulse_cell *cells = p->cells[0];

    for (size_t i = 0; i < PULSE_SETS * (size_t)PULSE_WAYS; i++) {
        cells[i].used = cells[i].dirty = cells[i].listed = false;
        cells[i].stamp = 0;
    }
    p->last = NULL;
    p->dirty_count = 0;
    p->seen_minute = p->seen_owner = p->swept_minute = 0;
}
