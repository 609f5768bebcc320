#include "store/sqlite_posting.h"

#include "store/sqlite_rows.h"
#include "store/sqlite_volume.h"

void posting_open(struct posting *p, int64_t volume)
{
    p->volume = volume;
    p->leaf = 0;
    p->none_up_to = -1;
    p->none_from = INT64_MAX;
}

/* Reads what a statement finds: 1 a leaf, 0 none. */
static int take_leaf(struct posting *p, sqlite3_stmt *row)
{
    int code = sqlite3_step(row), found = code == SQLITE_ROW;

    p->leaf = 0;
    p->group.count = 0;
    p->from = INT64_MAX;
    if (found) {
        int bad = leaf_find(sqlite3_column_blob(row, 2), (size_t)sqlite3_column_bytes(row, 2),
                            p->owner, p->term, &p->group);
        p->leaf = sqlite3_column_int64(row, 0);
        p->rank = sqlite3_column_int64(row, 1);
        p->from = p->group.count ? p->group.ids[0] : INT64_MAX;
        found = bad ? bad : 1;
    } else if (code != SQLITE_DONE) {
        found = sqlite_errno(sqlite3_errcode(sqlite3_db_handle(row)));
    }
    sqlite3_reset(row);
    return found;
}

/* The leaf where this number is, if it is there at all. */
static int seek(struct posting *p, int64_t number)
{
    BIND_NUMBERS(p->seek, p->volume, p->owner, p->term, number);
    int found = take_leaf(p, p->seek);
    if (number < p->from)
        p->from = number;
    return found;
}

static int get(struct posting *p, int64_t leaf)
{
    sqlite3_bind_int64(p->get, 1, leaf);
    return take_leaf(p, p->get);
}

static bool is_place(const struct leaf_group *g, size_t at, int64_t number)
{
    return at <= g->count && (at == 0 || g->ids[at - 1] < number) &&
           (at == g->count || g->ids[at] >= number);
}

/* How many numbers of the group are below this one. Most often it is near the one before. */
static size_t below(struct posting *p, int64_t number)
{
    const struct leaf_group *g = &p->group;
    size_t low = 0, high = g->count;

    for (size_t at = p->at ? p->at - 1 : 0; at <= p->at + 1; at++)
        if (is_place(g, at, number))
            return p->at = at;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->ids[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return p->at = low;
}

/* No other leaf has this number. */
static bool is_within(const struct posting *p, int64_t number)
{
    const struct leaf_group *g = &p->group;

    return p->leaf && number >= p->from &&
           (!g->may_go_on || (g->count && number <= g->ids[g->count - 1]));
}

int posting_at_most(struct posting *p, int64_t number, int64_t *ret)
{
    if (number <= p->none_up_to)
        return 0;
    int found = is_within(p, number) ? 1 : seek(p, number);
    size_t n = found > 0 ? below(p, number) : 0;

    if (found < 0)
        return found;
    if (found && n < p->group.count && p->group.ids[n] == number)
        n++;
    if (n == 0) {
        p->none_up_to = number;
        return 0;
    }
    *ret = p->group.ids[n - 1];
    return 1;
}

int posting_at_least(struct posting *p, int64_t number, int64_t *ret)
{
    if (number >= p->none_from)
        return 0;
    int found = is_within(p, number) ? 1 : seek(p, number);
    if (found == 0) /* the volume begins behind it */
        found = get(p, p->volume << LEAF_PLACE_BITS);
    if (found > 0 && p->group.may_go_on && below(p, number) == p->group.count)
        found = get(p, p->leaf + 1);
    if (found < 0)
        return found;
    size_t n = found ? below(p, number) : 0;
    if (n == p->group.count) {
        p->none_from = number;
        return 0;
    }
    *ret = p->group.ids[n];
    return 1;
}

int posting_rank(struct posting *p, int64_t number, int64_t *ret)
{
    int found = is_within(p, number) ? 1 : seek(p, number);

    if (found < 0)
        return found;
    *ret = found ? p->rank + p->group.before + (int64_t)below(p, number) : 0;
    return 0;
}
