/* Pages and numbers of deliveries. Each state of each mode has a list of its own, by number;
 * several of them are read side by side and put in order, so a page costs the same however many
 * others there are. */
#include "store/sqlite_delivery.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

#include <stdlib.h>

/* The lists that a filter stands for. */
struct lists {
    struct sqlite_reader *reader;
    int64_t endpoint;
    struct {
        enum mode mode;
        enum delivery_state state;
    } which[2 * (DELIVERY_FAILED - DELIVERY_WAITING + 1)];
    size_t count;
    int64_t first, last; /* numbers between these */
};

/* Numbers follow the time, to the millisecond. */
static struct lists lists_of(struct sqlite_reader *r, const struct delivery_filter *f)
{
    struct lists l = {.reader = r, .endpoint = f->endpoint, .last = INT64_MAX};

    for (int mode = MODE_TEST; mode <= MODE_LIVE; mode++)
        for (int state = DELIVERY_WAITING; state <= DELIVERY_FAILED; state++) {
            if ((f->modes && !(f->modes & 1u << mode)) || (f->states && !(f->states & 1u << state)))
                continue;
            l.which[l.count].mode = (enum mode)mode;
            l.which[l.count++].state = (enum delivery_state)state;
        }
    if (f->after_us)
        l.first = id_at_ms(f->after_us / 1000);
    if (f->before_us)
        l.last = id_at_ms(f->before_us / 1000) - 1;
    return l;
}

static int up(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int down(const void *a, const void *b)
{
    return up(b, a);
}

/* Up to `most` numbers of all lists that lie between two, nearest to the first (upwards) or to the
 * last (downwards). */
static int read_numbers(const struct lists *l, bool upwards, int64_t first, int64_t last,
                        size_t most, struct arena *a, int64_t **ret, size_t *ret_count)
{
    sqlite3_stmt *rows =
        l->reader->statements[upwards ? READ_DELIVERY_AT_LEAST : READ_DELIVERY_AT_MOST];
    int64_t *numbers = arena_alloc(a, (l->count * most + 1) * sizeof *numbers);
    size_t count = 0;

    if (!numbers)
        return -ENOMEM;
    for (size_t i = 0; i < l->count; i++) {
        int code;
        BIND_NUMBERS(rows, l->endpoint, l->which[i].mode, l->which[i].state, first, last,
                     (int64_t)most);
        while ((code = sqlite3_step(rows)) == SQLITE_ROW)
            numbers[count++] = sqlite3_column_int64(rows, 0);
        int failed = finish(l->reader, rows, code);
        if (failed)
            return failed;
    }
    qsort(numbers, count, sizeof *numbers, upwards ? up : down);
    *ret = numbers;
    *ret_count = count < most ? count : most;
    return 0;
}

static int read_one(struct sqlite_reader *r, int64_t id, struct delivery_record *ret)
{
    sqlite3_stmt *get = r->statements[READ_DELIVERY_READ];

    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        delivery_from_row(get, ret);
    int broken = finish(r, get, code);
    return broken ? broken : code == SQLITE_ROW ? 0 : -EBADMSG;
}

static int read_page(const struct lists *l, int64_t cursor, size_t limit, struct arena *a,
                     struct delivery_page *page)
{
    int64_t *numbers, last = cursor && cursor < l->last ? cursor : l->last;
    size_t count;
    int failed = read_numbers(l, false, l->first, last, limit + 1, a, &numbers, &count);

    if (failed)
        return failed;
    page->records = arena_alloc(a, (limit + 1) * sizeof *page->records);
    if (!page->records)
        return -ENOMEM;
    if (count > limit)
        page->next = numbers[limit];
    page->count = count < limit ? count : limit;
    for (size_t i = 0; i < page->count && !failed; i++)
        failed = read_one(l->reader, numbers[i], &page->records[i]);
    return failed;
}

/* The page before is headed by the last of as many as it has room for. */
static int read_previous(const struct lists *l, int64_t cursor, size_t limit, struct arena *a,
                         int64_t *ret)
{
    int64_t *numbers;
    size_t count;
    int64_t first = cursor < l->first ? l->first : cursor + 1;
    int failed = read_numbers(l, true, first, l->last, limit, a, &numbers, &count);

    if (!failed && count)
        *ret = numbers[count - 1];
    return failed;
}

/* From the tallies, or when there are bounds by counting. */
static int count_all(const struct lists *l, bool bounded, int64_t *ret)
{
    sqlite3_stmt *get = l->reader->statements[bounded ? READ_DELIVERY_NUMBER : READ_DELIVERY_TALLY];
    int failed = 0;

    for (size_t i = 0; i < l->count && !failed; i++) {
        int at = BIND_NUMBERS(get, l->endpoint, l->which[i].mode, l->which[i].state);
        if (bounded)
            bind_numbers_at(get, at, (const int64_t[]){l->first, l->last}, 2);
        int code = sqlite3_step(get);
        if (code == SQLITE_ROW)
            *ret += sqlite3_column_int64(get, 0);
        failed = finish(l->reader, get, code);
    }
    return failed;
}

static bool is_bounded(const struct delivery_filter *f)
{
    return f->after_us || f->before_us;
}

int sqlite_delivery_page(struct store_reader *base, const struct delivery_filter *filter,
                         int64_t cursor, size_t limit, struct arena *a, struct delivery_page *ret)
{
    struct sqlite_reader *r = reader_of(base);
    struct lists l = lists_of(r, filter);
    int failed = sqlite_enter(r);

    if (!failed)
        failed = read_page(&l, cursor, limit, a, ret);
    if (!failed && cursor)
        failed = read_previous(&l, cursor, limit, a, &ret->previous);
    return failed ? failed : count_all(&l, is_bounded(filter), &ret->total);
}

int sqlite_delivery_count(struct store_reader *base, const struct delivery_filter *filter,
                          int64_t *ret)
{
    struct sqlite_reader *r = reader_of(base);
    struct lists l = lists_of(r, filter);
    int failed = sqlite_enter(r);

    return failed ? failed : count_all(&l, is_bounded(filter), ret);
}
