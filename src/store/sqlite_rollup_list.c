/* Rollups as they are read: those of an owner's series that match, in the order of time. */
#include "store/sqlite_rollup.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

enum { MEMORY_MAX = 256 << 20 };

/* What hours are told of, series of a kind together. */
enum hour_part { HOUR_OUTBOUND, HOUR_MMS, HOUR_INBOUND, HOUR_PARTS };

struct listing {
    struct sqlite_reader *reader;
    const struct rollup_query *query;
    rollup_tell *tell;
    void *context;
    struct arena series_memory, row_memory;
    struct series_record **series; /* by number; NULL: does not match */
    size_t series_room;
    bool has_inbound, lacks_inbound, lacks_outbound; /* series that match, and that do not */
    struct rollup hour[HOUR_PARTS];                  /* that is being added up */
    bool hour_has[HOUR_PARTS];
    int64_t hour_us;
};

/* ---- which series ---- */

static bool matches(const struct series_record *r, const struct rollup_query *q)
{
    return (!q->country[0] || memcmp(r->country, q->country, 2) == 0) &&
           (!q->types || q->types & UINT32_C(1) << r->type) &&
           (!q->tag.p || series_has_tag(r, q->tag)) &&
           (!q->sender.p || (r->sender.n && str_eq(r->sender, q->sender)));
}

static int make_room(struct listing *l, size_t number)
{
    if (number < l->series_room)
        return 0;
    size_t room = (number + ROLLUP_CHUNK) * 2 / ROLLUP_CHUNK * ROLLUP_CHUNK;
    struct series_record **larger = arena_alloc(&l->series_memory, room * sizeof *larger);
    if (!larger)
        return -ENOMEM;
    if (l->series_room)
        memcpy(larger, l->series, l->series_room * sizeof *larger);
    l->series = larger;
    l->series_room = room;
    return 0;
}

static int keep_series(struct listing *l, const struct series_record *r)
{
    struct series_record *kept = arena_new(&l->series_memory, struct series_record);

    if (!kept || make_room(l, (size_t)r->id) != 0)
        return -ENOMEM;
    *kept = *r;
    kept->sender = arena_copy(&l->series_memory, r->sender);
    kept->tags = arena_copy(&l->series_memory, r->tags);
    l->series[r->id] = kept;
    return kept->sender.p && kept->tags.p ? 0 : -ENOMEM;
}

static int find_series(struct listing *l)
{
    sqlite3_stmt *rows = l->reader->statements[READ_SERIES_LIST];
    struct series_record r;
    int code, failed = 0;

    BIND_NUMBERS(rows, owner_of(l->query->account, l->query->mode));
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        bool inbound;
        sqlite_series_from_row(rows, &r);
        inbound = r.direction == DIRECTION_INBOUND;
        if (matches(&r, l->query)) {
            failed = keep_series(l, &r);
            l->has_inbound |= inbound;
        } else {
            l->lacks_inbound |= inbound;
            l->lacks_outbound |= !inbound;
        }
    }
    int broken = finish(l->reader, rows, code);
    return broken ? broken : failed;
}

/* ---- their rows ---- */

static bool any_matches(const struct listing *l, size_t first)
{
    for (size_t i = first; i < l->series_room && i < first + ROLLUP_CHUNK; i++)
        if (l->series[i])
            return true;
    return false;
}

/* The series of the entry at hand; NULL: it does not match. */
static const struct series_record *series_of(const struct listing *l, size_t number)
{
    return number < l->series_room ? l->series[number] : NULL;
}

static int tell_row(struct listing *l, sqlite3_stmt *row, int64_t span_us, bool times)
{
    int64_t start_us = sqlite3_column_int64(row, 0) * span_us;
    size_t first = (size_t)sqlite3_column_int64(row, 1) * ROLLUP_CHUNK;
    struct rollup_unpack u;
    struct rollup counts;
    int failed = 0;

    if (!any_matches(l, first))
        return 0;
    rollup_unpack_row(&u, row, 2, times);
    while (!failed && rollup_unpack_next(&u)) {
        const struct series_record *series = series_of(l, first + u.place);
        if (!series)
            continue;
        arena_reset(&l->row_memory);
        failed = rollup_unpack_all(&u, &l->row_memory, &counts);
        if (!failed)
            l->tell(l->context, series, start_us, &counts);
    }
    return u.damaged ? -EBADMSG : failed;
}

/* Rows between two times, with those of times or without. */
static sqlite3_stmt *rows_between(struct listing *l, enum grain grain, bool times, int64_t from_us,
                                  int64_t to_us)
{
    sqlite3_stmt *rows = l->reader->statements[times ? READ_ROLLUP_TIMED : READ_ROLLUP_BETWEEN];
    int64_t span_us = grain_ms[grain] * 1000;

    BIND_NUMBERS(rows, owner_of(l->query->account, l->query->mode), grain, from_us / span_us,
                 to_us / span_us);
    return rows;
}

static int tell_rows(struct listing *l, enum grain grain, int64_t from_us, int64_t to_us)
{
    bool times = !l->query->without_times;
    int64_t span_us = grain_ms[grain] * 1000;
    int code, failed = 0;

    if (from_us >= to_us)
        return 0;
    sqlite3_stmt *rows = rows_between(l, grain, times, from_us, to_us);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed)
        failed = tell_row(l, rows, span_us, times);
    int broken = finish(l->reader, rows, code);
    return broken ? broken : failed;
}

/* Where the last whole day ends. That of the end is whole, too, when nothing was accepted in the
 * rest of it: the day that is running. */
static int end_of_days(struct listing *l, int64_t *ret)
{
    const int64_t day_us = grain_ms[GRAIN_DAY] * 1000;
    int64_t last = l->query->to_us / day_us * day_us, next = last + day_us;
    sqlite3_stmt *rows = rows_between(l, GRAIN_TOGETHER, false, l->query->to_us, next);
    int code = sqlite3_step(rows);

    *ret = code == SQLITE_DONE ? next : last;
    return finish(l->reader, rows, code);
}

/* Whole days between hours at the edges. */
static int tell_all(struct listing *l)
{
    const struct rollup_query *q = l->query;
    const int64_t day_us = grain_ms[GRAIN_DAY] * 1000;
    int64_t first = (q->from_us + day_us - 1) / day_us * day_us, last;
    int failed = end_of_days(l, &last);

    if (failed)
        return failed;
    if (first >= last)
        return tell_rows(l, GRAIN_HOUR, q->from_us, q->to_us);
    failed = tell_rows(l, GRAIN_HOUR, q->from_us, first);
    if (!failed)
        failed = tell_rows(l, GRAIN_DAY, first, last);
    return failed ? failed : tell_rows(l, GRAIN_HOUR, last, q->to_us);
}

/* ---- hours besides ---- */

/* As far as hours tell series apart. */
static const struct series_record hour_series[HOUR_PARTS] = {
    [HOUR_OUTBOUND] = {.direction = DIRECTION_OUTBOUND, .kind = KIND_SMS},
    [HOUR_MMS] = {.direction = DIRECTION_OUTBOUND, .kind = KIND_MMS},
    [HOUR_INBOUND] = {.direction = DIRECTION_INBOUND, .kind = KIND_SMS},
};

static enum hour_part hour_part_of(const struct series_record *r)
{
    if (r->direction == DIRECTION_INBOUND)
        return HOUR_INBOUND;
    return r->kind == KIND_MMS ? HOUR_MMS : HOUR_OUTBOUND;
}

static void tell_hour(struct listing *l, enum hour_part part, int64_t start_us,
                      const struct rollup *counts)
{
    l->query->hours(l->context, &hour_series[part], start_us, counts);
}

static void tell_together(struct listing *l, unsigned place, int64_t start_us,
                          const struct rollup *counts)
{
    if (place == TOGETHER_OUTBOUND)
        tell_hour(l, HOUR_OUTBOUND, start_us, counts);
    if (place == TOGETHER_INBOUND && l->has_inbound)
        tell_hour(l, HOUR_INBOUND, start_us, counts);
    if (place == TOGETHER_MMS) { /* which were told among the others */
        struct rollup less = {.accepted = -counts->accepted}, more = {.accepted = counts->accepted};
        tell_hour(l, HOUR_OUTBOUND, start_us, &less);
        tell_hour(l, HOUR_MMS, start_us, &more);
    }
}

static int tell_together_row(struct listing *l, sqlite3_stmt *row)
{
    int64_t start_us = sqlite3_column_int64(row, 0) * grain_ms[GRAIN_TOGETHER] * 1000;
    struct rollup_unpack u;
    struct rollup counts;
    int failed = 0;

    rollup_unpack_row(&u, row, 2, !l->query->without_times);
    while (!failed && rollup_unpack_next(&u)) {
        arena_reset(&l->row_memory);
        failed = rollup_unpack_all(&u, &l->row_memory, &counts);
        if (!failed)
            tell_together(l, u.place, start_us, &counts);
    }
    return u.damaged ? -EBADMSG : failed;
}

/* Tells of the hour that was added up, and begins the one that starts then. */
static void next_hour(struct listing *l, int64_t start_us)
{
    for (enum hour_part part = 0; part < HOUR_PARTS; part++) {
        if (!l->hour_has[part])
            continue;
        tell_hour(l, part, l->hour_us, &l->hour[part]);
        l->hour[part] = (struct rollup){0};
        l->hour_has[part] = false;
    }
    l->hour_us = start_us;
}

/* An hour has many series, and all that match are told as one. */
static int add_hour_row(struct listing *l, sqlite3_stmt *row)
{
    int64_t start_us = sqlite3_column_int64(row, 0) * grain_ms[GRAIN_HOUR] * 1000;
    size_t first = (size_t)sqlite3_column_int64(row, 1) * ROLLUP_CHUNK;
    struct rollup_unpack u;

    if (start_us != l->hour_us)
        next_hour(l, start_us);
    if (!any_matches(l, first))
        return 0;
    rollup_unpack_row(&u, row, 2, false);
    while (rollup_unpack_next(&u)) {
        const struct series_record *series = series_of(l, first + u.place);
        if (!series)
            continue;
        enum hour_part part = hour_part_of(series);
        rollup_unpack_add(&u, &l->hour[part]);
        l->hour_has[part] = true;
    }
    return u.damaged ? -EBADMSG : 0;
}

static int tell_hours(struct listing *l)
{
    const struct rollup_query *q = l->query;
    bool together = !l->lacks_outbound && !(l->has_inbound && l->lacks_inbound);
    enum grain grain = together ? GRAIN_TOGETHER : GRAIN_HOUR;
    sqlite3_stmt *rows =
        rows_between(l, grain, together && !q->without_times, q->from_us, q->to_us);
    int code, failed = 0;

    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed)
        failed = together ? tell_together_row(l, rows) : add_hour_row(l, rows);
    next_hour(l, 0);
    int broken = finish(l->reader, rows, code);
    return broken ? broken : failed;
}

int sqlite_rollup_each(struct store_reader *base, const struct rollup_query *query,
                       rollup_tell *tell, void *context)
{
    struct listing l = {
        .reader = reader_of(base), .query = query, .tell = tell, .context = context};
    int failed = sqlite_enter(l.reader);

    if (failed)
        return failed;
    arena_init(&l.series_memory, MEMORY_MAX);
    arena_init(&l.row_memory, MEMORY_MAX);
    failed = find_series(&l);
    if (!failed && l.series)
        failed = tell_all(&l);
    if (!failed && l.series && query->hours)
        failed = tell_hours(&l);
    arena_done(&l.series_memory);
    arena_done(&l.row_memory);
    return failed;
}
