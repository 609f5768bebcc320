#include "store/sqlite_rollup.h"

#include "store/sqlite_gather.h"
#include "store/sqlite_rows.h"

#include <stdlib.h>

enum { MEMORY_MAX = 16 << 20, MEMORY_SPARE = 1 << 20 }; /* a row needs less than the spare */

int rollup_init(struct sqlite_store *s)
{
    s->rollups = calloc(1, sizeof *s->rollups);
    if (!s->rollups)
        return -ENOMEM;
    series_init(&s->rollups->series);
    arena_init(&s->rollups->arena, MEMORY_MAX);
    s->rollups->tag_sets_max = SERIES_TAG_SETS_MAX;
    return 0;
}

void rollup_done(struct sqlite_store *s)
{
    if (!s->rollups)
        return;
    series_done(&s->rollups->series);
    arena_done(&s->rollups->arena);
    free(s->rollups->bytes);
    free(s->rollups);
    s->rollups = NULL;
}

/* ---- memory ---- */

static void forget_pages(struct rollups *r)
{
    memset(r->slots, 0, sizeof r->slots);
    r->page_count = 0;
    r->dirty = NULL;
    arena_reset(&r->arena);
}

void rollup_forget(struct sqlite_store *s)
{
    struct rollups *r = s->rollups;

    forget_pages(r);
    if (r->series_added)
        r->series_known = r->series_added = false;
}

bool rollup_begin(struct sqlite_store *s)
{
    sqlite3_stmt *ask = s->statements[WRITE_DATA_VERSION];
    struct rollups *r = s->rollups;
    int64_t version = -1;

    if (sqlite3_step(ask) == SQLITE_ROW)
        version = sqlite3_column_int64(ask, 0);
    sqlite3_reset(ask);
    bool changed = version != r->data_version;
    if (changed) {
        forget_pages(r);
        r->series_known = false;
    }
    r->data_version = version;
    r->series_added = false;
    return changed;
}

static struct rollup_page **slot_of(struct rollups *r, int64_t owner, enum grain grain,
                                    int64_t start, int64_t chunk)
{
    uint64_t hash = (uint64_t)owner * 0x9e3779b97f4a7c15;

    hash = (hash ^ (uint64_t)start << 1 ^ grain) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ hash >> 29 ^ (uint64_t)chunk) * 0x94d049bb133111eb;
    for (size_t at = hash >> 40;; at++) {
        struct rollup_page **slot = &r->slots[at % ROLLUP_PAGE_SLOTS];
        struct rollup_page *p = *slot;
        if (!p ||
            (p->owner == owner && p->start == start && p->chunk == chunk && p->grain == grain))
            return slot;
    }
}

/* ---- reading and writing rows ---- */

/* Messages must go on when this is damaged: the row begins anew, and the books tell. */
static int unpack_page(struct sqlite_store *s, struct rollup_page *p, sqlite3_stmt *row)
{
    struct rollup_unpack u;
    int failed = 0;

    rollup_unpack_row(&u, row, 0, true);
    p->has_times = u.with_times;
    while (!failed && rollup_unpack_next(&u)) {
        p->rows[u.place] = arena_new(&s->rollups->arena, struct rollup);
        failed = p->rows[u.place] ? rollup_unpack_all(&u, &s->rollups->arena, p->rows[u.place])
                                  : -ENOMEM;
    }
    if (failed == -ENOMEM)
        return failed;
    if (u.damaged || failed)
        memset(p->rows, 0, sizeof p->rows);
    return 0;
}

static int load_page(struct sqlite_store *s, struct rollup_page *p)
{
    sqlite3_stmt *get = s->statements[WRITE_ROLLUP_GET];
    int failed = 0;

    BIND_NUMBERS(get, p->owner, p->grain, p->start, p->chunk);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        failed = unpack_page(s, p, get);
    sqlite3_reset(get);
    return code == SQLITE_ROW || code == SQLITE_DONE ? failed : sqlite_failed(s);
}

static int make_room(struct rollups *r, const struct rollup_page *p)
{
    size_t room = 0;

    for (size_t i = 0; i < ROLLUP_CHUNK; i++)
        if (p->rows[i])
            room += rollup_pack_room(p->rows[i]) + rollup_pack_times_room(p->rows[i]);
    if (room <= r->room)
        return 0;
    uint8_t *larger = realloc(r->bytes, room);
    if (!larger)
        return -ENOMEM;
    r->bytes = larger;
    r->room = room;
    return 0;
}

static uint8_t *pack_counts(uint8_t *to, const struct rollup_page *p)
{
    for (unsigned i = 0; i < ROLLUP_CHUNK; i++)
        if (p->rows[i])
            to = rollup_pack(to, i, p->rows[i]);
    return to;
}

static uint8_t *pack_times(uint8_t *to, const struct rollup_page *p)
{
    for (unsigned i = 0; i < ROLLUP_CHUNK; i++)
        if (p->rows[i])
            to = rollup_pack_times(to, p->rows[i]);
    return to;
}

/* Counts up to `middle`, times up to the end. */
static int put(struct sqlite_store *s, const struct rollup_page *p, enum grain grain,
               const uint8_t *bytes, const uint8_t *middle, const uint8_t *end)
{
    sqlite3_stmt *statement = s->statements[WRITE_ROLLUP_PUT];

    BIND_NUMBERS(statement, p->owner, grain, p->start, p->chunk);
    sqlite3_bind_blob(statement, 5, bytes, (int)(middle - bytes), SQLITE_STATIC);
    sqlite3_bind_blob(statement, 6, middle, (int)(end - middle), SQLITE_STATIC);
    return run(s, WRITE_ROLLUP_PUT);
}

static int write_hour(struct sqlite_store *s, struct rollup_page *p)
{
    const uint8_t *bytes = s->rollups->bytes, *end = pack_counts(s->rollups->bytes, p);
    int failed = put(s, p, GRAIN_HOUR, bytes, end, end);

    if (failed || !p->times_dirty)
        return failed;
    end = pack_times(s->rollups->bytes, p);
    p->times_dirty = false;
    p->has_times = true;
    return put(s, p, GRAIN_TIMES, bytes, bytes, end);
}

static int write_page(struct sqlite_store *s, struct rollup_page *p)
{
    if (make_room(s->rollups, p) != 0)
        return -ENOMEM;
    p->dirty = false;
    if (p->grain == GRAIN_HOUR)
        return write_hour(s, p);
    uint8_t *middle = pack_counts(s->rollups->bytes, p);
    return put(s, p, p->grain, s->rollups->bytes, middle, pack_times(middle, p));
}

int rollup_flush(struct sqlite_store *s)
{
    struct rollups *r = s->rollups;
    int failed = 0;

    for (struct rollup_page *p = r->dirty; p && !failed; p = p->next_dirty)
        failed = write_page(s, p);
    r->dirty = NULL;
    return failed;
}

/* ---- counting ---- */

static int find_page(struct sqlite_store *s, int64_t owner, enum grain grain, int64_t start,
                     int64_t chunk, struct rollup_page **ret)
{
    struct rollups *r = s->rollups;
    struct rollup_page **slot = slot_of(r, owner, grain, start, chunk);
    int failed = 0;

    if (r->page_count == ROLLUP_PAGES_MAX || !arena_spares(&r->arena, MEMORY_SPARE)) {
        failed = rollup_flush(s);
        forget_pages(r);
        slot = slot_of(r, owner, grain, start, chunk);
    }
    if (!failed && !*slot) {
        struct rollup_page *p = arena_new(&r->arena, struct rollup_page);
        if (!p)
            return -ENOMEM;
        *p = (struct rollup_page){.owner = owner, .grain = grain, .start = start, .chunk = chunk};
        failed = load_page(s, p);
        if (!failed) {
            *slot = p;
            r->page_count++;
        }
    }
    *ret = *slot;
    return failed;
}

/* `number`: of the series, or what a row of all together has in its place. */
static int apply_to(struct sqlite_store *s, enum grain grain, int64_t number,
                    const struct rollup_change *c)
{
    struct rollups *r = s->rollups;
    struct rollup_page *p = NULL;
    int failed = find_page(s, c->owner, grain, id_time_ms(c->id) / grain_ms[grain],
                           number / ROLLUP_CHUNK, &p);

    if (failed)
        return failed;
    struct rollup **row = &p->rows[number % ROLLUP_CHUNK];
    /* Times have an entry for each of the counts. */
    p->times_dirty |= c->time_ms >= 0 || (!*row && p->has_times);
    if (!*row && !(*row = arena_new(&r->arena, struct rollup)))
        return -ENOMEM;
    if (!p->dirty) {
        p->dirty = true;
        p->next_dirty = r->dirty;
        r->dirty = p;
    }
    return rollup_count(*row, c, &r->arena) ? 0 : -ENOMEM;
}

/* What is received never moves, so a move is of an outbound message. */
static int apply_together(struct sqlite_store *s, const struct rollup_change *c)
{
    struct rollup_change accepted = {
        .owner = c->owner, .id = c->id, .accepted = c->accepted, .to = c->to, .time_ms = -1};
    int failed = apply_to(s, GRAIN_TOGETHER, c->inbound ? TOGETHER_INBOUND : TOGETHER_OUTBOUND, c);

    if (failed || !c->mms || c->inbound)
        return failed;
    return apply_to(s, GRAIN_TOGETHER, TOGETHER_MMS, &accepted);
}

int rollup_apply(struct sqlite_store *s, const struct rollup_change *c)
{
    int failed = apply_to(s, GRAIN_HOUR, c->series, c);

    if (!failed)
        failed = apply_to(s, GRAIN_DAY, c->series, c);
    return failed ? failed : apply_together(s, c);
}

int rollup_accepted(struct sqlite_store *s, const struct message *m, int64_t *ret)
{
    struct rollup_change c;
    int failed = COUNTING ? sqlite_series_of(s, m, ret) : 0;

    if (failed || !COUNTING)
        return failed;
    rollup_change_of(&c, m, *ret);
    return rollup_apply(s, &c);
}

/* What was counted for it when it was accepted. Few ask. */
static int read_cost(struct sqlite_store *s, int64_t id, int64_t *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_MESSAGE_COST];
    const struct message *m = gather_find_message(s, id);

    if (m) {
        *ret = m->direction == DIRECTION_OUTBOUND ? m->cost_micros : 0;
        return 0;
    }
    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW && sqlite3_column_int(get, 1) == DIRECTION_OUTBOUND)
        *ret = sqlite3_column_int64(get, 0);
    sqlite3_reset(get);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

int rollup_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was)
{
    struct rollup_change c = {.owner = was->owner,
                              .series = was->series,
                              .id = move->id,
                              .from = was->status,
                              .to = move->to,
                              .time_ms = -1};
    int64_t sent_us = time_if_any(was->sent_us), paid = 0;
    bool ended = !(status_bit(move->to) & STATUS_OPEN_BITS);
    int failed = 0;

    if (was->series == 0) /* it was accepted uncounted */
        return 0;
    if (ended)
        c.failure = move->failure;
    if (move->to == STATUS_DELIVERED && sent_us)
        c.time_ms = rollup_time_ms(sent_us, move->at_us);
    if (ended && message_is_free(move->to, move->failure, sent_us))
        failed = read_cost(s, move->id, &paid);
    c.cost_micros = -paid;
    return failed ? failed : rollup_apply(s, &c);
}
