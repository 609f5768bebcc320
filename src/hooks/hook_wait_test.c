/* Nothing waits for ever, and nothing that a client was promised gets lost on the way: what is
 * waiting is found again after each way to stop. */
#include "hooks/test_hooks.h"

#include "store/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define URL   "https://one.example/hook"
#define OTHER "https://two.example/hook"

/* Another one is under way while the endpoint is switched off and on again. */
static void test_off_and_on(void **state)
{
    int64_t endpoint = test_endpoint(URL), late = test_delivery_add(endpoint);

    test_settle();
    test_answer(test_only(), 500);
    test_delivery_add(endpoint);
    test_settle();
    struct test_flight *hangs = test_only();
    struct endpoint_record e = test_endpoint_look(endpoint);
    e.off = ENDPOINT_OFF_ASKED;
    test_endpoint_change(&e);
    test_settle();
    e.off = ENDPOINT_OFF_NONE;
    test_endpoint_change(&e);
    test_settle();
    test_answer(hangs, 200);
    test_pass(2 * TEST_MINUTE);
    test_answer(test_only(), 200);
    assert_int_equal(test_delivery_look(late).state, DELIVERY_DONE);
}

/* The clock is put back between the commit and the look at what is due. */
static void test_clock_put_back(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    test_delivery_add(endpoint);
    test_settle();
    struct test_flight *hangs = test_only();
    test_delivery_add(endpoint);
    test_now_us -= 2000000;
    test_settle();
    test_answer(hangs, 200);
    assert_int_equal(test_under_way(), 0);
    test_pass(2000000);
    assert_int_equal(test_under_way(), 1);
}

/* News that name nobody come again and again, and those whose work cannot go now are many. */
static void test_news_of_everybody(void **state)
{
    enum { MANY = 600 }; /* more than two pages of endpoints */
    char url[64];

    for (int i = 0; i < MANY; i++) {
        snprintf(url, sizeof url, "https://off%d.example/", i);
        int64_t off = test_endpoint_of(2 + i / 10, url);
        struct endpoint_record e = test_endpoint_look(off);
        e.off = ENDPOINT_OFF_ASKED;
        test_endpoint_change(&e);
        test_delivery_add(off);
    }
    test_delivery_add(test_endpoint(URL));
    test_crash();
    for (int i = 0; i < 20; i++) {
        test_store->news.tell(test_store->news.context, NULL, 0);
        hook_set_run(test_set);
    }
    assert_int_equal(test_under_way(), 1);
    test_answer(test_only(), 200);
}

/* Asked for again while the last of its six tries is under way, and fails. */
static void test_asked_for_meanwhile(void **state)
{
    static const int minutes[] = {2, 6, 40, 150, 1600};
    int64_t endpoint = test_endpoint(URL), delivery = test_delivery_add(endpoint);

    test_settle();
    for (int i = 0; i < 5; i++) {
        test_answer(test_only(), 500);
        test_pass(minutes[i] * TEST_MINUTE);
    }
    test_delivery_again(delivery);
    test_answer(test_only(), 500);
    assert_int_equal(test_delivery_look(delivery).state, DELIVERY_WAITING);
    for (int i = 0; i < 6; i++) { /* all of them are before it again */
        assert_int_equal(test_delivery_look(delivery).tries, i);
        test_answer(test_only(), 500);
        test_pass(i < 5 ? minutes[i] * TEST_MINUTE : 0);
    }
    assert_int_equal(test_delivery_look(delivery).state, DELIVERY_FAILED);
    assert_int_equal(test_delivery_look(delivery).attempts, 12);
}

/* The other address says that it is gone; the first one only did not answer. */
static void test_other_address_is_gone(void **state)
{
    struct delivery_record *d;
    int64_t message = test_message_add(URL, OTHER);
    size_t count;

    test_message_move(message, STATUS_SENT);
    test_settle();
    test_answer(test_only(), 500);
    assert_string_equal(test_only()->url, OTHER);
    test_answer(test_only(), 410);
    assert_int_equal(store_delivery_of_message(test_reader, message, &test_arena, &d, &count), 0);
    assert_int_equal(d->state, DELIVERY_WAITING);
    test_pass(2 * TEST_MINUTE);
    assert_string_equal(test_only()->url, URL);
}

/* An event whose row is damaged can never go; those behind it do. */
static void test_damaged_event(void **state)
{
    int64_t endpoint = test_endpoint(URL);

    test_message_add("", "");
    test_lose_notices(-EBADMSG);
    test_settle();
    test_lose_notices(0);
    assert_int_equal(test_deliveries(endpoint).records[0].state, DELIVERY_FAILED);
    test_message_add("", "");
    test_settle();
    test_answer(test_only(), 200);
}

/* Nor can one that is larger than anybody is told; its delivery says why. */
static void check_too_large(size_t size)
{
    int64_t endpoint = test_endpoint(URL);
    char *text = malloc(size);
    size_t count;

    assert_non_null(text);
    memset(text, 'x', size);
    test_message_of((struct str){text, size});
    free(text);
    test_message_add("", "");
    test_settle();
    assert_true(test_tells(test_only(), "\"text\":\"Hello\""));
    test_answer(test_only(), 200);
    struct delivery_page page = test_deliveries(endpoint);
    assert_int_equal(page.records[0].state, DELIVERY_DONE);
    assert_int_equal(page.records[1].state, DELIVERY_FAILED);
    assert_true(str_is(test_attempts(page.records[1].id, &count)->error,
                       "The event is larger than 1 MiB, and no endpoint is told so much."));
    assert_int_equal(test_endpoint_look(endpoint).failures, 0);
}

static void test_event_too_large(void **state)
{
    check_too_large(HOOK_BODY_MAX); /* with all that is around it */
}

/* It does not even fit into the memory of one delivery. */
static void test_message_too_large(void **state)
{
    check_too_large(5 << 20);
}

/* What became of the first event of a message can never be written: it goes again, and what is
 * behind it waits for that. */
static void test_order_without_an_outcome(void **state)
{
    test_endpoint(URL);
    test_message_move(test_message_add("", ""), STATUS_SENT);
    test_settle();
    test_fail_outcomes(1);
    struct loop_http_reply well = {.outcome = LOOP_HTTP_ANSWERED, .status = 200};
    struct test_flight *first = test_only();
    first->answered = true;
    first->done(first->context, &well);
    test_wait_for_faulty();
    assert_int_equal(test_under_way(), 0);
    test_pass(HOOK_FAULTY_US);
    assert_true(test_tells(test_only(), "message.queued"));
    test_answer(test_only(), 200);
    assert_true(test_tells(test_only(), "message.sent"));
    test_answer(test_only(), 200);
}

/* While the first address rests, what has another one is found behind any number that has none. */
static void test_far_behind(void **state)
{
    for (int i = 0; i < 10; i++)
        test_message_move(test_message_add(URL, ""), STATUS_SENT);
    test_settle();
    while (test_under_way())
        test_answer_all(500);
    size_t sent = test_sent;
    for (int i = 0; i < 2 * HOOK_WINDOW_MAX; i++)
        test_message_move(test_message_add(URL, ""), STATUS_SENT);
    test_message_move(test_message_add(URL, OTHER), STATUS_SENT);
    test_settle();
    assert_int_equal(test_sent, sent + 1);
    assert_string_equal(test_only()->url, OTHER);
    test_answer(test_only(), 200);

    /* A probe later it is not different. */
    test_pass(5 * TEST_MINUTE);
    assert_string_equal(test_only()->url, URL);
    test_answer(test_only(), 500);
    test_message_move(test_message_add(URL, OTHER), STATUS_SENT);
    test_settle();
    assert_string_equal(test_only()->url, OTHER);
    test_answer(test_only(), 200);
    assert_true(hook_set_count(test_set).held <= HOOK_WINDOW_MAX);

    /* It answers again: all go. */
    test_auto_status = 200;
    test_pass(5 * TEST_MINUTE);
    assert_int_equal(hook_set_count(test_set).held, 0);
    assert_true(test_sent >= sent + 2 * HOOK_WINDOW_MAX + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOOKS_TEST(test_off_and_on),
        HOOKS_TEST(test_clock_put_back),
        HOOKS_TEST(test_news_of_everybody),
        HOOKS_TEST(test_asked_for_meanwhile),
        HOOKS_TEST(test_other_address_is_gone),
        HOOKS_TEST(test_far_behind),
        HOOKS_TEST(test_damaged_event),
        HOOKS_TEST(test_event_too_large),
        HOOKS_TEST(test_message_too_large),
        HOOKS_TEST(test_order_without_an_outcome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
