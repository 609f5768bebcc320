/* Requests that are answered once.
 *
 * A row of `once` per Idempotency-Key is appended in the transaction of what the request did. The
 * way from a key to its row: the newest rows are in a table in memory, the others in volumes. Most
 * keys are new, and for them filters in memory spare the look into the volumes; nothing but time
 * depends on these. */
#include "store/sqlite_gather.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

enum { LOAD_ROWS = 10000 };
/* More levels would bind rows that are past their time to rows that are not. */
enum { LEVEL_MAX = 3 };

void once_init(struct sqlite_store *s)
{
    s->once.shelf = (struct shelf){.number = SHELF_ONCE, .level_max = LEVEL_MAX};
    s->once.posting.seek = s->statements[WRITE_LEAF_SEEK];
    s->once.posting.get = s->statements[WRITE_LEAF_GET];
}

void once_done(struct once *o)
{
    recent_done(&o->recent);
    pending_done(&o->pending);
    shelf_forget(&o->shelf);
    once_filters_done(&o->filters);
}

void once_forget(struct once *o)
{
    o->loaded = false;
    shelf_forget(&o->shelf);
}

/* A part of an owner's key that is as good as the whole: whoever finds it looks at the row. */
static int64_t term_of(int64_t owner, const uint8_t key[ONCE_KEY_SIZE])
{
    uint64_t bits;

    memcpy(&bits, key, sizeof bits);
    return (int64_t)((bits ^ (uint64_t)owner * 0xd6e8feb86659fd93u) & INT64_MAX);
}

int once_each_key(struct sqlite_store *s, int64_t *after, int limit,
                  int (*tell)(struct sqlite_store *s, int64_t id, int64_t term))
{
    sqlite3_stmt *rows = s->statements[WRITE_ONCE_KEYS];
    int code, failed = 0, count = 0;

    BIND_NUMBERS(rows, *after, limit);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        *after = sqlite3_column_int64(rows, 0);
        if (sqlite3_column_bytes(rows, 2) == ONCE_KEY_SIZE)
            failed = tell(s, *after,
                          term_of(sqlite3_column_int64(rows, 1), sqlite3_column_blob(rows, 2)));
        count++;
    }
    sqlite3_reset(rows);
    if (!failed && code != SQLITE_DONE)
        failed = sqlite_failed(s);
    return failed ? failed : count;
}

static int remember(struct sqlite_store *s, int64_t id, int64_t term)
{
    int failed = recent_add(&s->once.recent, (uint64_t)term, id);

    return failed ? failed : pending_add(&s->once.pending, &(struct entry){0, term, id}, 1);
}

int once_load(struct sqlite_store *s)
{
    struct once *o = &s->once;
    int failed = shelf_load(s, &o->shelf), count;

    if (failed)
        return failed;
    recent_forget(&o->recent, INT64_MAX);
    pending_clear(&o->pending);
    o->filters.rows = (int64_t)s->sizes.generation;
    o->last = shelf_upto(&o->shelf);
    do
        count = once_each_key(s, &o->last, LOAD_ROWS, remember);
    while (count == LOAD_ROWS);
    if (o->shelf.count || o->pending.count)
        once_filters_expect(&o->filters,
                            o->shelf.count ? o->shelf.volumes[0].first : o->pending.entries[0].id,
                            o->last);
    o->expiry_us = 0;
    o->loaded = count >= 0;
    return count < 0 ? count : 0;
}

/* What a search carries along. */
struct once_search {
    struct sqlite_store *s;
    int64_t owner, since_us;
    const uint8_t *key;
    struct arena *arena;
    struct once_record *ret;
};

static bool is_wanted(const struct once_search *search, sqlite3_stmt *row)
{
    return sqlite3_column_int64(row, 0) == search->owner &&
           sqlite3_column_bytes(row, 1) == ONCE_KEY_SIZE &&
           memcmp(sqlite3_column_blob(row, 1), search->key, ONCE_KEY_SIZE) == 0 &&
           sqlite3_column_bytes(row, 2) == ONCE_PRINT_SIZE &&
           sqlite3_column_int64(row, 3) >= search->since_us;
}

static int record_from_row(const struct once_search *search, sqlite3_stmt *row)
{
    struct once_record *ret = search->ret;
    struct str answer = {sqlite3_column_blob(row, 6), (size_t)sqlite3_column_bytes(row, 6)};

    *ret = (struct once_record){.account = search->owner >> 1,
                                .mode = (enum mode)(search->owner & 1),
                                .created_us = sqlite3_column_int64(row, 3),
                                .message = sqlite3_column_int64(row, 4),
                                .status = (unsigned)sqlite3_column_int(row, 5),
                                .answer = arena_copy(search->arena, answer)};
    memcpy(ret->key, search->key, ONCE_KEY_SIZE);
    memcpy(ret->print, sqlite3_column_blob(row, 2), ONCE_PRINT_SIZE);
    return ret->answer.p ? 0 : -ENOMEM;
}

static int look_at_row(void *context, int64_t id)
{
    const struct once_search *search = context;
    sqlite3_stmt *get = search->s->statements[WRITE_ONCE_GET];
    int found = -ENOENT, failed = gather_flush_once(search->s);

    if (failed)
        return failed;
    sqlite3_bind_int64(get, 1, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW && is_wanted(search, get))
        found = record_from_row(search, get);
    sqlite3_reset(get);
    return code == SQLITE_ROW || code == SQLITE_DONE ? found : sqlite_failed(search->s);
}

static int look_into_volume(struct once_search *search, int64_t volume, int64_t term)
{
    struct posting *p = &search->s->once.posting;
    int64_t id = INT64_MAX;
    int found, answer = -ENOENT;

    p->owner = 0;
    p->term = term;
    posting_open(p, volume);
    while (answer == -ENOENT && (found = posting_at_most(p, id, &id)) == 1)
        answer = look_at_row(search, id--);
    return answer == -ENOENT && found < 0 ? found : answer;
}

/* What the filter of a generation said; many volumes lie in the same. */
struct opinion {
    int64_t generation;
    bool may_have;
};

/* The filters rule out that a volume has this term. A volume lies in one generation, or in few. */
static bool is_ruled_out(const struct once_filters *f, const struct volume *v, int64_t term,
                         struct opinion *last)
{
    for (int64_t g = once_generation(f, v->last); g >= once_generation(f, v->first); g--) {
        if (last->generation != g)
            *last = (struct opinion){g, once_filters_may_have(f, g, (uint64_t)term)};
        if (last->may_have)
            return false;
    }
    return true;
}

static int look_into_volumes(struct once_search *search, int64_t term)
{
    const struct once *o = &search->s->once;
    struct opinion last = {.generation = -1};
    int found = -ENOENT;

    for (size_t i = o->shelf.count; found == -ENOENT && i-- > 0;)
        if (!is_ruled_out(&o->filters, &o->shelf.volumes[i], term, &last))
            found = look_into_volume(search, o->shelf.volumes[i].id, term);
    return found;
}

int sqlite_once_find(struct store *base, int64_t account, enum mode mode,
                     const uint8_t key[ONCE_KEY_SIZE], int64_t since_us, struct arena *a,
                     struct once_record *ret)
{
    struct sqlite_store *s = sqlite_of(base);
    struct once_search search = {s, owner_of(account, mode), since_us, key, a, ret};
    int64_t term = term_of(search.owner, key);
    int found = s->once.loaded ? 0 : once_load(s);

    if (!found)
        found = recent_find(&s->once.recent, (uint64_t)term, look_at_row, &search);
    return found == -ENOENT ? look_into_volumes(&search, term) : found;
}

/* Of a request whose answer was a message; such rows come by the thousand. */
static int keep_message(struct sqlite_store *s, int64_t id, int64_t owner,
                        const struct once_record *o)
{
    struct once_row row = {.numbers = {id, owner, o->created_us, o->message, o->status}};

    memcpy(row.key, o->key, sizeof row.key);
    memcpy(row.print, o->print, sizeof row.print);
    return gather_once(s, &row);
}

static int keep_answer(struct sqlite_store *s, int64_t id, int64_t owner,
                       const struct once_record *o)
{
    sqlite3_stmt *insert = s->statements[WRITE_ONCE_INSERT];
    int failed = gather_flush_once(s); /* rows that come in order cost least */

    if (failed)
        return failed;
    BIND_NUMBERS(insert, id, owner, o->created_us, o->message, o->status);
    sqlite3_bind_blob(insert, 6, o->key, ONCE_KEY_SIZE, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 7, o->print, ONCE_PRINT_SIZE, SQLITE_STATIC);
    sqlite3_bind_blob64(insert, 8, o->answer.p ? o->answer.p : "", o->answer.n, SQLITE_STATIC);
    return run(s, WRITE_ONCE_INSERT);
}

static int keep(struct sqlite_store *s, int64_t id, int64_t owner, const struct once_record *o)
{
    bool plain = o->message && o->answer.n == 0;

    return plain ? keep_message(s, id, owner, o) : keep_answer(s, id, owner, o);
}

int sqlite_once_keep(struct store *base, const struct once_record *o)
{
    struct sqlite_store *s = sqlite_of(base);
    int64_t owner = owner_of(o->account, o->mode), term = term_of(owner, o->key);
    int failed = s->once.loaded ? 0 : once_load(s);

    if (!failed)
        failed = keep(s, s->once.last + 1, owner, o);
    if (!failed)
        failed = remember(s, ++s->once.last, term);
    if (!failed)
        once_filters_add(&s->once.filters, s->once.last, (uint64_t)term);
    s->entries_added++;
    return failed;
}
