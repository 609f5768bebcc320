#include "messaging/test_live.h"

#include <errno.h>

enum { ACME = 7, BETA = 9 };

struct test_carrier test_acme, test_beta;
size_t test_settled;
struct receipts *test_receipts;
static struct carrier_route routes[2];
static struct routing routing;

/* ---- the carriers ---- */

static int live_submit(struct carrier *c, struct parcel *p)
{
    struct test_carrier *t = (struct test_carrier *)c;
    int64_t id = parcel_message(p)->id;

    if (t->room == 0)
        return -EAGAIN;
    assert_true(test_is_marked(id));
    assert_int_equal(parcel_message(p)->carrier, c->number);
    t->room--;
    t->parcels[t->held++] = p;
    if (t->submitted_count < TEST_MANY)
        t->submitted[t->submitted_count] = id;
    t->submitted_count++;
    return 0;
}

static size_t live_room(struct carrier *c)
{
    return ((struct test_carrier *)c)->room;
}

static void live_settled(struct carrier *c, struct parcel *p)
{
    assert_true(parcel_message(p)->id > 0);
    ((struct test_carrier *)c)->room++;
    test_settled++;
}

static const struct carrier_ops live_ops = {
    .submit = live_submit, .room = live_room, .settled = live_settled};

static void make_carrier(struct test_carrier *t, const char *name, unsigned number)
{
    memset(t, 0, sizeof *t);
    t->carrier = (struct carrier){.name = name,
                                  .ops = &live_ops,
                                  .number = number,
                                  .health = CARRIER_HEALTH_FULL,
                                  .resend = true};
    t->room = 10;
}

int test_set_up_live(void **state)
{
    test_set_up(state);
    make_carrier(&test_acme, "acme", ACME);
    make_carrier(&test_beta, "beta", BETA);
    test_settled = 0;
    routing =
        (struct routing){.carriers = {&test_acme.carrier, &test_beta.carrier}, .carrier_count = 2};
    test_set_failover(0);
    return 0;
}

void test_set_failover(int64_t failover_us)
{
    for (unsigned i = 0; i < 2; i++)
        routes[i] = (struct carrier_route){
            .carrier = i, .priority = 10 + i, .weight = 1, .failover_us = failover_us};
    routing_sort(&routing, routes, 2);
}

void test_start_live(size_t window)
{
    test_acme.held = test_beta.held = 0;
    test_start(window);
    dispatch_add_carrier(test_dispatch, &test_acme.carrier);
    dispatch_add_carrier(test_dispatch, &test_beta.carrier);
    struct receipts_options r = {.store = test_store,
                                 .writer = test_writer,
                                 .clock = &test_clock,
                                 .home = dispatch_box(test_dispatch)};
    assert_int_equal(receipts_new(&test_receipts, &r), 0);
    dispatch_set_receipts(test_dispatch, test_receipts);
    test_use_routes();
    test_settle_live();
}

void test_free_live(void)
{
    dispatch_close(test_dispatch);
    receipts_free(test_receipts);
    dispatch_free(test_dispatch);
    writer_free(test_writer);
}

void test_stop_live(void)
{
    writer_stop(test_writer);
    test_free_live();
}

void test_use_routes(void)
{
    dispatch_set_routing(test_dispatch, &routing);
}

/* ---- messages ---- */

struct message test_live(const struct test_carrier *t)
{
    struct message m = test_message(MODE_LIVE, STATUS_QUEUED);

    m.carrier = t->carrier.number;
    return m;
}

int64_t test_send_live(const struct test_carrier *t)
{
    return test_send_message(test_live(t));
}

void test_settle_live(void)
{
    dispatch_run(test_dispatch);
    for (int i = 0; i < 4; i++)
        test_settle();
}

void test_pass(int64_t seconds)
{
    int64_t step = seconds < 10 ? 1 : seconds / 10;

    for (int64_t passed = 0; passed < seconds; passed += step) {
        test_now_us += (seconds - passed < step ? seconds - passed : step) * TEST_SECOND_US;
        dispatch_tick(test_dispatch);
        test_settle_live();
    }
}

int64_t test_say(struct test_carrier *t, struct carrier_answer answer)
{
    assert_true(t->held > 0);
    struct parcel *p = t->parcels[0];
    int64_t id = parcel_message(p)->id;

    memmove(t->parcels, t->parcels + 1, --t->held * sizeof *t->parcels);
    dispatch_answered(test_dispatch, p, &answer);
    return id;
}

/* ---- looks ---- */

struct message test_look_live(int64_t id)
{
    return test_look_mode(id, MODE_LIVE);
}

enum message_status test_status_live(int64_t id)
{
    return test_look_live(id).status;
}

bool test_is_marked(int64_t id)
{
    return test_look_live(id).handed;
}

static size_t events_of(int64_t id, struct event_record **ret)
{
    size_t count;

    assert_int_equal(store_event_list(test_reader, id, &test_arena, ret, &count), 0);
    return count;
}

const char *test_events(int64_t id)
{
    static const char *const words[] = {
#define X(name, number, word) [number] = (word),
        EVENT_KINDS(X)
#undef X
    };
    struct event_record *events;
    size_t count = events_of(id, &events);
    const char *text = "";

    for (size_t i = 0; i < count; i++)
        text = arena_printf(&test_arena, "%s%s%s", text, i ? "," : "", words[events[i].kind]);
    return text;
}

const char *test_last_event(int64_t id)
{
    struct event_record *events;
    size_t count = events_of(id, &events);

    assert_true(count > 0);
    return arena_printf(&test_arena, "%.*s", STR_FMT(events[count - 1].detail));
}

void test_assert_sent_to(const struct test_carrier *t, const int64_t *ids, size_t count)
{
    assert_int_equal(t->submitted_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(t->submitted[i], ids[i]);
}
