#include "carriers/simulator.h"

#include "messaging/test_number.h"

#include <errno.h>
#include <stdlib.h>

enum { TICK_MS = 10, FIRST_SLOTS = 1024 };

/* What will happen to one message at `due_us`. */
struct pending {
    int64_t due_us;
    int64_t message;
    struct parcel *parcel; /* set: the answer is due; NULL: the receipt is */
    int64_t delivery_us;   /* from the answer to the receipt */
    enum failure failure;
};

struct simulator {
    struct carrier carrier;
    struct simulator_options options;
    struct loop_timer *timer;
    struct pending *heap; /* earliest first */
    size_t count, slots;
    bool ticking, full;
};

/* ---- a binary heap by due time ---- */

static bool heap_grow(struct simulator *s)
{
    size_t slots = s->slots ? s->slots * 2 : FIRST_SLOTS;
    struct pending *heap = realloc(s->heap, slots * sizeof *heap);

    if (!heap)
        return false;
    s->heap = heap;
    s->slots = slots;
    return true;
}

static bool heap_push(struct simulator *s, struct pending p)
{
    if (s->count == s->slots && !heap_grow(s))
        return false;
    size_t i = s->count++;
    for (; i > 0 && p.due_us < s->heap[(i - 1) / 2].due_us; i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = p;
    return true;
}

static struct pending heap_pop(struct simulator *s)
{
    struct pending top = s->heap[0], last = s->heap[--s->count];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= s->count)
            break;
        if (child + 1 < s->count && s->heap[child + 1].due_us < s->heap[child].due_us)
            child++;
        if (last.due_us <= s->heap[child].due_us)
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return top;
}

/* ---- the port ---- */

static int schedule(struct simulator *s, struct pending p)
{
    if (s->count >= s->options.max_pending || !heap_push(s, p)) {
        s->full = true;
        return -EAGAIN;
    }
    if (!s->ticking) {
        s->ticking = true;
        loop_timer_start(s->timer, TICK_MS, TICK_MS);
    }
    return 0;
}

static int64_t delivery_us(const struct simulator *s, const struct test_number *acting)
{
    return acting->number[0] ? (int64_t)acting->delay_ms * 1000 : s->options.delivery_us;
}

static int simulator_submit(struct carrier *c, struct parcel *p)
{
    struct simulator *s = (struct simulator *)c;
    const struct message *m = parcel_message(p);
    const struct test_number *acting = test_number_find(m->to);
    int64_t delivery = delivery_us(s, acting);
    int64_t answer = s->options.answer_us < delivery ? s->options.answer_us : delivery;

    return schedule(s, (struct pending){
                           .due_us = clock_now_us(s->options.clock) + answer,
                           .message = m->id,
                           .parcel = p,
                           .delivery_us = delivery - answer,
                           .failure = acting->failure,
                       });
}

static int simulator_follow(struct carrier *c, const struct message *m)
{
    struct simulator *s = (struct simulator *)c;
    int64_t due_us = m->sent_us + delivery_us(s, test_number_find(m->to));

    return schedule(s, (struct pending){.due_us = due_us, .message = m->id});
}

static const struct carrier_ops simulator_ops = {.submit = simulator_submit,
                                                 .follow = simulator_follow};

static void happen(struct simulator *s, struct pending p)
{
    if (!p.parcel) {
        dispatch_receipt(s->options.dispatch, p.message, p.failure);
        return;
    }
    dispatch_answered(s->options.dispatch, p.parcel,
                      &(struct carrier_answer){
                          .outcome = p.failure ? CARRIER_REFUSED : CARRIER_TOOK,
                          .failure = p.failure,
                      });
    if (p.failure)
        return;
    p.parcel = NULL;
    p.due_us += p.delivery_us;
    heap_push(s, p); /* its old slot is free, so this does not fail */
}

void simulator_run(struct simulator *s)
{
    int64_t now_us = clock_now_us(s->options.clock);

    while (s->count && s->heap[0].due_us <= now_us)
        happen(s, heap_pop(s));
    if (s->count == 0) {
        s->ticking = false;
        loop_timer_stop(s->timer);
    }
    if (s->full && s->count <= s->options.max_pending / 2) {
        s->full = false;
        dispatch_ready(s->options.dispatch);
    }
}

static void on_tick(void *simulator)
{
    simulator_run(simulator);
}

int simulator_new(struct simulator **ret, const struct simulator_options *options)
{
    struct simulator *s = calloc(1, sizeof *s);

    *ret = NULL;
    if (!s)
        return -ENOMEM;
    s->carrier = (struct carrier){.name = "simulator",
                                  .ops = &simulator_ops,
                                  .health = CARRIER_HEALTH_FULL,
                                  .media = options->media};
    s->options = *options;
    s->timer = loop_timer_new(options->loop, on_tick, s);
    if (!s->timer) {
        free(s);
        return -ENOMEM;
    }
    *ret = s;
    return 0;
}

/* Parcels still here are dispatch's. */
void simulator_free(struct simulator *s)
{
    free(s->heap);
    free(s);
}

struct carrier *simulator_carrier(struct simulator *s)
{
    return &s->carrier;
}
