/* Other routes for messages that their carrier does not take. */
#include "messaging/dispatch_internal.h"

#include "base/metric.h"
#include "base/random.h"

#define DEAD_US      INT64_C(5000000)  /* a link that is lost may be back in a moment */
#define ASK_AGAIN_US INT64_C(30000000) /* when there was no other way */
#define FULL_US      INT64_C(2000000)  /* when the other way was full */
#define WITHOUT_ROUTE_US                                                                           \
    INT64_C(30000000) /* patience when no route leads to the carrier any more */

/* Carriers that a message has tried are bits of places in the routing, which hold no longer than it
 * does. */
static void look_at_routing(struct dispatch *d, struct parcel *p)
{
    if (p->routing_age == d->routing_age)
        return;
    p->routing_age = d->routing_age;
    p->tried = 0;
    p->failover_us = FAILOVER_UNKNOWN;
}

static uint64_t bit_of(const struct dispatch *d, const struct lane *l)
{
    int place = routing_place(d->routing, l->number);
    return place < 0 ? 0 : UINT64_C(1) << place;
}

void failover_tried(struct dispatch *d, struct parcel *p)
{
    if (!d->routing)
        return;
    look_at_routing(d, p);
    p->tried |= bit_of(d, p->lane);
}

/* Routes are for live messages: the others have the simulator, and no other way. */
struct lane *failover_lane(struct dispatch *d, struct parcel *p)
{
    if (!d->routing || p->message.mode == MODE_TEST)
        return NULL;
    look_at_routing(d, p);
    const struct carrier_route *route = routing_next(
        d->routing, &p->message, p->tried | bit_of(d, p->lane), (uint32_t)random_fast());
    struct lane *l =
        route ? lane_find(&d->lanes, d->routing->carriers[route->carrier]->number) : NULL;
    return l && l->carrier ? l : NULL;
}

struct note *failover_note(struct parcel *p, const struct lane *to, struct str why)
{
    p->lane->counts.failed_over++;
    metric_add(METRIC_FAILED_OVER, 0, 1);
    return note_new(EVENT_FAILOVER, "%.*s%sIt goes to %s now.", STR_FMT(why), why.n ? " " : "",
                    to->carrier->name);
}

void dispatch_elsewhere(struct dispatch *d, struct parcel *p, const struct carrier_answer *answer)
{
    struct str why = answer->detail;

    failover_tried(d, p);
    struct lane *to = failover_lane(d, p);
    if (to)
        dispatch_requeue(d, p, to, p->message.retry_count, NO_REST,
                         note_partly(answer, failover_note(p, to, why)));
    else
        dispatch_fail(d, p, answer->failure,
                      why.n ? note_new(EVENT_CARRIER_ANSWER, "%.*s", STR_FMT(why)) : NULL);
}

/* ---- waiting too long ---- */

/* For how long it may wait for its carrier; 0: for ever. */
static int64_t patience_us(struct dispatch *d, struct parcel *p)
{
    look_at_routing(d, p);
    if (p->failover_us == FAILOVER_UNKNOWN) {
        const struct carrier_route *route =
            routing_next(d->routing, &p->message, ~bit_of(d, p->lane), 0);
        p->failover_us = route ? route->failover_us : WITHOUT_ROUTE_US;
    }
    return p->failover_us;
}

static bool is_overdue(struct dispatch *d, struct parcel *p, int64_t now_us)
{
    int64_t patience = patience_us(d, p), dead_us = p->lane->dead_us;

    if (patience == 0)
        return false;
    return now_us - p->since_us >= patience || (dead_us && now_us - dead_us >= DEAD_US);
}

static void go(struct dispatch *d, struct parcel *p, struct lane *to)
{
    bool dead = p->lane->dead_us > 0;

    if (!dead) /* else it may come back when the carrier does */
        failover_tried(d, p);
    parcel_queue_remove(p);
    dispatch_requeue(d, p, to, p->message.retry_count, NO_REST,
                     failover_note(p, to,
                                   dead ? STR("The carrier cannot be reached.")
                                        : STR("It has waited too long for the carrier.")));
}

void failover_overdue(struct dispatch *d, struct parcel *p, int64_t now_us, size_t *left)
{
    if (!d->routing || now_us < p->ask_us || !is_overdue(d, p, now_us))
        return;
    struct lane *to = failover_lane(d, p);
    --*left;
    if (!to || atomic_load(&to->carrier->health) == 0)
        p->ask_us = now_us + ASK_AGAIN_US;
    else if (!lane_has_room(&d->lanes, to))
        p->ask_us = now_us + FULL_US;
    else
        go(d, p, to);
}
