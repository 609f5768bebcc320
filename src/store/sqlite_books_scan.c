/* The books, message by message: an owner's messages are counted again, hour by hour in the order
 * of their numbers, beside the rows of rollups in the same order; and hours beside their day.
 *
 * Messages below the edge are gone. The hours before it, and what is gone of the hour that it lies
 * in, are compared with the counts of what is gone. */
#include "store/sqlite_books.h"
#include "store/sqlite_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define MEMORY_MAX ((size_t)1 << 30)

/* Counts of a span, by the number of the series. */
struct span {
    struct arena memory;
    struct rollup **series;
    size_t room;
    enum grain grain;
    int64_t start;
};

/* Rows that come in the order of time. */
struct cursor {
    sqlite3_stmt *rows;
    int code;
    int64_t start; /* of the row at hand */
};

struct scan {
    struct ledger *ledger;
    struct series_table series;
    int64_t edge;
    struct cursor messages, hours, days;
    struct message message; /* at hand */
    int64_t message_series; /* as its open row says; 0 */
    struct span hour;       /* recounted */
    struct span day;        /* the sum of its rows of hours */
    struct arena row_memory;
    int64_t stored[STATUS_SLOTS]; /* messages that are there */
    int64_t gone[STATUS_SLOTS];   /* rollups of messages that are not */
};

/* ---- spans ---- */

static void span_begin(struct span *s, enum grain grain, int64_t start)
{
    arena_reset(&s->memory);
    s->series = NULL;
    s->room = 0;
    s->grain = grain;
    s->start = start;
}

/* Of a series; NULL when memory is short. */
static struct rollup *span_row(struct span *s, int64_t number)
{
    if ((size_t)number >= s->room) {
        size_t room = ((size_t)number + ROLLUP_CHUNK) * 2;
        struct rollup **larger = arena_alloc(&s->memory, room * sizeof *larger);
        if (!larger)
            return NULL;
        if (s->room)
            memcpy(larger, s->series, s->room * sizeof *larger);
        s->series = larger;
        s->room = room;
    }
    if (!s->series[number])
        s->series[number] = arena_new(&s->memory, struct rollup);
    return s->series[number];
}

/* ---- comparing ---- */

static const char *span_text(const struct span *s, char out[32])
{
    time_t at = (time_t)(s->start * (grain_ms[s->grain] / 1000));
    struct tm tm;

    gmtime_r(&at, &tm);
    strftime(out, 32, s->grain == GRAIN_HOUR ? "hour %Y-%m-%dT%H" : "day %Y-%m-%d", &tm);
    return out;
}

static void compare_number(struct scan *s, const struct span *span, const char *what,
                           int64_t counted, int64_t there)
{
    char text[32];

    if (counted != there)
        books_differ(s->ledger, "%s: %" PRId64 " %s are counted, %" PRId64 " are there",
                     span_text(span, text), counted, what, there);
}

static void compare_slots(struct scan *s, const struct span *span, const char *what,
                          const struct rollup_slots *counted, const struct rollup_slots *there)
{
    size_t i = 0, j = 0;

    while (i < counted->count || j < there->count) {
        unsigned left = i < counted->count ? counted->at[i].slot : UINT32_MAX;
        unsigned right = j < there->count ? there->at[j].slot : UINT32_MAX;
        compare_number(s, span, what, left <= right ? counted->at[i].count : 0,
                       right <= left ? there->at[j].count : 0);
        i += left <= right;
        j += right <= left;
    }
}

static void compare_rows(struct scan *s, const struct span *span, const struct rollup *counted,
                         const struct rollup *there)
{
    compare_number(s, span, "accepted", counted->accepted, there->accepted);
    for (unsigned i = 0; i < STATUS_SLOTS; i++)
        compare_number(s, span, books_status_word(i), counted->statuses[i], there->statuses[i]);
    compare_number(s, span, "segments", counted->segments, there->segments);
    compare_number(s, span, "micro-units of cost", counted->cost_micros, there->cost_micros);
    compare_number(s, span, "milliseconds to delivery", counted->delivery_ms, there->delivery_ms);
    compare_slots(s, span, "failures of a kind", &counted->failures, &there->failures);
    compare_slots(s, span, "of a time to delivery", &counted->times, &there->times);
}

/* What has no row. */
static void compare_rest(struct scan *s, const struct span *span)
{
    static const struct rollup nothing;

    for (size_t i = 0; i < span->room; i++)
        if (span->series[i])
            compare_rows(s, span, &nothing, span->series[i]);
}

/* ---- cursors ---- */

static void next_row(struct cursor *c)
{
    c->code = sqlite3_step(c->rows);
    c->start = c->code == SQLITE_ROW ? sqlite3_column_int64(c->rows, 0) : INT64_MAX;
}

static void next_message(struct scan *s)
{
    struct cursor *c = &s->messages;

    c->code = sqlite3_step(c->rows);
    c->start = INT64_MAX;
    if (c->code != SQLITE_ROW)
        return;
    sqlite_counted_from_row(c->rows, &s->message, &s->message_series);
    c->start = id_time_ms(s->message.id) / grain_ms[GRAIN_HOUR];
}

/* Each entry of the row at hand is handed on; then to the next row. */
static int take_row(struct scan *s, struct cursor *c,
                    int (*take)(struct scan *s, int64_t number, const struct rollup *r))
{
    int64_t first = sqlite3_column_int64(c->rows, 1) * ROLLUP_CHUNK;
    struct rollup_unpack u;
    struct rollup r;
    int failed = 0;

    rollup_unpack_row(&u, c->rows, 2, true);
    while (!failed && rollup_unpack_next(&u)) {
        arena_reset(&s->row_memory);
        failed = rollup_unpack_all(&u, &s->row_memory, &r);
        if (!failed)
            failed = take(s, first + u.place, &r);
    }
    if (u.damaged || failed == -EBADMSG) {
        books_differ(s->ledger, "a row of its rollups is damaged");
        failed = 0;
    }
    next_row(c);
    return failed;
}

/* ---- hours ---- */

static int64_t find_series(struct scan *s)
{
    struct series_record r;
    char room[SERIES_TAGS_SIZE];

    series_of_message(&r, &s->message, room);
    series_settle(&s->series, &r, 0);
    return series_find(&s->series, &r);
}

static int count_message(struct scan *s)
{
    int64_t series = find_series(s);
    struct rollup_change c;
    char text[32];

    if ((unsigned)s->message.status >= STATUS_SLOTS) {
        books_differ(s->ledger, "%s: a message has no status", span_text(&s->hour, text));
        return 0;
    }
    s->stored[s->message.status]++;
    bool open = status_bit(s->message.status) & STATUS_OPEN_BITS;
    if (!series || (open && s->message_series != series))
        books_differ(s->ledger, "%s: a message is in series %" PRId64 " in place of %" PRId64,
                     span_text(&s->hour, text), s->message_series, series);
    struct rollup *row = span_row(&s->hour, series);
    rollup_change_of(&c, &s->message, series);
    return row && rollup_count(row, &c, &s->hour.memory) ? 0 : -ENOMEM;
}

/* The whole hour lies behind the edge. */
static bool is_whole(const struct scan *s)
{
    return s->edge == 0 || s->hour.start > id_time_ms(s->edge) / grain_ms[GRAIN_HOUR];
}

static int take_hour(struct scan *s, int64_t number, const struct rollup *r)
{
    static const struct rollup nothing;
    struct rollup *day = span_row(&s->day, number);
    const struct rollup *there =
        (size_t)number < s->hour.room && s->hour.series[number] ? s->hour.series[number] : &nothing;

    if (!day || !rollup_add(day, r, &s->day.memory))
        return -ENOMEM;
    if (is_whole(s))
        compare_rows(s, &s->hour, r, there);
    else
        for (unsigned i = 0; i < STATUS_SLOTS; i++)
            s->gone[i] += r->statuses[i] - there->statuses[i];
    if (there != &nothing)
        s->hour.series[number] = NULL; /* it is done */
    return 0;
}

static int scan_hour(struct scan *s, int64_t start)
{
    int failed = 0;

    span_begin(&s->hour, GRAIN_HOUR, start);
    while (!failed && s->messages.start == start) {
        failed = count_message(s);
        next_message(s);
    }
    while (!failed && s->hours.start == start)
        failed = take_row(s, &s->hours, take_hour);
    compare_rest(s, &s->hour);
    return failed;
}

/* ---- days ---- */

static int take_day(struct scan *s, int64_t number, const struct rollup *r)
{
    struct rollup *hours = span_row(&s->day, number);

    if (!hours)
        return -ENOMEM;
    compare_rows(s, &s->day, r, hours);
    s->day.series[number] = NULL;
    return 0;
}

static int64_t min_start(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int scan_day(struct scan *s, int64_t start)
{
    int64_t hour;
    int failed = 0;

    span_begin(&s->day, GRAIN_DAY, start);
    while (!failed &&
           (hour = min_start(s->messages.start, s->hours.start)) < (start + 1) * HOURS_A_DAY)
        failed = scan_hour(s, hour);
    while (!failed && s->days.start == start)
        failed = take_row(s, &s->days, take_day);
    compare_rest(s, &s->day);
    return failed;
}

static int scan_days(struct scan *s)
{
    int failed = 0;

    next_message(s);
    next_row(&s->hours);
    next_row(&s->days);
    while (!failed) {
        int64_t hour = min_start(s->messages.start, s->hours.start);
        int64_t day = min_start(s->days.start, hour == INT64_MAX ? hour : hour / HOURS_A_DAY);
        if (day == INT64_MAX)
            break;
        failed = scan_day(s, day);
    }
    return failed;
}

/* ---- an owner ---- */

static int load_series(struct scan *s)
{
    sqlite3_stmt *rows = s->ledger->reader->statements[READ_SERIES_LIST];
    struct series_record r;
    int code, failed = 0;

    BIND_NUMBERS(rows, s->ledger->owner);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        sqlite_series_from_row(rows, &r);
        failed = series_put(&s->series, &r);
    }
    int broken = finish(s->ledger->reader, rows, code);
    return broken ? broken : failed;
}

static int read_edge(struct scan *s)
{
    sqlite3_stmt *get = s->ledger->reader->statements[READ_BOOKS_EDGE];
    int code = sqlite3_step(get);

    if (code == SQLITE_ROW)
        s->edge = sqlite3_column_int64(get, 0);
    return finish(s->ledger->reader, get, code);
}

static void compare_tallies(struct scan *s)
{
    const struct ledger *l = s->ledger;

    for (unsigned i = 0; i < STATUS_SLOTS; i++) {
        if (l->stored[i] != s->stored[i])
            books_differ(s->ledger, "%" PRId64 " %s are tallied, %" PRId64 " are there",
                         l->stored[i], books_status_word(i), s->stored[i]);
        if (l->gone[i] != s->gone[i])
            books_differ(s->ledger, "%" PRId64 " %s are gone, %" PRId64 " are counted so",
                         l->gone[i], books_status_word(i), s->gone[i]);
    }
}

static int run_scan(struct scan *s)
{
    struct sqlite_reader *r = s->ledger->reader;
    int failed = load_series(s);

    if (!failed)
        failed = read_edge(s);
    if (failed)
        return failed;
    s->messages.rows = r->statements[READ_BOOKS_MESSAGES];
    s->hours.rows = r->statements[READ_ROLLUP_TIMED];
    s->days.rows = r->statements[READ_BOOKS_DAYS];
    BIND_NUMBERS(s->messages.rows, s->ledger->owner);
    BIND_NUMBERS(s->hours.rows, s->ledger->owner, GRAIN_HOUR, 0, INT64_MAX);
    BIND_NUMBERS(s->days.rows, s->ledger->owner, GRAIN_DAY, 0, INT64_MAX);
    failed = scan_days(s);
    struct cursor *const all[] = {&s->messages, &s->hours, &s->days};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int broken = finish(r, all[i]->rows, all[i]->code);
        failed = failed ? failed : broken;
    }
    if (!failed)
        compare_tallies(s);
    return failed;
}

int books_scan(struct ledger *l)
{
    struct scan s = {.ledger = l};
    struct arena *const arenas[] = {&s.hour.memory, &s.day.memory, &s.row_memory};

    series_init(&s.series);
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++)
        arena_init(arenas[i], MEMORY_MAX);
    int failed = run_scan(&s);
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++)
        arena_done(arenas[i]);
    series_done(&s.series);
    return failed;
}
