#include "messaging/limit.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

enum window_kind { MINUTE, HOUR, WINDOWS };
static_assert((int)WINDOWS == (int)LIMIT_WINDOWS, "limiter_peek tells of all of them");

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
    bool taken, unsaved;
    uint32_t next_unsaved; /* in the list of its stripe */
    struct window windows[WINDOWS];
};

/* Open addressing. A stripe holds the keys seen in the last hours: room is made by forgetting
 * those whose windows are long past, and only if there are none by growing. */
enum { STRIPES = 64, FIRST_SIZE = 16 };

struct stripe {
    _Alignas(64) pthread_mutex_t lock; /* guards the rest; a cache line of its own */
    struct entry *entries;
    size_t size, count;           /* size is a power of two, at most half of it in use */
    uint32_t unsaved;             /* list of entries that disk does not know: index + 1, 0 = end */
    _Atomic uint64_t *unsaved_in; /* the limiter's */
    uint64_t bit;                 /* of this stripe in there */
};

struct limiter {
    struct stripe stripes[STRIPES];
    _Atomic uint64_t unsaved_in; /* stripes whose list is not empty */
    /* The writer's: what it has taken from the lists and not yet on disk. */
    struct limit_count *saving;
    size_t saving_count, saving_room;
};

struct limiter *limiter_new(void)
{
    struct limiter *l = aligned_alloc(_Alignof(struct limiter), sizeof *l);

    if (!l)
        return NULL;
    *l = (struct limiter){.saving = NULL};
    for (size_t i = 0; i < STRIPES; i++) {
        l->stripes[i].unsaved_in = &l->unsaved_in;
        l->stripes[i].bit = UINT64_C(1) << i;
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
    free(l->saving);
    free(l);
}

static uint64_t hash_of(int64_t key)
{
    uint64_t z = (uint64_t)key * 0x9e3779b97f4a7c15u;
    return z ^ (z >> 32);
}

static struct stripe *stripe_of(struct limiter *l, int64_t key)
{
    return &l->stripes[hash_of(key) % STRIPES];
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

/* Not past beyond return: a clock set back as far as we hold it could reach its windows. */
static bool entry_is_of_use(const struct entry *e, int64_t hour)
{
    return e->taken && e->windows[HOUR].index + kinds[HOUR].back_max >= hour;
}

static void list_as_unsaved(struct stripe *s, struct entry *e)
{
    e->unsaved = true;
    e->next_unsaved = s->unsaved;
    s->unsaved = (uint32_t)(e - s->entries) + 1;
}

/* Moves what is still of use into a table where at most a quarter is in use. */
static bool stripe_rebuild(struct stripe *s, int64_t hour)
{
    struct stripe old = *s;
    size_t keep = 0, size = FIRST_SIZE;

    for (size_t i = 0; i < old.size; i++)
        keep += entry_is_of_use(&old.entries[i], hour);
    while (size < keep * 4)
        size *= 2;
    struct entry *entries = calloc(size, sizeof *entries);
    if (!entries)
        return false;
    s->entries = entries;
    s->size = size;
    s->count = keep;
    s->unsaved = 0;
    for (size_t i = 0; i < old.size; i++) {
        if (!entry_is_of_use(&old.entries[i], hour))
            continue;
        struct entry *e = entry_slot(s, old.entries[i].key);
        *e = old.entries[i];
        if (e->unsaved)
            list_as_unsaved(s, e);
    }
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

/* Once per key and transaction; the workers share nothing else in this. */
static void mark_unsaved(struct stripe *s, struct entry *e)
{
    if (e->unsaved)
        return;
    if (!s->unsaved)
        atomic_fetch_or(s->unsaved_in, s->bit);
    list_as_unsaved(s, e);
}

bool limiter_take(struct limiter *l, int64_t key, struct limit_plan plan, int64_t now_us,
                  struct limit_view *ret)
{
    const uint32_t limits[WINDOWS] = {[MINUTE] = plan.per_minute, [HOUR] = plan.per_hour};
    bool limited = plan.per_minute || plan.per_hour;
    int64_t now_s = now_us / 1000000;
    struct stripe *s = stripe_of(l, key);

    *ret = (struct limit_view){.window = ""};
    pthread_mutex_lock(&s->lock);
    struct entry *e = entry_get(s, key, now_s / kinds[HOUR].seconds);
    bool granted = e ? entry_take(e, limits, now_s, ret) : !limited;
    if (granted && limited)
        mark_unsaved(s, e);
    pthread_mutex_unlock(&s->lock);
    if (!e && limited)
        refuse_unseen(limits, now_s, ret);
    return granted;
}

void limiter_peek(struct limiter *l, int64_t key, struct limit_plan plan, int64_t now_us,
                  struct limit_window ret[LIMIT_WINDOWS])
{
    const uint32_t limits[WINDOWS] = {[MINUTE] = plan.per_minute, [HOUR] = plan.per_hour};
    int64_t now_s = now_us / 1000000;
    struct stripe *s = stripe_of(l, key);
    struct entry e = {.key = key};

    pthread_mutex_lock(&s->lock);
    if (s->size)
        e = *entry_slot(s, key);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < WINDOWS; i++) {
        window_turn(&e.windows[i], i, now_s / kinds[i].seconds);
        struct limit_view v = view_of(&e.windows[i], i, limits[i], now_s);
        ret[i] = (struct limit_window){.name = v.window,
                                       .seconds = (uint32_t)kinds[i].seconds,
                                       .limit = v.limit,
                                       .used = e.windows[i].used,
                                       .remaining = v.remaining,
                                       .reset_s = v.reset_s};
    }
}

/* ---- to disk and back ---- */

int limiter_load(struct limiter *l, struct store_reader *r, int64_t now_us)
{
    int64_t hour_us = kinds[HOUR].seconds * 1000000, hour = now_us / hour_us;
    struct limit_count *counts;
    struct arena arena;
    size_t n;

    arena_init(&arena, SIZE_MAX);
    /* Also those just past: the clock may yet be set back. */
    int failed = store_limit_list(r, now_us - kinds[HOUR].back_max * hour_us, &arena, &counts, &n);
    for (size_t i = 0; i < n && !failed; i++) {
        struct entry *e = entry_get(stripe_of(l, counts[i].key), counts[i].key, hour);
        if (e) {
            e->windows[MINUTE] = (struct window){counts[i].minute, counts[i].minute_used};
            e->windows[HOUR] = (struct window){counts[i].hour, counts[i].hour_used};
        }
        failed = e ? 0 : -ENOMEM;
    }
    arena_done(&arena);
    return failed;
}

static bool unsaved_wants(void *limiter, bool last)
{
    struct limiter *l = limiter;

    (void)last;
    return atomic_load(&l->unsaved_in) != 0;
}

static struct limit_count *saving_add(struct limiter *l)
{
    if (l->saving_count == l->saving_room) {
        size_t room = l->saving_room ? 2 * l->saving_room : 64;
        struct limit_count *larger = realloc(l->saving, room * sizeof *larger);
        if (!larger)
            return NULL;
        l->saving = larger;
        l->saving_room = room;
    }
    return &l->saving[l->saving_count++];
}

/* Copies the counts, so that the lock is not held while they are written. */
static int collect(struct limiter *l, struct stripe *s)
{
    struct limit_count *c = NULL;

    pthread_mutex_lock(&s->lock);
    while (s->unsaved && (c = saving_add(l))) {
        struct entry *e = &s->entries[s->unsaved - 1];
        *c = (struct limit_count){.key = e->key,
                                  .minute = e->windows[MINUTE].index,
                                  .minute_used = e->windows[MINUTE].used,
                                  .hour = e->windows[HOUR].index,
                                  .hour_used = e->windows[HOUR].used};
        s->unsaved = e->next_unsaved;
        e->unsaved = false;
    }
    bool all = s->unsaved == 0;
    if (all)
        atomic_fetch_and(s->unsaved_in, ~s->bit);
    pthread_mutex_unlock(&s->lock);
    return all ? 0 : -ENOMEM;
}

static int unsaved_write(void *limiter, struct store *store)
{
    struct limiter *l = limiter;
    uint64_t stripes = atomic_load(&l->unsaved_in);
    int failed = 0;

    for (; stripes && !failed; stripes &= stripes - 1)
        failed = collect(l, &l->stripes[__builtin_ctzll(stripes)]);
    for (size_t i = 0; i < l->saving_count && !failed; i++)
        failed = store_limit_save(store, &l->saving[i]);
    return failed;
}

/* An entry that was forgotten meanwhile was past, and needs no saving. */
static void unsaved_done(void *limiter, int result)
{
    struct limiter *l = limiter;

    for (size_t i = 0; i < l->saving_count && result < 0; i++) {
        struct stripe *s = stripe_of(l, l->saving[i].key);
        pthread_mutex_lock(&s->lock);
        struct entry *e = entry_slot(s, l->saving[i].key);
        if (e->taken)
            mark_unsaved(s, e);
        pthread_mutex_unlock(&s->lock);
    }
    l->saving_count = 0;
}

struct writer_rider limiter_rider(struct limiter *l)
{
    return (struct writer_rider){
        .wants = unsaved_wants, .write = unsaved_write, .done = unsaved_done, .context = l};
}
