/* Bounds of a search: the numbers of a batch's messages lie side by side, and times follow the
 * order of numbers. */
#include "store/sqlite_rows.h"
#include "store/sqlite_search.h"

/* The first message from a number on: 1, 0 there is none. */
static int read_created(struct sqlite_reader *r, int64_t from, int64_t *ret_id, int64_t *ret_us)
{
    sqlite3_stmt *get = r->statements[READ_MESSAGE_CREATED_FROM];

    sqlite3_bind_int64(get, 1, from);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW) {
        *ret_id = sqlite3_column_int64(get, 0);
        *ret_us = sqlite3_column_int64(get, 1);
    }
    int broken = finish(r, get, code);
    return broken ? broken : code == SQLITE_ROW;
}

/* A number that parts what was created before a time from what was created at it or later. The time
 * inside of numbers is close to that, so the first guesses leave little between them; but the clock
 * may have been turned, so they are no more than guesses. */
static int find_time(struct sqlite_reader *r, int64_t at_us, int64_t *ret)
{
    const int64_t guesses[] = {id_at_ms(at_us / 1000), id_at_ms(at_us / 1000 + 1)};
    int64_t low = 0, high = INT64_MAX, id = 0, created_us = 0;

    for (size_t i = 0; low < high; i++) {
        int64_t middle = i < 2 ? guesses[i] : low + (high - low) / 2;
        if (middle < low || middle >= high)
            continue;
        int found = read_created(r, middle, &id, &created_us);
        if (found < 0)
            return found;
        if (found && created_us < at_us)
            low = id + 1;
        else
            high = middle;
    }
    *ret = low;
    return 0;
}

/* A batch of another owner, or none, has no messages. */
static int batch_range(struct search *q, int64_t batch)
{
    struct batch_record b;
    int failed = sqlite_batch_read(q->reader, batch, q->owner, &b);

    q->low = failed ? 1 : b.id;
    q->high = failed ? 0 : b.last;
    return failed == -ENOENT ? 0 : failed;
}

static int read_edge(struct sqlite_reader *r, int64_t *ret)
{
    *ret = 0;
    return last_number(r, READ_EDGE_GET, ret);
}

int search_range(struct search *q, const struct message_filter *filter)
{
    int64_t bound;
    int failed = filter->batch ? batch_range(q, filter->batch) : 0;

    if (!failed)
        failed = read_edge(q->reader, &q->edge);
    if (q->edge > q->low)
        q->low = q->edge;
    if (!failed && filter->after_us) {
        failed = find_time(q->reader, filter->after_us, &bound);
        if (!failed && bound > q->low)
            q->low = bound;
    }
    if (!failed && filter->before_us) {
        failed = find_time(q->reader, filter->before_us, &bound);
        if (!failed && bound - 1 < q->high)
            q->high = bound - 1;
    }
    return failed;
}

/* ---- whole hours ---- */

#define HOUR_MS INT64_C(3600000)

static int64_t hour_of(int64_t number)
{
    return id_time_ms(number) / HOUR_MS;
}

static int64_t hour_begin(int64_t hour)
{
    return id_at_ms(hour * HOUR_MS);
}

/* Whether there is no message from one number to before another. */
static int is_empty(struct sqlite_reader *r, int64_t from, int64_t to, bool *ret)
{
    int64_t id = 0, created_us;
    int found = read_created(r, from, &id, &created_us);

    *ret = found == 0 || (found == 1 && id >= to);
    return found < 0 ? found : 0;
}

/* The lowest number that cuts off as much as the lower bound does: rollups have what is gone, but
 * nothing where there never was a message. */
static int widen_down(struct search *q, int64_t *low)
{
    int64_t begin = hour_begin(hour_of(q->low));
    bool empty = false;
    int failed =
        begin < q->low && q->edge <= begin ? is_empty(q->reader, begin, q->low, &empty) : 0;

    *low = empty ? begin : q->low;
    return failed;
}

static int widen_up(struct search *q, int64_t *high)
{
    bool empty = false;

    *high = q->high;
    if (q->high == INT64_MAX)
        return 0;
    int64_t end = hour_begin(hour_of(q->high) + 1);
    int failed = is_empty(q->reader, q->high + 1, end, &empty);
    if (empty)
        *high = end - 1;
    return failed;
}

/* A stretch without messages is none. */
static int drop_if_empty(struct search *q, struct stretch *s)
{
    bool empty = false;
    int failed = s->low <= s->high ? is_empty(q->reader, s->low, s->high + 1, &empty) : 0;

    if (empty)
        *s = (struct stretch){1, 0};
    return failed;
}

int search_hours(struct search *q, struct hours *ret)
{
    int64_t low, high;
    int failed = widen_down(q, &low);

    if (!failed)
        failed = widen_up(q, &high);
    if (failed)
        return failed;
    bool open = high == INT64_MAX;
    ret->from = low ? hour_of(low - 1) + 1 : hour_of(0);
    ret->to = open ? hour_of(high) + 1 : hour_of(high + 1);
    ret->whole = (struct stretch){hour_begin(ret->from), open ? high : hour_begin(ret->to) - 1};
    ret->rest[0] = (struct stretch){low, ret->whole.low - 1};
    ret->rest[1] = open ? (struct stretch){1, 0} : (struct stretch){ret->whole.high + 1, high};
    failed = drop_if_empty(q, &ret->rest[0]);
    return failed ? failed : drop_if_empty(q, &ret->rest[1]);
}
