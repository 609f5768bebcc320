#include "hooks/hook_set_internal.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

enum {
    RUN_TURNS = 256,     /* then the loop looks after its connections */
    SCAN_MAX = 256,      /* endpoints that are found at once */
    SLEEP_MAX_MS = 60000 /* the hands of the clock may be moved meanwhile */
};

int64_t hook_now_us(const struct hook_set *s)
{
    return clock_now_us(s->options.clock);
}

/* ---- lanes ---- */

static struct hook_lane **slot_of(struct hook_set *s, int64_t endpoint)
{
    uint64_t hash = (uint64_t)endpoint * UINT64_C(0x9e3779b97f4a7c15);
    return &s->slots[hash >> 52];
}
_Static_assert(HOOK_SLOTS == 1 << 12, "slot_of takes twelve bits");

static struct hook_lane *lane_of(struct hook_set *s, int64_t endpoint)
{
    struct hook_lane **slot = slot_of(s, endpoint), *l = *slot;

    while (l && l->endpoint != endpoint)
        l = l->next_in_slot;
    if (l || !hook_alarms_reserve(&s->alarms, s->lanes + 1))
        return l;
    l = hook_lane_new(endpoint, s->options.per_endpoint);
    if (!l)
        return NULL;
    l->set = s;
    l->next_in_slot = *slot;
    *slot = l;
    s->lanes++;
    return l;
}

static void remove_lane(struct hook_set *s, struct hook_lane *l)
{
    struct hook_lane **at = slot_of(s, l->endpoint);

    while (*at != l)
        at = &(*at)->next_in_slot;
    *at = l->next_in_slot;
    hook_alarm_clear(&s->alarms, &l->alarm);
    s->lanes--;
    s->held -= l->held;
    hook_lane_free(l);
}

static void queue_add(struct hook_queue *q, struct hook_lane *l)
{
    l->next_in_queue = NULL;
    *q->last = l;
    q->last = &l->next_in_queue;
    l->queued = true;
}

static struct hook_lane *queue_take(struct hook_queue *q)
{
    struct hook_lane *l = q->first;

    q->first = l->next_in_queue;
    if (!q->first)
        q->last = &q->first;
    l->queued = false;
    return l;
}

void hook_queue_lane(struct hook_set *s, struct hook_lane *l)
{
    if (!l->queued)
        queue_add(hook_lane_is_doubtful(l) ? &s->doubtful : &s->proven, l);
}

void hook_wake_at(struct hook_set *s, struct hook_lane *l, int64_t at_us)
{
    if (!l->alarm.place || at_us < l->alarm.at_us)
        hook_alarm_set(&s->alarms, &l->alarm, at_us);
}

void hook_trouble(struct hook_set *s, struct hook_lane *l, int error)
{
    int64_t now_us = hook_now_us(s);

    if (now_us - s->said_us >= HOOK_SAY_US) {
        log_error("hooks", "webhooks wait, and are tried again in a moment: %s", strerror(-error));
        s->said_us = now_us;
    }
    if (l) {
        l->rest_us = now_us + HOOK_TROUBLE_US;
        hook_wake_at(s, l, l->rest_us);
    }
}

/* ---- what wakes lanes ---- */

/* One that is under way goes to its end first: who has high numbers is found, too, however often
 * it is wanted. */
static void scan_again(struct hook_set *s, int64_t at_us)
{
    s->rescan = s->scanning;
    if (s->scanning) {
        s->rescan_us = at_us;
        return;
    }
    s->scanning = true;
    s->scanned = 0;
    s->scan_us = at_us;
}

/* The store has something new for it; when that is due may not be what was known. */
static void stir(struct hook_set *s, int64_t endpoint)
{
    struct hook_lane *l = lane_of(s, endpoint);

    if (!l) { /* memory is short */
        scan_again(s, hook_now_us(s) + HOOK_TROUBLE_US);
        return;
    }
    l->more = true;
    l->next_us = 0;
    hook_queue_lane(s, l);
}

struct news {
    struct errand errand;
    struct hook_set *set;
    size_t count;
    int64_t endpoints[];
};

static void news_back(struct errand *e)
{
    struct news *n = (struct news *)e;

    if (n->count == 0)
        scan_again(n->set, 0);
    for (size_t i = 0; i < n->count; i++)
        stir(n->set, n->endpoints[i]);
    free(n);
}

/* On the writer's thread. */
static void tell_news(void *set, const int64_t *endpoints, size_t count)
{
    struct hook_set *s = set;
    struct news *n = malloc(sizeof *n + count * sizeof *endpoints);

    if (!n) {
        atomic_store(&s->missed, true);
        loop_signal_raise(s->signal);
        return;
    }
    *n = (struct news){.errand.back = news_back, .set = s, .count = count};
    if (count)
        memcpy(n->endpoints, endpoints, count * sizeof *endpoints);
    mailbox_post(&s->home, &n->errand.job.letter);
}

/* At the start, and when news got lost: whoever has work, a page at a time. */
static void scan(struct hook_set *s)
{
    int64_t found[SCAN_MAX];
    size_t count;

    if (atomic_exchange(&s->missed, false))
        scan_again(s, 0);
    if (!s->scanning || hook_now_us(s) < s->scan_us)
        return;
    int failed = store_endpoint_busy(s->reader, s->scanned, found, SCAN_MAX, &count);
    if (failed) {
        hook_trouble(s, NULL, failed);
        s->scan_us = hook_now_us(s) + HOOK_TROUBLE_US;
        return;
    }
    s->scanning = count == SCAN_MAX;
    if (count)
        s->scanned = found[count - 1];
    for (size_t i = 0; i < count; i++)
        stir(s, found[i]);
    if (!s->scanning && s->rescan)
        scan_again(s, s->rescan_us);
}

static struct hook_lane *lane_of_alarm(struct hook_alarm *a)
{
    return (struct hook_lane *)((char *)a - offsetof(struct hook_lane, alarm));
}

static void ring(struct hook_set *s)
{
    int64_t now_us = hook_now_us(s);
    struct hook_alarm *a;

    while ((a = hook_alarms_first(&s->alarms)) && a->at_us <= now_us) {
        struct hook_lane *l = lane_of_alarm(a);

        hook_alarm_clear(&s->alarms, a);
        l->more = true;
        l->next_us = 0;
        hook_queue_lane(s, l);
    }
}

/* ---- turns ---- */

static bool is_over(const struct hook_lane *l)
{
    return !l->queued && !l->alarm.place && !l->held && !l->owing && !l->replaying &&
           !l->wants_secret;
}

bool hook_has_room(const struct hook_set *s, bool doubtful)
{
    size_t all = s->options.connections;

    return s->flying < all && (!doubtful || s->doubtful_flying < (all + 1) / 2);
}

static struct hook_lane *next_lane(struct hook_set *s)
{
    bool proven = s->proven.first && hook_has_room(s, false);
    bool doubtful = s->doubtful.first && hook_has_room(s, true);

    if (!proven && !doubtful)
        return NULL;
    s->doubt = doubtful && (!proven || !s->doubt); /* in turn when both want to */
    return queue_take(s->doubt ? &s->doubtful : &s->proven);
}

/* True when there is more to do at once. */
static bool give_turns(struct hook_set *s)
{
    struct hook_lane *l = NULL;

    for (int turns = 0; turns < RUN_TURNS && (l = next_lane(s)); turns++) {
        hook_turn(s, l);
        if (is_over(l))
            remove_lane(s, l);
    }
    return l != NULL || (s->scanning && hook_now_us(s) >= s->scan_us);
}

static void set_timer(struct hook_set *s)
{
    const struct hook_alarm *first = hook_alarms_first(&s->alarms);
    int64_t next_us = first ? first->at_us : INT64_MAX, now_us = hook_now_us(s);
    uint64_t wait_ms = SLEEP_MAX_MS;

    if (s->scanning && s->scan_us < next_us)
        next_us = s->scan_us;
    if (next_us <= now_us)
        wait_ms = 1;
    else if (next_us - now_us < SLEEP_MAX_MS * INT64_C(1000))
        wait_ms = (uint64_t)(next_us - now_us) / 1000 + 1;
    loop_timer_start(s->timer, wait_ms, 0);
}

void hook_set_run(struct hook_set *s)
{
    errands_back(mailbox_take(&s->home));
    scan(s);
    ring(s);
    bool more = give_turns(s);
    store_reader_rest(s->reader);
    set_timer(s);
    if (more)
        loop_signal_raise(s->signal);
}

/* ---- life ---- */

static void run(void *set)
{
    hook_set_run(set);
}

static void raise_signal(void *set)
{
    loop_signal_raise(((struct hook_set *)set)->signal);
}

static int make_parts(struct hook_set *s)
{
    mailbox_init(&s->home, raise_signal, s);
    arena_init(&s->endpoint, 1 << 20);
    arena_init(&s->memory, 4 << 20);
    buf_init(&s->body, HOOK_BODY_MAX);
    s->signal = loop_signal_new(s->options.loop, run, s);
    s->timer = loop_timer_new(s->options.loop, run, s);
    if (!s->signal || !s->timer)
        return -ENOMEM;
    return store_reader_open(s->options.store, &s->reader);
}

int hook_set_new(struct hook_set **ret, const struct hook_set_options *options)
{
    struct hook_set *s = calloc(1, sizeof *s);

    *ret = NULL;
    if (!s)
        return -ENOMEM;
    s->options = *options;
    s->proven.last = &s->proven.first;
    s->doubtful.last = &s->doubtful.first;
    int failed = make_parts(s);
    if (failed) {
        hook_set_free(s);
        return failed;
    }
    store_set_news(options->store, tell_news, s);
    *ret = s;
    return 0;
}

void hook_set_start(struct hook_set *s, struct writer *w)
{
    s->writer = w;
    scan_again(s, 0);
    loop_signal_raise(s->signal);
}

void hook_set_free(struct hook_set *s)
{
    if (!s)
        return;
    for (struct letter *l = mailbox_take(&s->home), *next; l; l = next) {
        next = l->next;
        free(l); /* every errand of ours is one piece of memory, and begins with its letter */
    }
    for (size_t i = 0; i < HOOK_SLOTS; i++)
        while (s->slots[i])
            remove_lane(s, s->slots[i]);
    hook_alarms_done(&s->alarms);
    store_reader_close(s->reader);
    buf_done(&s->body);
    arena_done(&s->memory);
    arena_done(&s->endpoint);
    mailbox_done(&s->home);
    free(s);
}

struct hook_set_counts hook_set_count(const struct hook_set *s)
{
    return (struct hook_set_counts){.lanes = s->lanes, .held = s->held, .flying = s->flying};
}
