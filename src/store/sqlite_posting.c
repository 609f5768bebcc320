#include "store/sqlite_posting.h"

#include "store/sqlite_rows.h"
#include "store/sqlite_volume.h"

void posting_open(struct posting *p, int64_t volume)
{
    p->volume = volume;
    p->leaf = 0;
}

/* Reads what a statement finds: 1 a leaf, 0 none. */
static int take_leaf(struct posting *p, sqlite3_stmt *row)
{
    int code = sqlite3_step(row), found = code == SQLITE_ROW;

    p->leaf = 0;
    p->group.count = 0;
    if (found) {
        int bad = leaf_find(sqlite3_column_blob(row, 2), (size_t)sqlite3_column_bytes(row, 2),
                            p->owner, p->term, &p->group);
        p->leaf = sqlite3_column_int64(row, 0);
        p->rank = sqlite3_column_int64(row, 1);
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
    return take_leaf(p, p->seek);
}

static int get(struct posting *p, int64_t leaf)
{
    sqlite3_bind_int64(p->get, 1, leaf);
    return take_leaf(p, p->get);
}

/* How many numbers of the group are below this one. */
static size_t below(const struct leaf_group *g, int64_t number)
{
    size_t low = 0, high = g->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->ids[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The group is known and the number lies within. */
static bool is_within(const struct posting *p, int64_t number)
{
    const struct leaf_group *g = &p->group;

    return p->leaf && g->count && number >= g->ids[0] &&
           (number <= g->ids[g->count - 1] || !g->may_go_on);
}

int posting_at_most(struct posting *p, int64_t number, int64_t *ret)
{
    if (number < 0)
        return 0;
    int found = is_within(p, number) ? 1 : seek(p, number);
    size_t n = found > 0 ? below(&p->group, number) : 0;

    if (found <= 0)
        return found;
    if (n < p->group.count && p->group.ids[n] == number)
        n++;
    if (n == 0)
        return 0;
    *ret = p->group.ids[n - 1];
    return 1;
}

int posting_at_least(struct posting *p, int64_t number, int64_t *ret)
{
    int found = is_within(p, number) ? 1 : seek(p, number);

    if (found == 0) /* the volume begins behind it */
        found = get(p, p->volume << LEAF_PLACE_BITS);
    if (found > 0 && below(&p->group, number) == p->group.count && p->group.may_go_on)
        found = get(p, p->leaf + 1);
    if (found <= 0)
        return found;
    size_t n = below(&p->group, number);
    if (n == p->group.count)
        return 0;
    *ret = p->group.ids[n];
    return 1;
}

int posting_rank(struct posting *p, int64_t number, int64_t *ret)
{
    int found = is_within(p, number) ? 1 : seek(p, number);

    if (found < 0)
        return found;
    *ret = found ? p->rank + p->group.before + (int64_t)below(&p->group, number) : 0;
    return 0;
}
