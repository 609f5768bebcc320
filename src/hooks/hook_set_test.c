/* What becomes of deliveries and endpoints, for each way in which an endpoint may answer. */
#include "hooks/test_hooks.h"

#include <errno.h>
#include <stdio.h>

#define URL "https://one.example/hook"

static void check(int64_t delivery, enum delivery_state state, unsigned tries, int64_t in_us)
{
    struct delivery_record d = test_delivery_look(delivery);

    assert_int_equal(d.state, state);
    assert_int_equal(d.tries, tries);
    if (state == DELIVERY_WAITING)
        assert_int_equal(d.due_us - test_now_us, in_us);
}

static void test_delivered(void **state)
{
    int64_t endpoint = test_endpoint(URL), delivery = test_delivery_add(endpoint);
    size_t count;

    test_settle();
    assert_string_equal(test_only()->url, URL);
    test_answer(test_only(), 204);
    check(delivery, DELIVERY_DONE, 1, 0);
    struct attempt_record *a = test_attempts(delivery, &count);
    assert_int_equal(count, 1);
    assert_int_equal(a->number, 1);
    assert_int_equal(a->status, 204);
    assert_int_equal(a->at_us, test_now_us);
    assert_int_equal(a->duration_us, 2500);
    assert_int_equal(a->connect_us, 1500);
    assert_true(str_is(a->answer, "thanks"));
    assert_int_equal(a->error.n, 0);
    assert_int_equal(test_endpoint_look(endpoint).last_success_us, test_now_us);
    test_pass(TEST_DAY);
    assert_int_equal(test_sent, 1);
    assert_int_equal(hook_set_count(test_set).lanes, 0);
}

/* The whole table of tries, and the end of it. */
static void test_failed(void **state)
{
    static const int64_t minutes[] = {1, 5, 30, 120, 1440};
    int64_t delivery = test_delivery_add(test_endpoint(URL));

    test_settle();
    for (unsigned i = 0; i < 5; i++) {
        test_answer(test_only(), 500);
        int64_t wait = test_delivery_look(delivery).due_us - test_now_us;
        assert_in_range(wait, minutes[i] * TEST_MINUTE * 9 / 10,
                        minutes[i] * TEST_MINUTE * 11 / 10);
        check(delivery, DELIVERY_WAITING, i + 1, wait);
        test_pass(wait - 1);
        assert_int_equal(test_under_way(), 0);
        test_pass(1);
    }
    test_answer(test_only(), 500);
    check(delivery, DELIVERY_FAILED, 6, 0);
    assert_int_equal(test_sent, 6);
    assert_string_equal(test_header(&test_flights[5], "X-Service-Attempt"), "6");
    test_pass(TEST_DAY);
    assert_int_equal(test_sent, 6);
    /* Asked for again it has all its tries, and goes on counting attempts. */
    test_delivery_again(delivery);
    test_settle();
    assert_string_equal(test_header(test_only(), "X-Service-Attempt"), "7");
    test_answer(test_only(), 200);
    check(delivery, DELIVERY_DONE, 1, 0);
}

static void test_retry_after(void **state)
{
    struct loop_http_reply reply = {
        .outcome = LOOP_HTTP_ANSWERED, .status = 429, .retry_after = STR("3600")};
    int64_t delivery = test_delivery_add(test_endpoint(URL));

    test_settle();
    test_answer_reply(test_only(), &reply);
    check(delivery, DELIVERY_WAITING, 1, TEST_HOUR);
    test_pass(TEST_HOUR - 1);
    assert_int_equal(test_under_way(), 0);
    test_pass(1);
    assert_int_equal(test_under_way(), 1);
}

/* No answer: the sentence is kept. */
static void test_no_answer(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    for (int outcome = LOOP_HTTP_REFUSED; outcome <= LOOP_HTTP_BROKEN; outcome++) {
        struct loop_http_reply reply = {.outcome = (enum loop_http_outcome)outcome,
                                        .why = "It did not work."};
        int64_t delivery = test_delivery_add(endpoint);
        size_t count;

        test_settle();
        test_answer_reply(test_only(), &reply);
        assert_int_equal(test_delivery_look(delivery).state, DELIVERY_WAITING);
        struct attempt_record *a = test_attempts(delivery, &count);
        assert_int_equal(a->status, 0);
        assert_true(str_is(a->error, "It did not work."));
    }
    assert_int_equal(test_endpoint_look(endpoint).failures, 5);
}

static void test_long_answer(void **state)
{
    char bytes[3000];
    struct loop_http_reply reply = {
        .outcome = LOOP_HTTP_ANSWERED, .status = 200, .body = {bytes, sizeof bytes}};
    int64_t delivery = test_delivery_add(test_endpoint(URL));
    size_t count;

    memset(bytes, 'x', sizeof bytes);
    test_settle();
    test_answer_reply(test_only(), &reply);
    assert_int_equal(test_attempts(delivery, &count)->answer.n, ATTEMPT_ANSWER_MAX);
}

static void test_gone(void **state)
{
    int64_t endpoint = test_endpoint(URL), delivery = test_delivery_add(endpoint);

    test_settle();
    test_answer(test_only(), 410);
    struct endpoint_record e = test_endpoint_look(endpoint);
    assert_int_equal(e.off, ENDPOINT_OFF_GONE);
    assert_int_equal(e.off_us, test_now_us);
    check(delivery, DELIVERY_WAITING, 0, 0);
    assert_int_equal(hook_set_count(test_set).lanes, 0);
    int64_t second = test_delivery_add(endpoint);
    test_pass(TEST_DAY);
    assert_int_equal(test_under_way(), 0);

    /* The client switches it on: what was parked goes, oldest first. */
    e.off = ENDPOINT_OFF_NONE;
    test_endpoint_change(&e);
    test_settle();
    assert_int_equal(test_under_way(), 2);
    test_answer(&test_flights[1], 200);
    check(delivery, DELIVERY_DONE, 1, 0);
    test_answer(&test_flights[2], 200);
    check(second, DELIVERY_DONE, 1, 0);
}

static void fail_times(int64_t endpoint, int times)
{
    for (int i = 0; i < times; i++)
        test_delivery_add(endpoint);
    test_settle();
    for (int i = 0; i < times; i++) {
        size_t last = test_sent;
        for (size_t f = 0; f < last; f++)
            if (!test_flights[f].answered) {
                test_answer(&test_flights[f], 500);
                break;
            }
    }
}

static void test_pause_and_probe(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    fail_times(endpoint, 10);
    struct endpoint_record e = test_endpoint_look(endpoint);
    assert_int_equal(e.failures, 10);
    assert_int_equal(e.paused_until_us, test_now_us + 5 * TEST_MINUTE);
    test_delivery_add(endpoint);
    test_pass(5 * TEST_MINUTE - 1);
    assert_int_equal(test_under_way(), 0);
    assert_int_equal(hook_set_count(test_set).held, 0);

    /* One goes, though eleven are due; it fails, and all is quiet again. */
    test_pass(1);
    assert_int_equal(test_under_way(), 1);
    test_answer(test_only(), 500);
    assert_int_equal(test_under_way(), 0);
    e = test_endpoint_look(endpoint);
    assert_int_equal(e.paused_until_us, test_now_us + 5 * TEST_MINUTE);

    /* The next probe is answered: all of them go. */
    test_auto_status = 200;
    test_pass(5 * TEST_MINUTE);
    e = test_endpoint_look(endpoint);
    assert_int_equal(e.failures, 0);
    assert_int_equal(e.failing_since_us, 0);
    assert_int_equal(e.paused_until_us, 0);
    assert_int_equal(e.last_success_us, test_now_us);
    assert_true(test_sent >= 10 + 1 + 10);
}

static void test_pause_outlives_a_restart(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    fail_times(endpoint, 10);
    test_delivery_add(endpoint);
    test_crash();
    test_settle();
    test_pass(5 * TEST_MINUTE - 1);
    assert_int_equal(test_under_way(), 0);
    test_pass(1);
    assert_int_equal(test_under_way(), 1);
}

static void test_five_days(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    for (int day = 0; day < 5; day++) {
        test_delivery_add(endpoint);
        test_settle();
        test_answer_all(500);
        assert_int_equal(test_endpoint_look(endpoint).off, ENDPOINT_OFF_NONE);
        test_now_us += TEST_DAY;
    }
    test_delivery_add(endpoint);
    test_settle();
    test_answer_all(500);
    struct endpoint_record e = test_endpoint_look(endpoint);
    assert_int_equal(e.off, ENDPOINT_OFF_FAILING);
    test_pass(TEST_DAY);
    assert_int_equal(test_under_way(), 0);
}

/* A success is noted once a second, not each time. */
static void test_what_is_noted(void **state)
{
    int64_t endpoint = test_endpoint(URL), noted = test_now_us;

    test_auto_status = 200;
    for (int i = 0; i < 9; i++) {
        test_delivery_add(endpoint);
        test_settle();
        test_now_us += 100000;
        assert_int_equal(test_endpoint_look(endpoint).last_success_us, noted);
    }
    test_now_us += 100000;
    test_delivery_add(endpoint);
    test_settle();
    assert_int_equal(test_endpoint_look(endpoint).last_success_us, noted + 1000000);
}

/* The client changes it while one is under way: what was sent counts, what comes is as he wants. */
static void test_changes_meanwhile(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    test_delivery_add(endpoint);
    test_settle();
    struct test_flight *first = test_only();
    struct endpoint_record e = test_endpoint_look(endpoint);
    e.url = STR("https://two.example/");
    e.secret = STR("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD");
    test_endpoint_change(&e);
    test_delivery_add(endpoint);
    test_settle();
    assert_string_equal(test_flights[1].url, "https://two.example/");
    e.off = ENDPOINT_OFF_ASKED;
    test_endpoint_change(&e);
    int64_t third = test_delivery_add(endpoint);
    test_settle();
    assert_int_equal(test_sent, 2);
    test_answer(first, 200);
    e = test_endpoint_look(endpoint);
    assert_int_equal(e.off, ENDPOINT_OFF_ASKED);
    assert_int_equal(e.last_success_us, test_now_us);
    test_answer(&test_flights[1], 500);
    assert_int_equal(test_endpoint_look(endpoint).off, ENDPOINT_OFF_ASKED);
    check(third, DELIVERY_WAITING, 0, 0);
    assert_int_equal(hook_set_count(test_set).lanes, 0);
}

static void test_removed_meanwhile(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    test_delivery_add(endpoint);
    test_delivery_add(endpoint);
    test_settle();
    test_endpoint_remove(endpoint);
    test_settle();
    test_answer(&test_flights[0], 500);
    test_answer(&test_flights[1], 200);
    assert_int_equal(hook_set_count(test_set).lanes, 0);
    test_pass(TEST_DAY);
    assert_int_equal(test_sent, 2);
}

static void test_redelivery(void **state)
{
    int64_t endpoint = test_endpoint(URL);
    enum { COUNT = 700 }; /* more than two pieces */

    test_auto_status = 200;
    for (int i = 0; i < COUNT; i++)
        test_delivery_add(endpoint);
    test_settle();
    assert_int_equal(test_sent, COUNT);
    struct endpoint_record e = test_endpoint_look(endpoint);
    e.replay_from = 1;
    e.replay_to = INT64_MAX;
    e.replay_states = 1u << DELIVERY_DONE;
    /* Each becomes done again while the rest is marked: it is not marked twice. */
    test_endpoint_change(&e);
    test_settle();
    assert_int_equal(test_sent, 2 * COUNT);
    e = test_endpoint_look(endpoint);
    assert_int_equal(e.replay_to, 0);
    assert_int_equal(e.replay_from, 0);
}

static void test_store_that_cannot_be_read(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    test_delivery_add(endpoint);
    for (int failures = 1; failures <= 3; failures++) {
        test_fail_reads(failures);
        test_crash(); /* begins with a look for work */
        for (int i = 0; i < 8 && !test_under_way(); i++)
            test_pass(HOOK_TROUBLE_US);
        assert_int_equal(test_under_way(), 1);
    }
    test_answer(test_only(), 200);
}

static void test_no_way_out(void **state)
{
    int64_t endpoint = test_endpoint(URL), delivery = test_delivery_add(endpoint);

    test_start_error = -ENOMEM;
    test_settle();
    check(delivery, DELIVERY_WAITING, 0, 0);
    assert_int_equal(test_endpoint_look(endpoint).failures, 0);
    test_start_error = 0;
    test_pass(HOOK_TROUBLE_US);
    assert_int_equal(test_under_way(), 1);
    test_answer(test_only(), 200);
    check(delivery, DELIVERY_DONE, 1, 0);
}

/* What the store refuses for ever is not sent again at once, and again. */
static void test_outcome_that_is_faulty(void **state)
{
    int64_t delivery = test_delivery_add(test_endpoint(URL));

    test_fail_outcomes(1);
    test_settle();
    test_answer(test_only(), 200);
    test_wait_for_faulty();
    check(delivery, DELIVERY_WAITING, 0, 0);
    test_pass(HOOK_FAULTY_US - 1);
    assert_int_equal(test_under_way(), 0);
    test_pass(1);
    test_answer(test_only(), 200);
    check(delivery, DELIVERY_DONE, 1, 0);
}

/* What it tells of is past its time. */
static void test_lost_event(void **state)
{
    size_t count;
    int64_t endpoint = test_endpoint(URL);

    test_message_add("", "");
    test_lose_notices(-ENOENT);
    test_settle();
    test_lose_notices(0);
    assert_int_equal(test_sent, 0);
    struct delivery_record d = test_deliveries(endpoint).records[0];
    assert_int_equal(d.state, DELIVERY_FAILED);
    assert_true(str_is(test_attempts(d.id, &count)->error, "The event is not there any more."));
    assert_int_equal(test_endpoint_look(endpoint).failures, 0);
    assert_int_equal(hook_set_count(test_set).lanes, 0);
}

/* Outcomes wait until they can be written; what is in memory has its bounds meanwhile. */
static void test_store_that_cannot_be_written(void **state)
{
    enum { COUNT = 1000 };
    int64_t endpoint = test_endpoint(URL);

    for (int i = 0; i < COUNT; i++)
        test_delivery_add(endpoint);
    test_fail_commits(true);
    test_auto_status = 200;
    test_settle();
    assert_in_range(test_sent, 1, HOOK_WINDOW_MAX);
    assert_int_equal(hook_set_count(test_set).held, test_sent);
    test_fail_commits(false);
    test_settle();
    assert_int_equal(test_sent, COUNT);
    assert_int_equal(hook_set_count(test_set).held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOOKS_TEST(test_delivered),         HOOKS_TEST(test_failed),
        HOOKS_TEST(test_retry_after),       HOOKS_TEST(test_no_answer),
        HOOKS_TEST(test_long_answer),       HOOKS_TEST(test_gone),
        HOOKS_TEST(test_pause_and_probe),   HOOKS_TEST(test_pause_outlives_a_restart),
        HOOKS_TEST(test_five_days),         HOOKS_TEST(test_what_is_noted),
        HOOKS_TEST(test_changes_meanwhile), HOOKS_TEST(test_removed_meanwhile),
        HOOKS_TEST(test_redelivery),        HOOKS_TEST(test_store_that_cannot_be_read),
        HOOKS_TEST(test_no_way_out),        HOOKS_TEST(test_outcome_that_is_faulty),
        HOOKS_TEST(test_lost_event),        HOOKS_TEST(test_store_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
