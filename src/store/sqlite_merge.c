/* Several volumes become one, a piece at a time: each level of a shelf has at most one merging
 * under way, and the lowest one is always served first, because it has the least to do and the
 * most often. What was written so far lies in a volume that is not in use yet. */
#include "store/sqlite_rows.h"
#include "store/sqlite_volume_internal.h"

#include <stdlib.h>

/* A volume that is read from one end to the other. */
struct input {
    int64_t next; /* leaf */
    bool over;
    struct leaf_reader reader; /* its entry is the one that comes next */
    uint8_t bytes[LEAF_SIZE];
};

struct merge {
    int64_t oldest; /* volume: where the inputs stand on the shelf */
    size_t count;
    struct volume_writer out;
    struct input inputs[];
};

size_t merge_candidates(const struct sqlite_store *s, const struct shelf *shelf, int level,
                        size_t *ret_at)
{
    size_t at = 0, n = 0;

    if (level >= shelf->level_max)
        return 0;
    while (at < shelf->count && shelf->volumes[at].level != level)
        at++;
    while (at + n < shelf->count && shelf->volumes[at + n].level == level && n < s->sizes.fan)
        n++;
    *ret_at = at;
    return n == s->sizes.fan ? n : 0;
}

/* The lowest level with something to do; LEVELS when there is none. */
static int next_level(const struct sqlite_store *s, const struct shelf *shelf)
{
    int level = 0;
    size_t at;

    while (level < LEVELS && !shelf->merges[level] && !merge_candidates(s, shelf, level, &at))
        level++;
    return level;
}

bool merge_has_work(const struct sqlite_store *s, const struct shelf *shelf)
{
    return next_level(s, shelf) < LEVELS;
}

static int read_leaf(struct sqlite_store *s, struct input *in)
{
    sqlite3_stmt *get = s->statements[WRITE_LEAF_GET];
    int failed = 0;

    sqlite3_bind_int64(get, 1, in->next++);
    int code = sqlite3_step(get);
    in->over = code == SQLITE_DONE;
    if (code == SQLITE_ROW) {
        size_t n = (size_t)sqlite3_column_bytes(get, 2);
        memcpy(in->bytes, sqlite3_column_blob(get, 2), n < LEAF_SIZE ? n : LEAF_SIZE);
        leaf_read(&in->reader, in->bytes, n < LEAF_SIZE ? n : LEAF_SIZE);
    } else if (code != SQLITE_DONE) {
        failed = sqlite_failed(s);
    }
    sqlite3_reset(get);
    return failed;
}

static int advance(struct sqlite_store *s, struct input *in)
{
    while (!in->over && !leaf_next(&in->reader)) {
        if (in->reader.damaged)
            return store_fail(&s->base, -EBADMSG, "a leaf before %lld is damaged",
                              (long long)in->next);
        int failed = read_leaf(s, in);
        if (failed)
            return failed;
    }
    return 0;
}

static int start(struct sqlite_store *s, struct shelf *shelf, int level)
{
    size_t at, n = merge_candidates(s, shelf, level, &at);
    const struct volume *from = &shelf->volumes[at];
    struct merge *m = calloc(1, sizeof *m + n * sizeof *m->inputs);

    if (!m)
        return -ENOMEM;
    shelf->merges[level] = m;
    m->oldest = from->id;
    m->count = n;
    int failed = volume_begin(s, &m->out, shelf, level + 1, from[0].first, from[n - 1].last);
    for (size_t i = 0; i < n && !failed; i++) {
        m->inputs[i].next = from[i].id << LEAF_PLACE_BITS;
        failed = advance(s, &m->inputs[i]);
    }
    return failed;
}

/* The input whose entry comes next: of those under the same term the oldest; NULL at the end. */
static struct input *lowest(struct merge *m)
{
    struct input *low = NULL;

    for (size_t i = 0; i < m->count; i++)
        if (!m->inputs[i].over &&
            (!low || entry_compare_terms(&m->inputs[i].reader.entry, &low->reader.entry) < 0))
            low = &m->inputs[i];
    return low;
}

/* Copies what an input has under its present term, from a number on, as long as *left, which counts
 * down, allows. */
static int copy_group(struct sqlite_store *s, struct merge *m, struct input *in, int64_t from,
                      size_t *left)
{
    const struct entry group = in->reader.entry;
    int failed;

    do {
        failed = in->reader.entry.id >= from ? volume_put(s, &m->out, &in->reader.entry) : 0;
        if (!failed)
            failed = advance(s, in);
    } while (--*left && !failed && !in->over &&
             entry_compare_terms(&in->reader.entry, &group) == 0);
    return failed;
}

/* The new volume takes the place of those it was made from. */
static int finish_merge(struct sqlite_store *s, struct shelf *shelf, int level)
{
    struct merge *m = shelf->merges[level];
    size_t at = 0;
    int failed = volume_finish(s, &m->out);

    while (shelf->volumes[at].id != m->oldest)
        at++;
    for (size_t i = 0; i < m->count && !failed; i++)
        failed = volume_drop(s, shelf, shelf->volumes[at + i].id);
    if (!failed)
        failed = shelf_replace(shelf, at, m->count, &m->out.volume);
    free(m);
    shelf->merges[level] = NULL;
    return failed;
}

int merge_work(struct sqlite_store *s, struct shelf *shelf, size_t entries)
{
    int level = next_level(s, shelf), failed = 0;

    if (level == LEVELS)
        return 0;
    if (!shelf->merges[level])
        failed = start(s, shelf, level);
    struct merge *m = shelf->merges[level];
    while (!failed && entries) {
        struct input *low = lowest(m);
        if (!low)
            return finish_merge(s, shelf, level);
        failed = copy_group(s, m, low, shelf->from, &entries);
    }
    return failed;
}

void merge_forget(struct shelf *shelf)
{
    for (int level = 0; level < LEVELS; level++) {
        free(shelf->merges[level]);
        shelf->merges[level] = NULL;
    }
}
