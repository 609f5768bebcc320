/* What other threads ask comes as letters, and they wait for the answer. Before the engine runs
 * they are answered on the spot. */
#include "carriers/carrier_set_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum { TICK_MS = 1000 };

/* ---- asking the engine ---- */

int carrier_set_ask(struct carrier_set *s, struct carrier_question *q)
{
    if (!s->running)
        return q->answer(s, q);
    sem_init(&q->answered, 0, 0);
    mailbox_post(&s->questions, &q->letter);
    while (sem_wait(&q->answered) < 0)
        ; /* a signal came */
    sem_destroy(&q->answered);
    return q->result;
}

static void raise_signal(void *set)
{
    struct carrier_set *s = set;
    loop_signal_raise(s->signal);
}

static void on_signal(void *set)
{
    struct carrier_set *s = set;
    struct letter *next;

    for (struct letter *l = mailbox_take(&s->questions); l; l = next) {
        struct carrier_question *q = (struct carrier_question *)l;
        next = l->next;
        q->result = q->answer(s, q);
        sem_post(&q->answered); /* and it is gone */
    }
}

/* ---- seats ---- */

struct carrier_seat *carrier_set_seat(const struct carrier_set *s, const char *name)
{
    for (struct carrier_seat *seat = s->seats; seat; seat = seat->next)
        if (carrier_seat_is(seat, name))
            return seat;
    return NULL;
}

struct carrier *carrier_set_find(const struct carrier_set *s, const char *name)
{
    struct carrier_seat *seat = carrier_set_seat(s, name);
    return seat && seat->configured ? &seat->carrier->port : NULL;
}

static struct carrier_seat *seat_of(const struct carrier_set *s, unsigned number)
{
    for (struct carrier_seat *seat = s->seats; seat; seat = seat->next)
        if (seat->carrier->port.number == number)
            return seat;
    return NULL;
}

void carrier_set_count_receipt(struct carrier_set *s, unsigned number, bool stray)
{
    struct carrier_seat *seat = seat_of(s, number);

    if (seat)
        live_carrier_count_receipt(seat->carrier, stray);
}

/* ---- drain ---- */

struct drain {
    struct carrier_question question;
    unsigned number;
    bool drained;
};

static int answer_drain(struct carrier_set *s, struct carrier_question *q)
{
    struct drain *d = (struct drain *)q;
    struct carrier_seat *seat = seat_of(s, d->number);

    if (seat)
        live_carrier_drain(seat->carrier, d->drained);
    return 0;
}

void carrier_set_drain(struct carrier_set *s, unsigned number, bool drained)
{
    struct drain d = {.question.answer = answer_drain, .number = number, .drained = drained};
    carrier_set_ask(s, &d.question);
}

/* ---- each second ---- */

static void on_timer(void *set)
{
    struct carrier_set *s = set;

    dispatch_tick(s->options.dispatch);
    receipts_tick(s->options.receipts);
    arrivals_tick(s->options.arrivals);
    for (struct carrier_seat *seat = s->seats; seat; seat = seat->next)
        carrier_seat_tick(seat);
    carrier_notes_write(&s->notes, s->seats);
}

void carrier_set_start(struct carrier_set *s)
{
    s->running = true;
    loop_timer_start(s->timer, TICK_MS, TICK_MS);
}

/* ---- the end ---- */

/* The last word to the store is that nothing runs. */
static void on_noted(void *set, int result)
{
    struct carrier_set *s = set;

    if (s->gone && (result < 0 || !carrier_notes_write(&s->notes, s->seats)))
        sem_post(&s->stopped);
}

static void on_left(void *set)
{
    struct carrier_set *s = set;

    if (--s->leaving > 0)
        return;
    s->gone = true;
    loop_timer_stop(s->timer);
    if (!s->notes.busy)
        on_noted(s, 0);
}

static int answer_stop(struct carrier_set *s, struct carrier_question *q)
{
    s->leaving = 1; /* this very call, so that the end comes once */
    for (struct carrier_seat *seat = s->seats; seat; seat = seat->next) {
        s->leaving++;
        carrier_seat_leave(seat, on_left, s);
    }
    on_left(s);
    return 0;
}

bool carrier_set_stop(struct carrier_set *s, uint64_t timeout_ms)
{
    struct carrier_question stop = {.answer = answer_stop};
    struct timespec until;
    int r;

    carrier_set_ask(s, &stop);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(timeout_ms / 1000);
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while ((r = sem_timedwait(&s->stopped, &until)) < 0 && errno == EINTR)
        ;
    return r == 0;
}

/* ---- made and freed ---- */

int carrier_set_new(struct carrier_set **ret, const struct carrier_set_options *options)
{
    struct carrier_set *s = calloc(1, sizeof *s);

    *ret = NULL;
    if (!s)
        return -ENOMEM;
    s->options = *options;
    mailbox_init(&s->questions, raise_signal, s);
    sem_init(&s->stopped, 0, 0);
    s->notes = (struct carrier_notes){.writer = options->writer,
                                      .home = dispatch_box(options->dispatch),
                                      .clock = options->clock,
                                      .done = on_noted,
                                      .context = s};
    s->signal = loop_signal_new(options->loop, on_signal, s);
    s->timer = loop_timer_new(options->loop, on_timer, s);
    if (!s->signal || !s->timer) {
        carrier_set_free(s);
        return -ENOMEM;
    }
    *ret = s;
    return 0;
}

void carrier_set_free(struct carrier_set *s)
{
    if (!s)
        return;
    while (s->seats) {
        struct carrier_seat *next = s->seats->next;
        carrier_seat_free(s->seats);
        s->seats = next;
    }
    mailbox_done(&s->questions);
    sem_destroy(&s->stopped);
    free(s);
}
