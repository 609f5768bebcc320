#include "carriers/test_lane.h"

struct test_port test_port;

/* ---- in the place of dispatch ---- */

const struct message *parcel_message(const struct parcel *p)
{
    return &p->message;
}

void parcel_set_note(struct parcel *p, void *note)
{
    p->note = note;
}

void *parcel_note(const struct parcel *p)
{
    return p->note;
}

static void settle(struct parcel *p)
{
    struct carrier *port = &test_port.carrier->port;

    p->settlements++;
    port->ops->settled(port, p);
}

void dispatch_answered(struct dispatch *d, struct parcel *p, const struct carrier_answer *answer)
{
    p->answers++;
    p->order = ++test_port.answers;
    p->outcome = answer->outcome;
    p->failure = answer->failure;
    p->parts = answer->parts;
    for (unsigned i = 0; i < answer->parts; i++)
        str_format(p->ids[i], sizeof p->ids[i], "%.*s", STR_FMT(answer->ids[i]));
    str_format(p->detail, sizeof p->detail, "%.*s", STR_FMT(answer->detail));
    if (test_port.settle || answer->outcome == CARRIER_UNTRIED)
        settle(p);
}

void dispatch_set_profile(struct dispatch *d, struct carrier *c, const struct media_profile *media)
{
    c->media = *media;
}

void dispatch_ready(struct dispatch *d)
{
    test_port.ready++;
}

struct dispatch_counts dispatch_counts(struct dispatch *d, const struct carrier *c)
{
    return (struct dispatch_counts){.waiting = 5, .coming = test_port.waiting + test_port.fetching};
}

size_t dispatch_waiting(struct dispatch *d, const struct carrier *c)
{
    return test_port.waiting;
}

/* ---- in the place of receipts and arrivals ---- */

static struct test_delivery *add_delivery(void (*done)(void *context, int result), void *context)
{
    assert_true(test_port.delivery_count < TEST_DELIVERIES);
    struct test_delivery *d = &test_port.deliveries[test_port.delivery_count++];
    *d = (struct test_delivery){.done = done, .context = context};
    return d;
}

void receipts_take(struct receipts *r, const struct carrier_receipt *receipt,
                   void (*done)(void *context, int result), void *context)
{
    struct test_delivery *d = add_delivery(done, context);

    d->is_receipt = true;
    d->carrier = receipt->carrier;
    d->word = receipt->word;
    if (receipt->id_count)
        str_format(d->id, sizeof d->id, "%.*s", STR_FMT(receipt->ids[0]));
    str_format(d->text, sizeof d->text, "%.*s", STR_FMT(receipt->raw));
}

void arrivals_take(struct arrivals *a, const struct arrival *arrival,
                   void (*done)(void *context, int result), void *context)
{
    struct test_delivery *d = add_delivery(done, context);

    d->carrier = arrival->carrier;
    str_format(d->text, sizeof d->text, "%.*s", STR_FMT(arrival->text));
}

/* ---- the carrier ---- */

void test_port_init(void)
{
    memset(&test_port, 0, sizeof test_port);
    test_port.settle = true;
}

/* ---- what dispatch would do ---- */

static void submit(void *parcel)
{
    struct carrier *port = &test_port.carrier->port;
    struct parcel *p = parcel;

    p->result = port->ops->submit(port, p);
}

int test_port_submit_message(const struct message *m)
{
    assert_true(test_port.count < TEST_PARCELS);
    struct parcel *p = &test_port.parcels[test_port.count];
    *p = (struct parcel){.message = *m};
    test_loop_do(submit, p);
    return p->result < 0 ? p->result : test_port.count++;
}

static void settle_now(void *parcel)
{
    settle(parcel);
}

void test_port_settle(int parcel)
{
    test_loop_do(settle_now, &test_port.parcels[parcel]);
}

static void drain(void *drained)
{
    live_carrier_drain(test_port.carrier, drained);
}

void test_port_drain(bool drained)
{
    test_loop_do(drain, drained ? &test_port : NULL);
}

static void tick(void *unused)
{
    live_carrier_tick(test_port.carrier);
}

void test_port_tick(void)
{
    test_loop_do(tick, NULL);
}

static void on_stopped(void *unused)
{
    test_port.stopped++;
}

static void stop(void *hurry)
{
    live_carrier_stop(test_port.carrier, hurry, on_stopped, NULL);
}

void test_port_stop(void)
{
    test_loop_do(stop, NULL);
}

void test_port_hurry(void)
{
    test_loop_do(stop, &test_port);
}

static void look_at_room(void *room)
{
    struct carrier *port = &test_port.carrier->port;
    *(size_t *)room = port->ops->room(port);
}

size_t test_port_room(void)
{
    size_t room;

    test_loop_settle();
    test_loop_do(look_at_room, &room);
    return room;
}

int test_port_health(void)
{
    test_loop_settle();
    return atomic_load(&test_port.carrier->port.health);
}

static void look_at_state(void *record)
{
    live_carrier_state(test_port.carrier, record);
}

struct carrier_record test_port_state(void)
{
    struct carrier_record record;

    test_loop_settle();
    test_loop_do(look_at_state, &record);
    return record;
}

struct written {
    struct test_delivery *delivery;
    int result;
};

static void write_delivery(void *context)
{
    struct written *w = context;
    w->delivery->done(w->delivery->context, w->result);
}

void test_port_written(int delivery, int result)
{
    struct written w = {&test_port.deliveries[delivery], result};
    test_loop_do(write_delivery, &w);
}

/* ---- waiting ---- */

static bool is_answered(void *parcel)
{
    return ((struct parcel *)parcel)->answers > 0;
}

void test_port_until_answered(int parcel)
{
    test_loop_until(is_answered, &test_port.parcels[parcel]);
}

static bool are_delivered(void *count)
{
    return test_port.delivery_count >= *(int *)count;
}

void test_port_until_deliveries(int count)
{
    test_loop_until(are_delivered, &count);
}

static bool is_stopped(void *unused)
{
    return test_port.stopped > 0;
}

void test_port_until_stopped(void)
{
    test_loop_until(is_stopped, NULL);
}

static bool has_room(void *room)
{
    struct carrier *port = &test_port.carrier->port;
    return port->ops->room(port) == *(size_t *)room;
}

void test_port_until_room(size_t room)
{
    test_loop_until(has_room, &room);
}

void test_port_assert_outcome(int parcel, enum carrier_outcome outcome)
{
    test_port_until_answered(parcel);
    const struct parcel *p = &test_port.parcels[parcel];
    assert_int_equal(p->answers, 1);
    assert_int_equal(p->outcome, outcome);
}
