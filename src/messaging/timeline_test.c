#include "messaging/timeline.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct arena arena;
static struct timeline_entry *entries;
static size_t count;

static int set_up(void **state)
{
    arena_init(&arena, 1 << 16);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static void make(const struct message *m, const struct event_record *events, size_t event_count)
{
    struct timeline_sources from = {.message = m, .events = events, .event_count = event_count};

    assert_int_equal(timeline_make(&from, &arena, &entries, &count), 0);
    for (size_t i = 0; i < count; i++)
        assert_true(entries[i].description.n > 5);
}

/* "accepted@1 routed@1 …" */
static void assert_story(const char *wanted)
{
    char told[512] = "";

    for (size_t i = 0, n = 0; i < count; i++)
        n += (size_t)snprintf(told + n, sizeof told - n, "%s%s@%lld", i ? " " : "",
                              timeline_word(entries[i].type), (long long)entries[i].at_us);
    assert_string_equal(told, wanted);
}

static struct message outbound(enum message_status status)
{
    return (struct message){.direction = DIRECTION_OUTBOUND,
                            .status = status,
                            .from = STR("+18005551234"),
                            .created_us = 10,
                            .updated_us = 10};
}

static void from_accepted_to_delivered(void **state)
{
    struct message m = outbound(STATUS_QUEUED);

    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 queued@10");
    assert_true(str_is(entries[1].description, "+18005551234 was chosen to send it."));
    m.status = STATUS_DELIVERED;
    m.sent_us = 20;
    m.delivered_us = m.updated_us = 30;
    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 queued@10 sent@20 delivered@30");
}

static void a_failure_has_its_reason(void **state)
{
    struct message m = outbound(STATUS_FAILED);

    m.failed_us = m.updated_us = 15;
    m.failure = FAILURE_RECIPIENT_OPTED_OUT;
    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 queued@10 failed@15");
    assert_int_equal(entries[3].failure, FAILURE_RECIPIENT_OPTED_OUT);
    assert_true(str_is(entries[3].description, "The recipient has opted out."));
    assert_int_equal(entries[2].failure, FAILURE_NONE);
}

static void a_scheduled_message_waits_for_its_time(void **state)
{
    struct message m = outbound(STATUS_SCHEDULED);

    m.scheduled_us = 1763168523004005;
    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 scheduled@10");
    assert_true(
        str_is(entries[2].description, "The message waits until 2025-11-15T01:02:03.004Z."));
    m.scheduled_us = 50;
    m.status = STATUS_QUEUED;
    m.updated_us = 52; /* a stop made it late */
    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 scheduled@10 queued@52");
    m.status = STATUS_SENT;
    m.sent_us = m.updated_us = 60;
    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 scheduled@10 queued@50 sent@60");
}

static void a_message_is_called_back_before_its_time_or_after(void **state)
{
    struct message m = outbound(STATUS_CANCELLED);

    m.scheduled_us = 50;
    m.cancelled_us = m.updated_us = 40;
    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 scheduled@10 cancelled@40");
    m.cancelled_us = m.updated_us = 51;
    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 scheduled@10 queued@50 cancelled@51");
    m.scheduled_us = 0;
    make(&m, NULL, 0);
    assert_story("accepted@10 routed@10 queued@10 cancelled@51");
}

static void events_stand_where_they_belong(void **state)
{
    struct event_record events[] = {
        {.at_us = 40, .kind = EVENT_LATE_RECEIPT, .detail = STR("It was delivered after all.")},
        {.at_us = 25, .kind = EVENT_LATE_RECEIPT, .detail = STR("An early one.")},
    };
    struct message m = outbound(STATUS_FAILED);

    m.sent_us = 20;
    m.failed_us = m.updated_us = 30;
    m.failure = FAILURE_UNREACHABLE;
    make(&m, events, 2);
    assert_story("accepted@10 routed@10 queued@10 sent@20 late_receipt@25 failed@30 "
                 "late_receipt@40");
    assert_true(str_is(entries[6].description, "It was delivered after all."));
}

static void causes_stand_before_what_they_cause(void **state)
{
    struct event_record events[] = {
        {.at_us = 15, .kind = EVENT_RETRY, .detail = STR("acme is busy.")},
        {.at_us = 17, .kind = EVENT_POSSIBLE_DUPLICATE, .detail = STR("The link broke.")},
        {.at_us = 17, .kind = EVENT_FAILOVER, .detail = STR("It goes to beta now.")},
        {.at_us = 20, .kind = EVENT_CARRIER_ANSWER, .detail = STR("beta took it as A1.")},
        {.at_us = 25, .kind = EVENT_RECEIPT, .detail = STR("Part 1 was delivered.")},
        {.at_us = 30, .kind = EVENT_RECEIPT, .detail = STR("Part 2 was delivered.")},
        {.at_us = 30, .kind = EVENT_LATE_RECEIPT, .detail = STR("Part 2 again.")},
    };
    struct message m = outbound(STATUS_DELIVERED);

    m.sent_us = 20;
    m.delivered_us = m.updated_us = 30;
    make(&m, events, sizeof events / sizeof *events);
    assert_story("accepted@10 routed@10 queued@10 retry@15 possible_duplicate@17 failover@17 "
                 "carrier_answer@20 sent@20 receipt@25 receipt@30 delivered@30 late_receipt@30");
}

static void an_inbound_message_is_received(void **state)
{
    struct event_record events[] = {
        {.at_us = 10, .kind = EVENT_OPTED_OUT, .detail = STR("It opted out.")},
        {.at_us = 10, .kind = EVENT_OPTED_IN, .detail = STR("It opted in.")},
    };
    struct message m = {
        .direction = DIRECTION_INBOUND, .status = STATUS_RECEIVED, .created_us = 10};

    make(&m, events, 2);
    assert_story("received@10 opted_out@10 opted_in@10");
}

static void short_memory_is_said(void **state)
{
    struct message m = outbound(STATUS_QUEUED);
    struct timeline_sources from = {.message = &m};
    struct arena none;

    arena_init(&none, 0);
    assert_int_equal(timeline_make(&from, &none, &entries, &count), -ENOMEM);
    arena_done(&none);
}

#define TIMELINE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static void tries_to_tell_clients(void **state)
{
    struct message m = outbound(STATUS_SENT);
    const struct timeline_try tries[] = {
        {.endpoint = 7,
         .delivery = 71,
         .kind = NOTICE_SENT,
         .attempt = {.at_us = 20, .status = 500}},
        {.endpoint = 7,
         .delivery = 71,
         .kind = NOTICE_SENT,
         .attempt = {.at_us = 40, .error = STR("Nobody is there.")}},
        {.endpoint = 8,
         .delivery = 81,
         .kind = NOTICE_SENT,
         .attempt = {.at_us = 15, .status = 204}},
        {.endpoint = 7,
         .delivery = 71,
         .kind = NOTICE_SENT,
         .attempt = {.at_us = 50, .status = 301}},
    };
    struct timeline_sources from = {.message = &m, .tries = tries, .try_count = 4};

    m.sent_us = 15;
    assert_int_equal(timeline_make(&from, &arena, &entries, &count), 0);
    assert_story("accepted@10 routed@10 queued@10 sent@15 webhook_delivered@15 webhook_failed@20 "
                 "webhook_failed@40 webhook_failed@50");
    assert_ptr_equal(entries[4].tried, &tries[2]);
    assert_null(entries[3].tried);
    assert_true(str_is(entries[4].description,
                       "message.sent was delivered to the webhook, which answered 204."));
    assert_true(str_is(entries[5].description,
                       "message.sent was not delivered: the webhook answered 500."));
    assert_true(str_is(entries[6].description, "message.sent was not delivered. Nobody is there."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE_TEST(from_accepted_to_delivered),
        TIMELINE_TEST(a_failure_has_its_reason),
        TIMELINE_TEST(a_scheduled_message_waits_for_its_time),
        TIMELINE_TEST(a_message_is_called_back_before_its_time_or_after),
        TIMELINE_TEST(events_stand_where_they_belong),
        TIMELINE_TEST(causes_stand_before_what_they_cause),
        TIMELINE_TEST(tries_to_tell_clients),
        TIMELINE_TEST(an_inbound_message_is_received),
        TIMELINE_TEST(short_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
