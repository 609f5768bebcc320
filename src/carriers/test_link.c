#include "carriers/test_link.h"

#include <stdio.h>

struct test_link test_link;
struct test_smsc test_smsc;
struct test_session test_session;

static void do_once(void (**what)(struct test_link *t))
{
    void (*now)(struct test_link * t) = *what;

    *what = NULL;
    if (now)
        now(&test_link);
}

static void bound(void *context)
{
    struct test_link *t = context;

    assert_false(t->in_call);
    t->bound++;
    do_once(&t->on_bound);
}

static void lost(void *context, const char *why)
{
    struct test_link *t = context;

    assert_false(t->in_call);
    assert_int_equal(smpp_link_in_flight(t->link), 0); /* they were told before */
    t->lost++;
    snprintf(t->why, sizeof t->why, "%s", why);
    do_once(&t->on_lost);
}

static void answered(void *context, void *request, const struct smpp_pdu *response)
{
    struct test_link *t = context;
    struct test_answer *a = &t->answered[t->answers % TEST_LINK_MANY];

    assert_false(t->in_call);
    *a = (struct test_answer){.request = (int)(intptr_t)request, .is_nothing = !response};
    if (response) {
        a->command = response->command;
        a->status = response->status;
        a->has_body = response->has_body;
        snprintf(a->message_id, sizeof a->message_id, "%.*s", STR_FMT(response->message_id));
    }
    t->answers++;
    do_once(&t->on_answered);
}

static void delivered(void *context, const struct smpp_pdu *pdu, uint64_t token)
{
    struct test_link *t = context;
    int at = t->deliveries % TEST_LINK_MANY;

    assert_false(t->in_call);
    t->tokens[at] = token;
    snprintf(t->texts[at], sizeof t->texts[at], "%.*s", STR_FMT(pdu->short_message));
    t->deliveries++;
    do_once(&t->on_delivered);
}

static void stopped(void *context)
{
    struct test_link *t = context;

    assert_false(t->in_call);
    t->stopped++;
    do_once(&t->on_stopped);
}

int test_link_set_up(void **state)
{
    memset(&test_link, 0, sizeof test_link);
    memset(&test_session, 0, sizeof test_session);
    test_session.peer.fd = -1;
    if (test_loop_set_up(state) < 0)
        return -1;
    test_smsc_init(&test_smsc, NULL);
    test_link.options = (struct smpp_link_options){
        .loop = test_loop,
        .name = "acme/1",
        .bind = SMPP_BIND_TRX,
        .host = "127.0.0.1",
        .port = test_smsc.listener.port,
        .system_id = "user",
        .password = "secret",
        .system_type = "VMA",
        .interface_version = 0x34,
        .window = 10,
        .connect_timeout_ms = TEST_LINK_AGES_MS,
        .bind_timeout_ms = TEST_LINK_AGES_MS,
        .response_timeout_ms = TEST_LINK_AGES_MS,
        .enquire_ms = TEST_LINK_AGES_MS,
        .reconnect_min_ms = 4,
        .reconnect_max_ms = 8,
        .refused_wait_ms = TEST_LINK_AGES_MS,
        .bound = bound,
        .lost = lost,
        .answered = answered,
        .delivered = delivered,
        .context = &test_link,
    };
    return 0;
}

static void free_now(void *context)
{
    smpp_link_free(test_link.link);
    test_link.link = NULL;
}

void test_link_free(void)
{
    test_loop_do(free_now, NULL);
}

int test_link_tear_down(void **state)
{
    test_link_free();
    test_session_close(&test_session);
    test_smsc_done(&test_smsc);
    return test_loop_tear_down(state);
}

static void start_now(void *context)
{
    test_link.in_call = true;
    if (!test_link.link)
        assert_int_equal(smpp_link_new(&test_link.link, &test_link.options), 0);
    smpp_link_start(test_link.link);
    test_link.in_call = false;
}

void test_link_start(void)
{
    test_loop_do(start_now, NULL);
}

void test_link_up(void)
{
    test_link_start();
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(1);
}

/* ---- telling it ---- */

struct hanging {
    test_link_hook **place, *hook;
};

static void hang_now(void *context)
{
    const struct hanging *h = context;
    *h->place = h->hook;
}

void test_link_when(test_link_hook **place, test_link_hook *hook)
{
    test_loop_do(hang_now, &(struct hanging){place, hook});
}

struct sending {
    int request, result;
};

static int send(int request)
{
    struct smpp_pdu pdu = {.command = SMPP_SUBMIT_SM,
                           .source = {5, 0, STR("ACME")},
                           .destination = {1, 1, STR("14155550100")},
                           .short_message = STR("hello")};

    test_link.in_call = true;
    int result = smpp_link_send(test_link.link, &pdu, (void *)(intptr_t)request);
    test_link.in_call = false;
    return result;
}

static void send_now(void *context)
{
    struct sending *s = context;
    s->result = send(s->request);
}

int test_link_send(int request)
{
    struct sending s = {request, 0};

    test_loop_do(send_now, &s);
    return s.result;
}

void test_link_send_now(struct test_link *t, int request, int expected)
{
    assert_int_equal(send(request), expected);
}

struct response {
    uint64_t token;
    uint32_t status;
};

static void respond_now(void *context)
{
    const struct response *r = context;

    test_link.in_call = true;
    smpp_link_respond(test_link.link, r->token, r->status);
    test_link.in_call = false;
}

void test_link_respond(uint64_t token, uint32_t status)
{
    test_loop_do(respond_now, &(struct response){token, status});
}

void test_link_rebind_now(struct test_link *t)
{
    t->in_call = true;
    smpp_link_rebind(t->link, "because");
    t->in_call = false;
}

void test_link_stop_now(struct test_link *t)
{
    t->in_call = true;
    smpp_link_stop(t->link, stopped, t);
    t->in_call = false;
}

static void rebind_it(void *context)
{
    test_link_rebind_now(&test_link);
}

static void stop_it(void *context)
{
    test_link_stop_now(&test_link);
}

void test_link_rebind(void)
{
    test_loop_do(rebind_it, NULL);
}

void test_link_stop(void)
{
    test_loop_do(stop_it, NULL);
}

static void look_at_room(void *context)
{
    *(unsigned *)context = smpp_link_room(test_link.link);
}

unsigned test_link_room(void)
{
    unsigned room;

    test_loop_do(look_at_room, &room);
    return room;
}

/* ---- waiting ---- */

struct count {
    const int *count;
    int wanted;
};

static bool is_reached(void *context)
{
    const struct count *c = context;
    return *c->count >= c->wanted;
}

static void until(const int *count, int wanted)
{
    test_loop_until(is_reached, &(struct count){count, wanted});
}

void test_link_until_bound(int times)
{
    until(&test_link.bound, times);
}

void test_link_until_lost(int times)
{
    until(&test_link.lost, times);
}

void test_link_until_answers(int times)
{
    until(&test_link.answers, times);
}

void test_link_until_deliveries(int times)
{
    until(&test_link.deliveries, times);
}

void test_link_until_stopped(void)
{
    until(&test_link.stopped, 1);
}
