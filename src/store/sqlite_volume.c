#include "store/sqlite_rows.h"
#include "store/sqlite_volume_internal.h"
#include "store/stint.h"

#include <stdlib.h>

enum { STATE_MAKING = 1, STATE_IN_USE = 2, STATE_OVER = 3 };
/* Dropping a leaf takes as long as merging about so many entries. */
enum { ENTRIES_PER_DROP = 64 };

/* ---- one volume ---- */

int volume_begin(struct sqlite_store *s, struct volume_writer *w, const struct shelf *shelf,
                 int level, int64_t first, int64_t last)
{
    int failed = RUN_WITH(s, WRITE_VOLUME_INSERT, shelf->number, STATE_MAKING, level, first, last);

    w->volume = (struct volume){sqlite3_last_insert_rowid(s->db), first, last, level};
    w->leaves = w->entries = 0;
    leaf_begin(&w->leaf, first);
    return failed;
}

static int write_leaf(struct sqlite_store *s, struct volume_writer *w)
{
    sqlite3_stmt *insert = s->statements[WRITE_LEAF_INSERT];
    const struct leaf_writer *leaf = &w->leaf;

    int at = BIND_NUMBERS(insert, (w->volume.id << LEAF_PLACE_BITS) + w->leaves, w->volume.id,
                          leaf->first.owner, leaf->first.term, leaf->first.id, w->entries);
    sqlite3_bind_blob(insert, at, leaf->bytes, (int)leaf->size, SQLITE_STATIC);
    w->leaves++;
    w->entries += leaf->count;
    return run(s, WRITE_LEAF_INSERT);
}

int volume_put(struct sqlite_store *s, struct volume_writer *w, const struct entry *e)
{
    if (leaf_add(&w->leaf, e))
        return 0;
    int failed = write_leaf(s, w);
    leaf_begin(&w->leaf, w->volume.first);
    leaf_add(&w->leaf, e);
    return failed;
}

int volume_finish(struct sqlite_store *s, struct volume_writer *w)
{
    int failed = w->leaf.count ? write_leaf(s, w) : 0;

    return failed ? failed : RUN_WITH(s, WRITE_VOLUME_SET_STATE, w->volume.id, STATE_IN_USE);
}

int volume_drop(struct sqlite_store *s, struct shelf *shelf, int64_t id)
{
    shelf->over = true;
    return RUN_WITH(s, WRITE_VOLUME_SET_STATE, id, STATE_OVER);
}

/* ---- the shelf ---- */

int64_t shelf_upto(const struct shelf *shelf)
{
    return shelf->count ? shelf->volumes[shelf->count - 1].last : 0;
}

void shelf_forget(struct shelf *shelf)
{
    merge_forget(shelf);
    free(shelf->volumes);
    shelf->volumes = NULL;
    shelf->count = shelf->room = 0;
    shelf->from = 0;
    shelf->loaded = false;
}

int shelf_replace(struct shelf *shelf, size_t at, size_t n, const struct volume *v)
{
    if (shelf->count == shelf->room) {
        size_t room = shelf->room ? shelf->room * 2 : 64;
        struct volume *more = realloc(shelf->volumes, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        shelf->volumes = more;
        shelf->room = room;
    }
    memmove(&shelf->volumes[at + 1], &shelf->volumes[at + n],
            (shelf->count - at - n) * sizeof *shelf->volumes);
    shelf->volumes[at] = *v;
    shelf->count = shelf->count + 1 - n;
    return 0;
}

int shelf_load(struct sqlite_store *s, struct shelf *shelf)
{
    sqlite3_stmt *rows = s->statements[WRITE_VOLUME_LIST];
    int code = SQLITE_DONE, failed;

    if (shelf->loaded)
        return 0;
    shelf_forget(shelf);
    failed = RUN_WITH(s, WRITE_VOLUME_GIVE_UP, shelf->number);
    sqlite3_bind_int64(rows, 1, shelf->number);
    while (!failed && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        struct volume v = {.id = sqlite3_column_int64(rows, 0),
                           .level = sqlite3_column_int(rows, 1),
                           .first = sqlite3_column_int64(rows, 2),
                           .last = sqlite3_column_int64(rows, 3)};
        failed = shelf_replace(shelf, shelf->count, 0, &v);
    }
    sqlite3_reset(rows);
    if (!failed && code != SQLITE_DONE)
        failed = sqlite_failed(s);
    shelf->over = true;
    shelf->loaded = !failed;
    return failed;
}

static int write_volume(struct sqlite_store *s, struct shelf *shelf, const struct entry *entries,
                        size_t n, int64_t first, int64_t last)
{
    struct volume_writer w;
    int failed = volume_begin(s, &w, shelf, 0, first, last);

    for (size_t i = 0; i < n && !failed; i++)
        failed = volume_put(s, &w, &entries[i]);
    if (!failed)
        failed = volume_finish(s, &w);
    return failed ? failed : shelf_replace(shelf, shelf->count, 0, &w.volume);
}

int shelf_add(struct sqlite_store *s, struct shelf *shelf, struct pending *pending)
{
    size_t rows = pending->rows < 2 * s->sizes.bulk ? pending->rows : s->sizes.bulk;
    size_t n = pending_front(pending, rows);
    struct entry *entries = pending->entries, *room = malloc(n * sizeof *room);
    int64_t first = entries[0].id, last = entries[n - 1].id;

    if (!room)
        return -ENOMEM;
    entry_sort(entries, room, n);
    int failed = write_volume(s, shelf, entries, n, first, last);
    free(room);
    pending_remove(pending, rows, n);
    return failed;
}

int shelf_drop_before(struct sqlite_store *s, struct shelf *shelf, int64_t number)
{
    size_t n = 0;
    int failed = 0;

    shelf->from = number;
    /* The newest stays: it says up to where rows are covered. */
    while (!failed && n + 1 < shelf->count && shelf->volumes[n].last < number)
        failed = volume_drop(s, shelf, shelf->volumes[n++].id);
    if (n == 0)
        return failed;
    merge_forget(shelf); /* it may have begun with them */
    memmove(shelf->volumes, &shelf->volumes[n], (shelf->count - n) * sizeof *shelf->volumes);
    shelf->count -= n;
    return failed ? failed : RUN_WITH(s, WRITE_VOLUME_GIVE_UP, shelf->number);
}

/* Takes some leaves of a volume away, and in the end its row. */
static int drop_some(struct sqlite_store *s, int64_t volume, size_t leaves)
{
    int64_t first = volume << LEAF_PLACE_BITS, end = first + (INT64_C(1) << LEAF_PLACE_BITS);
    struct stint stint;
    size_t rows;
    int failed = 0;

    stint_begin(&stint, s->chores_until_us, leaves);
    while (!failed && (rows = stint_next(&stint, clock_monotonic_us()))) {
        failed = RUN_WITH(s, WRITE_LEAF_DELETE, first, end, (int64_t)rows);
        if (!failed && sqlite3_changes(s->db) == 0)
            return RUN_WITH(s, WRITE_VOLUME_DELETE, volume);
    }
    return failed;
}

static int drop_work(struct sqlite_store *s, struct shelf *shelf, size_t leaves)
{
    sqlite3_stmt *get = s->statements[WRITE_VOLUME_OVER];
    int64_t volume = 0;

    sqlite3_bind_int64(get, 1, shelf->number);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        volume = sqlite3_column_int64(get, 0);
    sqlite3_reset(get);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sqlite_failed(s);
    shelf->over = code == SQLITE_ROW;
    return shelf->over ? drop_some(s, volume, leaves) : 0;
}

bool shelf_has_work(const struct sqlite_store *s, const struct shelf *shelf)
{
    return shelf->over || merge_has_work(s, shelf);
}

int shelf_work(struct sqlite_store *s, struct shelf *shelf, size_t entries)
{
    if (shelf->over)
        return drop_work(s, shelf, entries / ENTRIES_PER_DROP + 1);
    return merge_work(s, shelf, entries);
}
