#include "messaging/limit.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum window_kind { MINUTE, HOUR, WINDOWS };

static const struct {
    const char *name;
    int64_t seconds;
    int64_t back_max; /* windows a clock may step back and still be held */
} kinds[WINDOWS] = {
    [MINUTE] = {"minute", 60, 60},
    [HOUR] = {"hour", 3600, 1},
};

struct window {
    int64_t index; /* unix time divided by the window's length */
    uint32_t used;
};

struct entry {
    int64_t key;
    bool taken;
    struct window windows[WINDOWS];
};

/* Open addressing. A stripe holds the keys seen in the last hours: room is made by forgetting
 * those whose windows are long past, and only if there are none by growing. */
enum { STRIPES = 64, FIRST_SIZE = 16 };

struct stripe {
    _Alignas(64) pthread_mutex_t lock; /* guards the rest; a cache line of its own */
    struct entry *entries;
    size_t size, count; /* size is a power of two, at most half of it in use */
};

struct limiter {
    struct stripe stripes[STRIPES];
};

struct limiter *limiter_new(void)
{
    struct limiter *l = aligned_alloc(_Alignof(struct limiter), sizeof *l);

    if (!l)
        return NULL;
    for (size_t i = 0; i < STRIPES; i++) {
        l->stripes[i] = (struct stripe){.entries = NULL};
        pthread_mutex_init(&l->stripes[i].lock, NULL);
    }
    return l;
}

void limiter_free(struct limiter *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < STRIPES; i++) {
        pthread_mutex_destroy(&l->stripes[i].lock);
        free(l->stripes[i].entries);
    }
    free(l);
}

static uint64_t hash_of(int64_t key)
{
    uint64_t z = (uint64_t)key * 0x9e3779b97f4a7c15u;
    return z ^ (z >> 32);
}

/* The key's entry, or the free one where it belongs. The stripe is never full. */
static struct entry *entry_slot(struct stripe *s, int64_t key)
{
    for (size_t at = hash_of(key) / STRIPES;; at++) {
        struct entry *e = &s->entries[at & (s->size - 1)];
        if (!e->taken || e->key == key)
            return e;
    }
}

/* Past beyond return: even a clock set back as far as we hold it could not reach its windows. */
static bool entry_is_past(const struct entry *e, int64_t hour)
{
    return e->windows[HOUR].index + kinds[HOUR].back_max < hour;
}

/* Moves what is still of use into a table where at most a quarter is in use. */
static bool stripe_rebuild(struct stripe *s, int64_t hour)
{
    struct stripe old = *s;
    size_t keep = 0, size = FIRST_SIZE;

    for (size_t i = 0; i < old.size; i++)
        keep += old.entries[i].taken && !entry_is_past(&old.entries[i], hour);
    while (size < keep * 4)
        size *= 2;
    struct entry *entries = calloc(size, sizeof *entries);
    if (!entries)
        return false;
    s->entries = entries;
    s->size = size;
    s->count = keep;
    for (size_t i = 0; i < old.size; i++)
        if (old.entries[i].taken && !entry_is_past(&old.entries[i], hour))
            *entry_slot(s, old.entries[i].key) = old.entries[i];
    free(old.entries);
    return true;
}

static struct entry *entry_get(struct stripe *s, int64_t key, int64_t hour)
{
    struct entry *e = s->size ? entry_slot(s, key) : NULL;

    if (e && e->taken)
        return e;
    if (!e || (s->count + 1) * 2 > s->size) {
        if (!stripe_rebuild(s, hour))
            return NULL;
        e = entry_slot(s, key);
    }
    *e = (struct entry){.key = key, .taken = true};
    s->count++;
    return e;
}

static void window_turn(struct window *w, enum window_kind kind, int64_t index)
{
    if (index > w->index)
        *w = (struct window){.index = index};
    else if (w->index - index > kinds[kind].back_max)
        w->index = index;
}

static struct limit_view view_of(const struct window *w, enum window_kind kind, uint32_t limit,
                                 int64_t now_s)
{
    struct limit_view v = {
        .limit = limit,
        .remaining = w->used < limit ? limit - w->used : 0, /* the plan may have shrunk */
        .reset_s = (w->index + 1) * kinds[kind].seconds,
        .window = kinds[kind].name,
    };

    v.retry_after_s = (uint32_t)(v.reset_s - now_s);
    return v;
}

/* Among equals the later end counts: until then one may have to wait. */
static bool view_is_tighter(const struct limit_view *a, const struct limit_view *b)
{
    if (b->limit == 0 || a->remaining != b->remaining)
        return b->limit == 0 || a->remaining < b->remaining;
    return a->reset_s > b->reset_s;
}

static bool entry_take(struct entry *e, const uint32_t limits[WINDOWS], int64_t now_s,
                       struct limit_view *ret)
{
    bool granted = true;

    for (int i = 0; i < WINDOWS; i++) {
        window_turn(&e->windows[i], i, now_s / kinds[i].seconds);
        granted = granted && (limits[i] == 0 || e->windows[i].used < limits[i]);
    }
    for (int i = 0; i < WINDOWS; i++) {
        if (granted)
            e->windows[i].used++;
        if (limits[i] == 0)
            continue;
        struct limit_view v = view_of(&e->windows[i], i, limits[i], now_s);
        if (view_is_tighter(&v, ret))
            *ret = v;
    }
    if (granted)
        ret->retry_after_s = 0;
    return granted;
}

static void refuse_unseen(const uint32_t limits[WINDOWS], int64_t now_s, struct limit_view *ret)
{
    enum window_kind kind = limits[MINUTE] ? MINUTE : HOUR;

    *ret = (struct limit_view){
        .limit = limits[kind],
        .reset_s = now_s + 1,
        .retry_after_s = 1,
        .window = kinds[kind].name,
    };
}

bool limiter_take(struct limiter *l, int64_t key, struct limit_plan plan, int64_t now_us,
                  struct limit_view *ret)
{
    const uint32_t limits[WINDOWS] = {[MINUTE] = plan.per_minute, [HOUR] = plan.per_hour};
    int64_t now_s = now_us / 1000000;

    *ret = (struct limit_view){.window = ""};
    if (plan.per_minute == 0 && plan.per_hour == 0)
        return true;
    struct stripe *s = &l->stripes[hash_of(key) % STRIPES];
    pthread_mutex_lock(&s->lock);
    struct entry *e = entry_get(s, key, now_s / kinds[HOUR].seconds);
    bool granted = e && entry_take(e, limits, now_s, ret);
    if (!e)
        refuse_unseen(limits, now_s, ret);
    pthread_mutex_unlock(&s->lock);
    return granted;
}
