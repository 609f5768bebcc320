/* The way from one match to the next, in both directions. */
#include "store/sqlite_rows.h"
#include "store/sqlite_search.h"
#include "store/terms.h"

/* ---- by terms ---- */

size_t search_tail_place(const struct search *q, int64_t number)
{
    size_t low = 0, high = q->tail_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (q->tail[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool tail_next(const struct search *q, bool up, int64_t number, int64_t *ret)
{
    size_t at = search_tail_place(q, number);

    if (!up && (at == q->tail_count || q->tail[at] != number)) {
        if (at == 0)
            return false;
        at--;
    }
    if (at == q->tail_count)
        return false;
    *ret = q->tail[at];
    return true;
}

static void set_posting(struct search *q, size_t i, int64_t term, int64_t volume)
{
    struct posting *p = &q->reader->postings[i];

    p->seek = q->reader->statements[READ_LEAF_SEEK];
    p->get = q->reader->statements[READ_LEAF_GET];
    p->owner = q->owner;
    p->term = term;
    posting_open(p, volume);
}

void search_open_volume(struct search *q, size_t at)
{
    if (q->open_volume == at + 1)
        return;
    q->open_volume = at + 1;
    for (size_t i = 0; i < q->term_count; i++)
        set_posting(q, i, q->terms[i], q->volumes[at].id);
    set_posting(q, q->term_count, term_alone(TERM_INBOUND), q->volumes[at].id);
}

static int posting_next(struct posting *p, bool up, int64_t number, int64_t *ret)
{
    return up ? posting_at_least(p, number, ret) : posting_at_most(p, number, ret);
}

/* The nearest number that stands under every term: each in turn names its nearest, until all name
 * the same. */
static int meet(struct search *q, bool up, int64_t number, int64_t *ret)
{
    size_t agreed = 0;

    for (size_t i = 0; agreed < q->term_count; i = (i + 1) % q->term_count) {
        int64_t nearest;
        int found = posting_next(&q->reader->postings[i], up, number, &nearest);
        if (found <= 0)
            return found;
        agreed = nearest == number ? agreed + 1 : 1;
        number = nearest;
    }
    *ret = number;
    return 1;
}

static int is_inbound(struct search *q, int64_t id)
{
    int64_t nearest;
    int found = posting_at_most(&q->reader->postings[q->term_count], id, &nearest);

    return found <= 0 ? found : nearest == id;
}

static int volume_next(struct search *q, size_t at, bool up, int64_t number, int64_t *ret)
{
    if (q->barren[at])
        return 0;
    search_open_volume(q, at);
    for (;;) {
        int found = meet(q, up, number, ret);
        if (found <= 0 || !q->outbound)
            return found;
        int inbound = is_inbound(q, *ret);
        if (inbound <= 0)
            return inbound < 0 ? inbound : 1;
        number = up ? *ret + 1 : *ret - 1;
    }
}

/* How many volumes end before a number. */
static size_t volume_place(const struct search *q, int64_t number)
{
    size_t at = 0;

    while (at < q->volume_count && q->volumes[at].last < number)
        at++;
    return at;
}

static int walk_up(struct search *q, int64_t number, int64_t *ret)
{
    if (number < q->low)
        number = q->low;
    for (size_t at = volume_place(q, number); at < q->volume_count; at++) {
        if (q->volumes[at].first > q->high)
            return 0;
        int found = volume_next(q, at, true, number, ret);
        if (found != 0)
            return found > 0 ? *ret <= q->high : found;
    }
    return tail_next(q, true, number, ret);
}

static int walk_down(struct search *q, int64_t number, int64_t *ret)
{
    if (number > q->high)
        number = q->high;
    if (tail_next(q, false, number, ret))
        return 1;
    size_t at = volume_place(q, number);
    if (at < q->volume_count) /* the one it lies in */
        at++;
    while (at-- > 0 && q->volumes[at].last >= q->low) {
        int found = volume_next(q, at, false, number, ret);
        if (found != 0)
            return found > 0 ? *ret >= q->low : found;
    }
    return 0;
}

int walk_terms(struct search *q, bool up, int64_t number, int64_t *ret)
{
    return up ? walk_up(q, number, ret) : walk_down(q, number, ret);
}

/* ---- by status ---- */

/* Those on their way are in `work`, the others stand by their status. */
static enum read_statement list_of(unsigned status, bool up)
{
    if (status == STATUS_QUEUED || status == STATUS_SENT)
        return up ? READ_WORK_AT_LEAST : READ_WORK_AT_MOST;
    return up ? READ_STANDING_AT_LEAST : READ_STANDING_AT_MOST;
}

/* More of a list when all that was read the last time was used. */
static unsigned next_limit(const struct window *w)
{
    if (!w->limit)
        return 1;
    if (w->at + 1 < w->count)
        return w->limit > 4 ? w->limit / 4 : 1;
    return w->limit * 4 < WINDOW_SIZE ? w->limit * 4 : WINDOW_SIZE;
}

static int read_window(struct search *q, unsigned status, bool up, int64_t number)
{
    struct window *w = &q->windows[status];
    sqlite3_stmt *rows = q->reader->statements[list_of(status, up)];
    int code;

    w->limit = next_limit(w);
    w->asked = number;
    w->up = up;
    w->count = w->at = 0;
    BIND_NUMBERS(rows, q->owner, status, number, w->limit);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW)
        w->ids[w->count++] = sqlite3_column_int64(rows, 0);
    w->ended = w->count < w->limit;
    return finish(q->reader, rows, code);
}

/* Which of two numbers a walk meets first. */
static bool is_before(bool up, int64_t a, int64_t b)
{
    return up ? a < b : a > b;
}

static bool is_in_window(const struct window *w, bool up, int64_t number)
{
    return w->limit && w->up == up && !is_before(up, number, w->asked) &&
           (w->ended || !is_before(up, w->ids[w->count - 1], number));
}

/* The nearest number of a list; one beyond all bounds when there is none. */
static int nearest_of(struct search *q, unsigned status, bool up, int64_t number, int64_t *ret)
{
    struct window *w = &q->windows[status];
    int failed = 0;

    *ret = up ? INT64_MAX : -1;
    if (q->tallies[status] == 0)
        return 0;
    if (!is_in_window(w, up, number))
        failed = read_window(q, status, up, number);
    if (w->at && !is_before(up, w->ids[w->at - 1], number))
        w->at = 0;
    while (w->at < w->count && is_before(up, w->ids[w->at], number))
        w->at++;
    if (w->at < w->count)
        *ret = w->ids[w->at];
    return failed;
}

static int walk_statuses(struct search *q, uint32_t statuses, bool up, int64_t number, int64_t *ret)
{
    int64_t best = up ? INT64_MAX : -1, found;

    if (up && number < q->low)
        number = q->low;
    if (!up && number > q->high)
        number = q->high;
    for (unsigned i = 0; i < STATUSES; i++) {
        if (!(statuses & UINT32_C(1) << i))
            continue;
        int failed = nearest_of(q, i, up, number, &found);
        if (failed)
            return failed;
        if (is_before(up, found, best))
            best = found;
    }
    if (best < q->low || best > q->high || best == INT64_MAX)
        return 0;
    *ret = best;
    return 1;
}

/* ---- by both ---- */

int walk_standing(struct search *q, uint32_t statuses, bool up, int64_t number, int64_t *ret)
{
    bool all = search_takes_all(q);

    for (;;) {
        int found = walk_statuses(q, statuses, up, number, ret);
        if (found <= 0 || all)
            return found;
        number = *ret;
        found = walk_terms(q, up, number, ret);
        if (found <= 0 || *ret == number)
            return found;
        number = *ret;
    }
}
