/* The books: that an hour of all series together is the sum of the hours of each. */
#include "store/sqlite_books.h"
#include "store/sqlite_rows.h"

#include <inttypes.h>
#include <time.h>

#define MEMORY_MAX ((size_t)1 << 28)

struct hour {
    struct arena memory;
    sqlite3_stmt *rows;
    int code;
    int64_t start;     /* of the row at hand; INT64_MAX: there is none */
    struct rollup sum; /* of all its rows */
    int64_t mms;       /* of the outbound ones */
};

struct comparison {
    struct ledger *ledger;
    struct hour each, together;
    struct arena series_memory;
    bool *mms; /* by the number of the series */
    size_t room;
};

static int note_mms(struct comparison *c, const struct series_record *r)
{
    size_t number = (size_t)r->id;

    if (number >= c->room) {
        size_t room = 2 * number + ROLLUP_CHUNK;
        bool *larger = arena_alloc(&c->series_memory, room);
        if (!larger)
            return -ENOMEM;
        if (c->room)
            memcpy(larger, c->mms, c->room);
        c->mms = larger;
        c->room = room;
    }
    c->mms[number] = r->kind == KIND_MMS && r->direction == DIRECTION_OUTBOUND;
    return 0;
}

static int read_series(struct comparison *c)
{
    struct sqlite_reader *r = c->ledger->reader;
    sqlite3_stmt *rows = r->statements[READ_SERIES_LIST];
    struct series_record series;
    int code, failed = 0;

    BIND_NUMBERS(rows, c->ledger->owner);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        sqlite_series_from_row(rows, &series);
        failed = note_mms(c, &series);
    }
    int broken = finish(r, rows, code);
    return broken ? broken : failed;
}

static void next_row(struct hour *h)
{
    h->code = sqlite3_step(h->rows);
    h->start = h->code == SQLITE_ROW ? sqlite3_column_int64(h->rows, 0) : INT64_MAX;
}

/* Damaged rows are named elsewhere, or make a difference here. */
static int add_row(struct comparison *c, struct hour *h)
{
    size_t first = (size_t)sqlite3_column_int64(h->rows, 1) * ROLLUP_CHUNK;
    struct rollup_unpack u;
    struct rollup r;

    rollup_unpack_row(&u, h->rows, 2, true);
    while (rollup_unpack_next(&u) && rollup_unpack_all(&u, &h->memory, &r) == 0) {
        size_t number = first + u.place;
        if (h == &c->together && number == TOGETHER_MMS) {
            h->mms += r.accepted;
            continue;
        }
        if (h == &c->each && number < c->room && c->mms[number])
            h->mms += r.accepted;
        if (!rollup_add(&h->sum, &r, &h->memory))
            return -ENOMEM;
    }
    return 0;
}

static int sum_up(struct comparison *c, struct hour *h, int64_t start)
{
    int failed = 0;

    arena_reset(&h->memory);
    h->sum = (struct rollup){0};
    h->mms = 0;
    while (!failed && h->start == start) {
        failed = add_row(c, h);
        next_row(h);
    }
    return failed;
}

static void compare(struct comparison *c, int64_t start)
{
    time_t at = (time_t)(start * 3600);
    struct tm tm;
    char text[32];

    if (rollup_same(&c->each.sum, &c->together.sum) && c->each.mms == c->together.mms)
        return;
    strftime(text, sizeof text, "hour %Y-%m-%dT%H", gmtime_r(&at, &tm));
    books_differ(c->ledger,
                 "%s: %" PRId64 " messages of all series together are not the %" PRId64 " of each",
                 text, c->together.sum.accepted, c->each.sum.accepted);
}

static int compare_all(struct comparison *c)
{
    int failed = read_series(c);

    next_row(&c->each);
    next_row(&c->together);
    while (!failed) {
        int64_t start = c->each.start < c->together.start ? c->each.start : c->together.start;
        if (start == INT64_MAX)
            break;
        failed = sum_up(c, &c->each, start);
        if (!failed)
            failed = sum_up(c, &c->together, start);
        if (!failed)
            compare(c, start);
    }
    return failed;
}

int books_together(struct ledger *l)
{
    struct sqlite_reader *r = l->reader;
    struct comparison c = {.ledger = l,
                           .each.rows = r->statements[READ_ROLLUP_TIMED],
                           .together.rows = r->statements[READ_BOOKS_DAYS]};
    struct arena *const arenas[] = {&c.each.memory, &c.together.memory, &c.series_memory};

    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++)
        arena_init(arenas[i], MEMORY_MAX);
    BIND_NUMBERS(c.each.rows, l->owner, GRAIN_HOUR, 0, INT64_MAX);
    BIND_NUMBERS(c.together.rows, l->owner, GRAIN_TOGETHER, 0, INT64_MAX);
    int failed = compare_all(&c);
    int broken = finish(r, c.each.rows, c.each.code);
    int torn = finish(r, c.together.rows, c.together.code);
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++)
        arena_done(arenas[i]);
    return failed ? failed : broken ? broken : torn;
}
