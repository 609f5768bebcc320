/* What goes out to an MMSC, and what comes of it. */
#include "base/metric.h"
#include "carriers/mm7_carrier_internal.h"

#include <errno.h>
#include <stdlib.h>

static unsigned window(const struct mm7_carrier *c)
{
    return (unsigned)c->settings->config.window;
}

/* ---- room ---- */

/* No more than goes in a second, or messages would wait here that could go another route. */
static size_t rate_allows(const struct mm7_carrier *c, size_t places)
{
    size_t most = c->rate.allowed < 1 ? 1 : (size_t)c->rate.allowed;
    return c->rate.allowed != 0 && most < places ? most : places;
}

size_t mm7_feed_places(const struct mm7_carrier *c)
{
    unsigned taken = c->used + c->used_long;
    return taken < window(c) ? window(c) - taken : 0;
}

/* Places that may be taken now: one, of a carrier that is probed. */
static size_t places_of(const struct mm7_carrier *c)
{
    size_t free_places = mm7_feed_places(c);

    switch (c->stands) {
    case MM7_STANDS_WELL:
        return free_places;
    case MM7_STANDS_PROBED:
        return c->flying == 0 && free_places ? 1 : 0;
    case MM7_STANDS_DOWN:
        break;
    }
    return 0;
}

size_t mm7_feed_room(const struct mm7_carrier *c)
{
    if (!c->settings || c->live.record.drained)
        return 0;
    size_t places = rate_allows(c, places_of(c));
    return places > c->ready_count ? places - c->ready_count : 0;
}

/* ---- jobs ---- */

static void keep_job(struct mm7_carrier *c, struct mm7_job *j)
{
    j->older = c->jobs;
    if (j->older)
        j->older->newer = j;
    c->jobs = j;
    *c->ready_end = j;
    c->ready_end = &j->next;
    c->ready_count++;
}

static struct mm7_job *take_ready(struct mm7_carrier *c)
{
    struct mm7_job *j = c->ready;

    c->ready = j->next;
    if (!c->ready)
        c->ready_end = &c->ready;
    j->next = NULL;
    c->ready_count--;
    c->room_freed |= c->rate.allowed != 0; /* the rate counts what waits here */
    return j;
}

static void forget_job(struct mm7_carrier *c, struct mm7_job *j)
{
    *(j->newer ? &j->newer->older : &c->jobs) = j->older;
    if (j->older)
        j->older->newer = j->newer;
    free(j);
}

/* The job may be gone then. */
static void give(struct mm7_job *j, const struct mm7_outcome *o)
{
    struct str id = {o->id, o->id_size};
    struct carrier_answer answer = {
        .outcome = o->outcome, .failure = o->failure, .detail = str_of(o->detail)};

    if (o->outcome == CARRIER_TOOK) {
        answer.ids = &id;
        answer.parts = 1;
    }
    dispatch_answered(j->carrier->live.options.dispatch, j->parcel, &answer);
}

void mm7_feed_return(struct mm7_carrier *c)
{
    static const struct mm7_outcome untried = {.outcome = CARRIER_UNTRIED};
    struct mm7_job *last = NULL, *next;

    /* The last one first, because each goes to the front of dispatch's queue. */
    for (struct mm7_job *j = c->ready; j; j = next) {
        next = j->next;
        j->next = last;
        last = j;
    }
    c->ready = NULL;
    c->ready_end = &c->ready;
    c->ready_count = 0;
    for (; last; last = next) {
        next = last->next;
        give(last, &untried);
    }
}

/* ---- the port ---- */

static size_t carrier_room(struct carrier *port)
{
    return mm7_feed_room((struct mm7_carrier *)port);
}

/* What was handed over when there was room is taken, even if there is less by now. */
static int carrier_submit(struct carrier *port, struct parcel *p)
{
    struct mm7_carrier *c = (struct mm7_carrier *)port;

    if (!c->settings || c->live.record.drained || c->stands == MM7_STANDS_DOWN)
        return -EAGAIN;
    struct mm7_job *j = calloc(1, sizeof *j);
    if (!j)
        return -EAGAIN;
    j->carrier = c;
    j->parcel = p;
    parcel_set_note(p, j);
    keep_job(c, j);
    live_carrier_wake(&c->live);
    return 0;
}

static void free_place(struct mm7_carrier *c, const struct mm7_job *j)
{
    if (!j->term)
        return;
    if (j->term == c->term)
        c->used--;
    else if (j->term == c->term_before)
        c->used_before--;
    else
        c->used_long--;
}

static void carrier_settled(struct carrier *port, struct parcel *p)
{
    struct mm7_carrier *c = (struct mm7_carrier *)port;
    struct mm7_job *j = parcel_note(p);

    if (!j)
        return;
    parcel_set_note(p, NULL);
    free_place(c, j);
    forget_job(c, j);
    c->room_freed = true;
    live_carrier_wake(&c->live);
}

const struct carrier_ops mm7_carrier_ops = {
    .submit = carrier_submit, .room = carrier_room, .settled = carrier_settled};

/* ---- there and back ---- */

static void count(struct mm7_carrier *c, const struct mm7_outcome *o)
{
    switch (o->outcome) {
    case CARRIER_TOOK:
        c->live.record.taken++;
        return;
    case CARRIER_REFUSED:
    case CARRIER_ELSEWHERE:
    case CARRIER_LATER:
        c->live.record.refused += o->shows != MM7_SHOWS_BUSY && o->shows != MM7_SHOWS_NOTHING;
        return;
    case CARRIER_SILENT:
    case CARRIER_UNTRIED:
        return;
    }
}

static void measure(const struct mm7_outcome *o, int64_t us)
{
    static const unsigned words[] = {[CARRIER_TOOK] = METRIC_SUBMISSION_TAKEN,
                                     [CARRIER_REFUSED] = METRIC_SUBMISSION_REFUSED,
                                     [CARRIER_LATER] = METRIC_SUBMISSION_LATER,
                                     [CARRIER_ELSEWHERE] = METRIC_SUBMISSION_REFUSED,
                                     [CARRIER_SILENT] = METRIC_SUBMISSION_UNANSWERED,
                                     [CARRIER_UNTRIED] = METRIC_SUBMISSION_UNSENT};

    metric_add(METRIC_MMS_SUBMISSIONS, words[o->outcome], 1);
    metric_observe(METRIC_MMS_SECONDS, 0, us);
}

static void on_answer(void *job, const struct mm7_outcome *outcome)
{
    struct mm7_job *j = job;
    struct mm7_carrier *c = j->carrier;
    int64_t now_us = clock_monotonic_us();

    count(c, outcome);
    measure(outcome, now_us - j->begun_us);
    if (j->term == c->term) {
        c->flying--;
        mm7_standing_take(c, outcome, j->begun_us, now_us);
    } else {
        c->late--;
    }
    give(j, outcome);
    live_carrier_wake(&c->live);
}

static bool begin(struct mm7_carrier *c, int64_t now_us)
{
    struct mm7_job *j = c->ready;

    if (mm7_outlet_send(c->way->outlet, parcel_message(j->parcel), on_answer, j) < 0)
        return false;
    take_ready(c);
    j->term = c->term;
    j->begun_us = now_us;
    c->used++;
    c->flying++;
    c->live.record.submitted++;
    return true;
}

static void send_all(struct mm7_carrier *c, int64_t now_us)
{
    while (c->ready && places_of(c) > 0 && smpp_rate_take(&c->rate, now_us))
        if (!begin(c, now_us))
            return;
}

/* ---- when to look again ---- */

/* Microseconds until something can change by itself; negative: nothing does. */
static int64_t next_look_us(struct mm7_carrier *c, int64_t now_us)
{
    int64_t next_us = -1;

    if (c->stopping)
        return c->grace_us && !c->aborted ? c->grace_us - now_us : -1;
    if (!c->settings)
        return -1;
    if (c->stands == MM7_STANDS_DOWN)
        return c->until_us - now_us;
    if (c->ready)
        next_us = smpp_rate_wait_us(&c->rate, now_us);
    return next_us > 0 ? next_us : -1;
}

static void tell_room(struct mm7_carrier *c)
{
    if (!c->room_freed || mm7_feed_room(c) == 0)
        return;
    c->room_freed = false;
    dispatch_ready(c->live.options.dispatch);
}

int64_t mm7_feed(struct live_carrier *live)
{
    struct mm7_carrier *c = (struct mm7_carrier *)live;
    int64_t now_us = clock_monotonic_us();

    if (c->settings) {
        mm7_standing_look(c, now_us);
        send_all(c, now_us);
        tell_room(c);
        mm7_standing_judge(c);
    }
    if (c->stopping)
        mm7_carrier_leave(c);
    mm7_standing_limit(c, now_us);
    return next_look_us(c, now_us);
}
