#include "messaging/optout.h"

#include "base/siphash.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Hashes with open addressing. A removed one leaves a mark in its place, so that those behind it
 * are still found. */
enum { FREE = 0, REMOVED = 1, FIRST_HASH = 2, FIRST_SIZE = 1024 };

struct table {
    struct table *next; /* in the list of all tables */
    size_t size;        /* a power of two */
    size_t filled;      /* places that are not free, at most half */
    _Atomic uint64_t places[];
};

/* A table in which too much was removed is written anew into the spare one, and they change places;
 * one that is too small gives way to one of twice the size. Whoever was reading the old one
 * meanwhile sees that `turn` has moved and looks again; so memory stays valid until the end, and a
 * table may be used again. All but `current` and `turn` is the changing thread's. */
struct optouts {
    uint8_t secret[SIPHASH_KEY_SIZE];
    _Atomic(struct table *) current; /* NULL: nobody has opted out */
    _Atomic uint64_t turn;
    struct table *table, *spare; /* spare: as large as table, or NULL */
    struct table *tables;        /* all of them */
    size_t count;
};

struct optouts *optouts_new(const uint8_t *secret)
{
    struct optouts *o = calloc(1, sizeof *o);

    if (o)
        memcpy(o->secret, secret, sizeof o->secret);
    return o;
}

void optouts_free(struct optouts *o)
{
    while (o && o->tables) {
        struct table *next = o->tables->next;
        free(o->tables);
        o->tables = next;
    }
    free(o);
}

static uint64_t hash_of(const struct optouts *o, int64_t account, enum mode mode, struct str number)
{
    uint8_t out[SIPHASH_SIZE];
    struct siphash s;
    uint64_t hash;

    siphash_init(&s, o->secret);
    siphash_u64(&s, (uint64_t)account * 2 + (uint64_t)mode);
    siphash_bytes(&s, number.p, number.n);
    siphash_done(&s, out);
    memcpy(&hash, out, sizeof hash);
    return hash < FIRST_HASH ? hash + FIRST_HASH : hash;
}

/* ---- any thread ---- */

static bool table_has(struct table *t, uint64_t hash)
{
    size_t at = hash & (t->size - 1);

    /* Half of the places are free. In a table that is being used again all may be taken for a
     * moment, so the walk has an end of its own. */
    for (size_t i = 0; i < t->size; i++) {
        uint64_t place = atomic_load(&t->places[at]);
        if (place == hash)
            return true;
        if (place == FREE)
            return false;
        at = (at + 1) & (t->size - 1);
    }
    return false;
}

bool optouts_has(struct optouts *o, int64_t account, enum mode mode, struct str number)
{
    struct table *t = atomic_load(&o->current);

    if (!t)
        return false;
    uint64_t hash = hash_of(o, account, mode, number), turn;
    do {
        turn = atomic_load(&o->turn);
        t = atomic_load(&o->current);
        if (t && table_has(t, hash))
            return true;
    } while (atomic_load(&o->turn) != turn);
    return false;
}

/* ---- the changing thread ---- */

/* The place of a hash that is there, or the one it would get. */
static _Atomic uint64_t *find_place(struct table *t, uint64_t hash)
{
    _Atomic uint64_t *removed = NULL;

    for (size_t at = hash & (t->size - 1);; at = (at + 1) & (t->size - 1)) {
        uint64_t place = atomic_load(&t->places[at]);
        if (place == hash)
            return &t->places[at];
        if (place == REMOVED && !removed)
            removed = &t->places[at];
        if (place == FREE)
            return removed ? removed : &t->places[at];
    }
}

static void put(struct table *t, uint64_t hash)
{
    _Atomic uint64_t *place = find_place(t, hash);

    t->filled += atomic_load(place) == FREE;
    atomic_store(place, hash);
}

static void publish(struct optouts *o, struct table *t)
{
    atomic_store(&o->current, t);
    atomic_fetch_add(&o->turn, 1);
}

static struct table *table_new(struct optouts *o, size_t size)
{
    struct table *t = calloc(1, sizeof *t + size * sizeof *t->places);

    if (t) {
        t->size = size;
        t->next = o->tables;
        o->tables = t;
    }
    return t;
}

static void clear(struct table *t)
{
    for (size_t i = 0; i < t->size; i++)
        atomic_store(&t->places[i], FREE);
    t->filled = 0;
}

/* Into a table of its own with room for as much again. */
static int rebuild(struct optouts *o)
{
    struct table *from = o->table;
    size_t size = from ? from->size : FIRST_SIZE;

    while (size < 4 * (o->count + 1))
        size *= 2;
    bool same = from && size == from->size;
    struct table *to = same && o->spare ? o->spare : table_new(o, size);
    if (!to)
        return -ENOMEM;
    if (to == o->spare)
        clear(to);
    for (size_t i = 0; from && i < from->size; i++) {
        uint64_t place = atomic_load(&from->places[i]);
        if (place >= FIRST_HASH)
            put(to, place);
    }
    o->table = to;
    o->spare = same ? from : NULL;
    return 0;
}

static int add_hash(struct optouts *o, uint64_t hash)
{
    if (o->table && atomic_load(find_place(o->table, hash)) == hash)
        return 0;
    if (!o->table || 2 * (o->table->filled + 1) > o->table->size) {
        int failed = rebuild(o);
        if (failed)
            return failed;
    }
    put(o->table, hash);
    o->count++;
    if (atomic_load(&o->current) != o->table)
        publish(o, o->table);
    return 0;
}

int optouts_add(struct optouts *o, int64_t account, enum mode mode, struct str number)
{
    return add_hash(o, hash_of(o, account, mode, number));
}

void optouts_remove(struct optouts *o, int64_t account, enum mode mode, struct str number)
{
    uint64_t hash = hash_of(o, account, mode, number);
    _Atomic uint64_t *place = o->table ? find_place(o->table, hash) : NULL;

    if (!place || atomic_load(place) != hash)
        return;
    atomic_store(place, REMOVED);
    if (--o->count > 0)
        return;
    publish(o, NULL);
    clear(o->table);
}

struct loading {
    struct optouts *optouts;
    int failed;
};

static bool load_one(void *context, const struct opt_out_record *r)
{
    struct loading *l = context;

    l->failed = optouts_add(l->optouts, r->account, r->mode, r->number);
    return l->failed == 0;
}

int optouts_load(struct optouts *o, struct store_reader *r)
{
    struct loading l = {.optouts = o};
    int failed = store_opt_out_each(r, load_one, &l);

    return failed ? failed : l.failed;
}
