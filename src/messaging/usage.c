#include "messaging/usage.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { STRIPES = 64, FIRST_SIZE = 16, WRITE_US = 1000000 };

/* What came since the last writing, by key: open addressing, at most half full. requests == 0:
 * free.
 */
struct tallies {
    struct key_usage *slots;
    size_t size, count; /* size is a power of two */
};

/* Threads that note have a stripe each, as long as there are enough; its lock is for the writer,
 * who comes once a second and takes all away. */
struct stripe {
    _Alignas(64) pthread_mutex_t lock;
    struct tallies tallies;
};

struct usage {
    struct stripe stripes[STRIPES];
    atomic_bool noted; /* something, since the writer took all */
    /* The writer's. */
    const struct clock *clock;
    int64_t written_us;
    struct tallies writing; /* taken, and not yet on disk */
};

struct usage *usage_new(const struct clock *clock)
{
    struct usage *u = aligned_alloc(_Alignof(struct usage), sizeof *u);

    if (!u)
        return NULL;
    *u = (struct usage){.clock = clock};
    for (size_t i = 0; i < STRIPES; i++)
        pthread_mutex_init(&u->stripes[i].lock, NULL);
    return u;
}

void usage_free(struct usage *u)
{
    if (!u)
        return;
    for (size_t i = 0; i < STRIPES; i++) {
        pthread_mutex_destroy(&u->stripes[i].lock);
        free(u->stripes[i].tallies.slots);
    }
    free(u->writing.slots);
    free(u);
}

/* The key's slot, or the free one where it belongs. */
static struct key_usage *slot_of(const struct tallies *t, int64_t key)
{
    uint64_t at = (uint64_t)key * 0x9e3779b97f4a7c15u >> 32;

    while (t->slots[at & (t->size - 1)].requests && t->slots[at & (t->size - 1)].key != key)
        at++;
    return &t->slots[at & (t->size - 1)];
}

static bool grow(struct tallies *t)
{
    struct tallies larger = {.size = t->size ? 2 * t->size : FIRST_SIZE, .count = t->count};

    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < t->size; i++)
        if (t->slots[i].requests)
            *slot_of(&larger, t->slots[i].key) = t->slots[i];
    free(t->slots);
    *t = larger;
    return true;
}

/* When memory is short the requests of a new key go uncounted. */
static void add(struct tallies *t, int64_t key, int64_t requests, int64_t at_us,
                const char *address)
{
    struct key_usage *k = t->size ? slot_of(t, key) : NULL;

    if (!k || !k->requests) {
        if ((!k || 2 * (t->count + 1) > t->size) && !grow(t))
            return;
        k = slot_of(t, key);
        k->key = key;
        k->last_us = INT64_MIN;
        t->count++;
    }
    k->requests += requests;
    if (at_us < k->last_us)
        return;
    k->last_us = at_us;
    size_t n = strnlen(address, ADDRESS_MAX);
    memcpy(k->address, address, n);
    k->address[n] = '\0';
}

static struct stripe *own_stripe(struct usage *u)
{
    static atomic_uint threads;
    static _Thread_local unsigned number; /* from 1 on */

    if (number == 0)
        number = atomic_fetch_add(&threads, 1) + 1;
    return &u->stripes[number % STRIPES];
}

void usage_note(struct usage *u, int64_t key, int64_t now_us, const char *address)
{
    struct stripe *s = own_stripe(u);

    pthread_mutex_lock(&s->lock);
    add(&s->tallies, key, 1, now_us, address);
    pthread_mutex_unlock(&s->lock);
    /* Read first: so the threads do not take the flag from each other all the time. */
    if (!atomic_load(&u->noted))
        atomic_store(&u->noted, true);
}

/* ---- on the writer's thread ---- */

static bool wants(void *usage, bool last)
{
    struct usage *u = usage;

    if (!atomic_load(&u->noted) && u->writing.count == 0)
        return false;
    int64_t since_us = clock_now_us(u->clock) - u->written_us;
    return last || since_us >= WRITE_US || since_us < 0;
}

/* Adds all that was noted to what is to be written. */
static void collect(struct usage *u)
{
    atomic_store(&u->noted, false);
    for (size_t i = 0; i < STRIPES; i++) {
        struct stripe *s = &u->stripes[i];
        pthread_mutex_lock(&s->lock);
        struct tallies taken = s->tallies;
        s->tallies = (struct tallies){.slots = NULL};
        pthread_mutex_unlock(&s->lock);
        for (size_t j = 0; j < taken.size; j++) {
            const struct key_usage *k = &taken.slots[j];
            if (k->requests)
                add(&u->writing, k->key, k->requests, k->last_us, k->address);
        }
        free(taken.slots);
    }
}

static int write_all(void *usage, struct store *s)
{
    struct usage *u = usage;
    int failed = 0;

    collect(u);
    for (size_t i = 0; i < u->writing.size && !failed; i++)
        if (u->writing.slots[i].requests)
            failed = store_key_used(s, &u->writing.slots[i]);
    return failed;
}

/* What was lost stays, and is written with what comes. */
static void written(void *usage, int result)
{
    struct usage *u = usage;

    u->written_us = clock_now_us(u->clock);
    if (result < 0)
        return;
    free(u->writing.slots);
    u->writing = (struct tallies){.slots = NULL};
}

struct writer_rider usage_rider(struct usage *u)
{
    return (struct writer_rider){.wants = wants, .write = write_all, .done = written, .context = u};
}
