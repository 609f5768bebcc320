/* Requests that are answered once.
 *
 * A row of `once` per Idempotency-Key is appended in the transaction of what the request did. The
 * way from a key to its row is a table in memory. */
#include "store/sqlite_once.h"
#include "sql.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

enum { LOAD_ROWS = 10000 };

/* 64 bits of an owner's key. */
static uint64_t term_of(int64_t owner, const uint8_t key[ONCE_KEY_SIZE])
{
    uint64_t bits;

    memcpy(&bits, key, sizeof bits);
    return bits ^ (uint64_t)owner * 0xd6e8feb86659fd93u;
}

/* Remembers a piece of the rows behind `upto`; how many there were. */
static int load_some(struct sqlite_store *s, int64_t *upto)
{
    sqlite3_stmt *rows = s->statements[WRITE_ONCE_KEYS];
    int code, failed = 0, count = 0;

    BIND_NUMBERS(rows, *upto, LOAD_ROWS);
    while (!failed && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        if (sqlite3_column_bytes(rows, 2) != ONCE_KEY_SIZE)
            failed = store_fail(&s->base, -EIO, "a row of once is damaged");
        *upto = sqlite3_column_int64(rows, 0);
        if (!failed)
            failed = recent_add(
                &s->once.recent,
                term_of(sqlite3_column_int64(rows, 1), sqlite3_column_blob(rows, 2)), *upto);
        count++;
    }
    sqlite3_reset(rows);
    if (!failed && code != SQLITE_DONE)
        failed = sqlite_failed(s);
    return failed ? failed : count;
}

/* Reads anew what is remembered. */
static int load(struct sqlite_store *s)
{
    int64_t upto = 0;
    int count;

    recent_forget(&s->once.recent, INT64_MAX);
    do
        count = load_some(s, &upto);
    while (count == LOAD_ROWS);
    s->once.last = upto;
    s->once.loaded = count >= 0;
    return count < 0 ? count : 0;
}

void once_done(struct once *o)
{
    recent_done(&o->recent);
}

void once_rolled_back(struct once *o)
{
    if (o->touched)
        o->loaded = false;
    o->touched = false;
}

/* What a search carries along. */
struct search {
    struct sqlite_store *s;
    int64_t owner, since_us;
    const uint8_t *key;
    struct arena *arena;
    struct once_record *ret;
};

static bool is_wanted(const struct search *search, sqlite3_stmt *row)
{
    return sqlite3_column_int64(row, 0) == search->owner &&
           sqlite3_column_bytes(row, 1) == ONCE_KEY_SIZE &&
           memcmp(sqlite3_column_blob(row, 1), search->key, ONCE_KEY_SIZE) == 0 &&
           sqlite3_column_bytes(row, 2) == ONCE_PRINT_SIZE &&
           sqlite3_column_int64(row, 3) >= search->since_us;
}

static int record_from_row(const struct search *search, sqlite3_stmt *row)
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
    const struct search *search = context;
    sqlite3_stmt *get = search->s->statements[WRITE_ONCE_GET];
    int found = -ENOENT;

    sqlite3_bind_int64(get, 1, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW && is_wanted(search, get))
        found = record_from_row(search, get);
    sqlite3_reset(get);
    return code == SQLITE_ROW || code == SQLITE_DONE ? found : sqlite_failed(search->s);
}

int sqlite_once_find(struct store *base, int64_t account, enum mode mode,
                     const uint8_t key[ONCE_KEY_SIZE], int64_t since_us, struct arena *a,
                     struct once_record *ret)
{
    struct sqlite_store *s = sqlite_of(base);
    struct search search = {s, owner_of(account, mode), since_us, key, a, ret};
    int failed = s->once.loaded ? 0 : load(s);

    return failed ? failed
                  : recent_find(&s->once.recent, term_of(search.owner, key), look_at_row, &search);
}

static int insert(struct sqlite_store *s, int64_t owner, const struct once_record *o)
{
    sqlite3_stmt *insert = s->statements[WRITE_ONCE_INSERT];

    BIND_NUMBERS(insert, s->once.last + 1, owner);
    sqlite3_bind_blob(insert, 3, o->key, ONCE_KEY_SIZE, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 4, o->print, ONCE_PRINT_SIZE, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 5, o->created_us);
    bind_number_or_null(insert, 6, o->message);
    bind_number_or_null(insert, 7, o->status);
    if (o->answer.n)
        sqlite3_bind_blob64(insert, 8, o->answer.p, o->answer.n, SQLITE_STATIC);
    else
        sqlite3_bind_null(insert, 8);
    return run(s, WRITE_ONCE_INSERT);
}

int sqlite_once_keep(struct store *base, const struct once_record *o)
{
    struct sqlite_store *s = sqlite_of(base);
    int64_t owner = owner_of(o->account, o->mode);
    int failed = s->once.loaded ? 0 : load(s);

    s->once.touched = true;
    if (!failed)
        failed = insert(s, owner, o);
    if (!failed)
        failed = recent_add(&s->once.recent, term_of(owner, o->key), s->once.last + 1);
    if (!failed)
        s->once.last++;
    return failed;
}
