#include "api/throttle.h"

#include "base/random.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 1024, WAYS = 8 };

static const int64_t minute_us = 60000000;

struct entry {
    uint64_t address;
    int64_t since_us; /* when its minute began */
    unsigned failed;
};

struct set {
    _Alignas(64) _Atomic int64_t shut_until_us; /* the last end of a minute that is used up */
    pthread_mutex_t lock;                       /* guards the rest, and writing of the above */
    struct entry entries[WAYS];
};

struct throttle {
    struct set sets[SETS];
    uint64_t seed;
    unsigned most;
};

struct throttle *throttle_new(unsigned most)
{
    struct throttle *t = aligned_alloc(_Alignof(struct throttle), sizeof *t);

    if (!t)
        return NULL;
    memset(t, 0, sizeof *t);
    t->most = most;
    random_secret(&t->seed, sizeof t->seed);
    for (size_t i = 0; i < SETS; i++)
        pthread_mutex_init(&t->sets[i].lock, NULL);
    return t;
}

void throttle_free(struct throttle *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < SETS; i++)
        pthread_mutex_destroy(&t->sets[i].lock);
    free(t);
}

/* The network of an IPv6 address; an IPv4 address with the mark of its mapped form before it, which
 * no network of the internet looks like. */
static uint64_t address_number(const struct in6_addr *address)
{
    uint64_t number;

    memcpy(&number, address->s6_addr + (IN6_IS_ADDR_V4MAPPED(address) ? 8 : 0), sizeof number);
    return number;
}

static struct set *set_of(struct throttle *t, uint64_t address)
{
    uint64_t z = (address ^ t->seed) * 0xbf58476d1ce4e5b9u;

    z = (z ^ z >> 32) * 0x94d049bb133111ebu;
    return &t->sets[(z >> 32) % SETS];
}

/* Not when the clock was set back behind its beginning. */
static bool entry_counts(const struct entry *e, int64_t now_us)
{
    return e->failed && now_us >= e->since_us && now_us - e->since_us < minute_us;
}

static unsigned entry_wait(const struct throttle *t, const struct entry *e, int64_t now_us)
{
    if (e->failed < t->most)
        return 0;
    return (unsigned)((e->since_us + minute_us - now_us + 999999) / 1000000);
}

/* The address's own entry, if its minute has not ended. */
static struct entry *entry_find(struct set *s, uint64_t address, int64_t now_us)
{
    for (size_t i = 0; i < WAYS; i++)
        if (s->entries[i].address == address && entry_counts(&s->entries[i], now_us))
            return &s->entries[i];
    return NULL;
}

/* A fresh one, in the place of one that is over or began first. */
static struct entry *entry_claim(struct set *s, uint64_t address, int64_t now_us)
{
    struct entry *e = &s->entries[0];

    for (size_t i = 0; i < WAYS && entry_counts(e, now_us); i++)
        if (!entry_counts(&s->entries[i], now_us) || s->entries[i].since_us < e->since_us)
            e = &s->entries[i];
    *e = (struct entry){.address = address, .since_us = now_us};
    return e;
}

unsigned throttle_wait(struct throttle *t, const struct in6_addr *address, int64_t now_us)
{
    uint64_t number = address_number(address);
    struct set *s = set_of(t, number);
    unsigned wait_s = 0;

    if (atomic_load_explicit(&s->shut_until_us, memory_order_acquire) <= now_us)
        return 0;
    pthread_mutex_lock(&s->lock);
    struct entry *e = entry_find(s, number, now_us);
    if (e)
        wait_s = entry_wait(t, e, now_us);
    pthread_mutex_unlock(&s->lock);
    return wait_s;
}

/* Tells readers without the lock when the minute that was just used up ends. */
static void set_shut(struct set *s, const struct entry *e)
{
    int64_t end_us = e->since_us + minute_us;

    if (end_us > atomic_load_explicit(&s->shut_until_us, memory_order_relaxed))
        atomic_store_explicit(&s->shut_until_us, end_us, memory_order_release);
}

unsigned throttle_fail(struct throttle *t, const struct in6_addr *address, int64_t now_us)
{
    uint64_t number = address_number(address);
    struct set *s = set_of(t, number);

    if (t->most == 0)
        return 0;
    pthread_mutex_lock(&s->lock);
    struct entry *e = entry_find(s, number, now_us);
    if (!e)
        e = entry_claim(s, number, now_us);
    unsigned wait_s = entry_wait(t, e, now_us);
    if (!wait_s && ++e->failed == t->most)
        set_shut(s, e);
    pthread_mutex_unlock(&s->lock);
    return wait_s;
}
