/* The order of a message's events, through failures and crashes; and that nobody waits for others.
 */
#include "hooks/test_hooks.h"

#include <stdio.h>
#include <stdlib.h>

#define URL "https://one.example/hook"

static unsigned sequence_of(const struct test_flight *f)
{
    return (unsigned)strtoul(strstr(f->body, "\"sequence\":") + 11, NULL, 10);
}

static void test_next_waits_for_the_disk(void **state)
{
    test_endpoint(URL);
    int64_t message = test_message_add("", "");
    test_message_move(message, STATUS_SENT);
    test_settle();
    assert_int_equal(sequence_of(test_only()), 1);
    test_close_gate();
    struct test_flight *first = test_only();
    struct loop_http_reply well = {.outcome = LOOP_HTTP_ANSWERED, .status = 200};
    first->answered = true;
    first->done(first->context, &well);
    hook_set_run(test_set);
    assert_int_equal(test_under_way(), 0);
    test_open_gate();
    test_settle();
    assert_int_equal(sequence_of(test_only()), 2);
}

static void test_failure_holds_back_its_message(void **state)
{
    int64_t endpoint = test_endpoint(URL), message = test_message_add("", "");

    test_message_move(message, STATUS_SENT);
    test_settle();
    test_answer(test_only(), 500);
    test_message_move(message, STATUS_DELIVERED);
    int64_t other = test_message_add("", "");
    test_settle();
    assert_int_equal(sequence_of(test_only()), 1); /* the other's first */
    test_answer(test_only(), 200);
    test_message_move(other, STATUS_SENT);
    test_settle();
    assert_int_equal(sequence_of(test_only()), 2);
    test_answer(test_only(), 200);
    assert_int_equal(test_under_way(), 0);
    test_pass(2 * TEST_MINUTE);
    for (unsigned i = 1; i <= 3; i++) {
        assert_int_equal(sequence_of(test_only()), i);
        test_answer(test_only(), 200);
    }
    struct delivery_page page = test_deliveries(endpoint);
    for (size_t i = 0; i < page.count; i++)
        assert_int_equal(page.records[i].state, DELIVERY_DONE);
}

/* When the first has failed for good, those behind it go. */
static void test_the_rest_goes_on(void **state)
{
    static const int minutes[] = {2, 6, 40, 150, 1600, 0};

    test_endpoint(URL);
    int64_t message = test_message_add("", "");
    test_message_move(message, STATUS_SENT);
    test_settle();
    for (int i = 0; i < 6; i++) {
        assert_int_equal(sequence_of(test_only()), 1);
        test_answer(test_only(), 500);
        test_pass(minutes[i] * TEST_MINUTE);
    }
    assert_int_equal(sequence_of(test_only()), 2);
}

/* ---- many messages, failures now and then, and crashes ---- */

enum { MESSAGES = 60, EVENTS = 3 };

struct seen {
    char id[16];
    unsigned last;    /* the last sequence that was answered well */
    unsigned highest; /* that was ever sent */
};

static struct seen *seen_of(struct seen *all, const struct test_flight *f)
{
    const char *id = strstr(f->body, "\"messageId\":\"") + 13;

    for (size_t i = 0; i < MESSAGES; i++)
        if (!all[i].id[0] || strncmp(all[i].id, id, 15) == 0) {
            memcpy(all[i].id, id, 15);
            return &all[i];
        }
    fail_msg("more messages than there are");
    return NULL;
}

/* No event is sent before the one before it was taken; after a crash it may be sent again, but not
 * when a later one was sent already. */
static void note_sent(struct seen *all, const struct test_flight *f)
{
    struct seen *s = seen_of(all, f);
    unsigned sequence = sequence_of(f);

    assert_true(sequence <= s->last + 1);
    assert_true(sequence >= s->highest);
    s->highest = sequence;
}

static uint64_t chance(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static bool answer_some(struct seen *all, size_t *noted, uint64_t *seed)
{
    size_t count = test_sent;
    bool any = false;

    for (; *noted < count; ++*noted)
        note_sent(all, &test_flights[*noted]);
    for (size_t i = 0; i < count; i++)
        if (!test_flights[i].answered && chance(seed) % 2) {
            bool well = chance(seed) % 5;
            struct loop_http_reply reply = {.outcome = LOOP_HTTP_ANSWERED,
                                            .status = well ? 200 : 500};
            if (well)
                seen_of(all, &test_flights[i])->last = sequence_of(&test_flights[i]);
            test_flights[i].answered = any = true;
            test_flights[i].done(test_flights[i].context, &reply);
        }
    return any;
}

static bool all_done(int64_t endpoint)
{
    struct delivery_filter waiting = {.endpoint = endpoint, .states = 1u << DELIVERY_WAITING};
    int64_t count;

    assert_int_equal(store_delivery_count(test_reader, &waiting, &count), 0);
    return count == 0;
}

static void test_crashes(void **state)
{
    struct seen all[MESSAGES] = {0};
    int64_t endpoint = test_endpoint(URL), messages[MESSAGES];
    uint64_t seed = 11;
    size_t noted = 0;

    for (int i = 0; i < MESSAGES; i++)
        messages[i] = test_message_add("", "");
    for (int round = 0; round < 2000 && !(round > 40 && all_done(endpoint)); round++) {
        if (round < 2 * MESSAGES)
            test_message_move(messages[round % MESSAGES],
                              round < MESSAGES ? STATUS_SENT : STATUS_DELIVERED);
        test_settle();
        answer_some(all, &noted, &seed);
        if (chance(&seed) % 20 == 0)
            test_crash();
        test_pass((int64_t)(chance(&seed) % 4) * TEST_MINUTE);
    }
    assert_true(all_done(endpoint));
    for (size_t i = 0; i < MESSAGES; i++)
        assert_int_equal(all[i].last, EVENTS);
}

/* ---- one that hangs among many ---- */

enum { ENDPOINTS = 100, PER_ENDPOINT = 20 };

static void test_dead_among_good(void **state)
{
    int64_t endpoints[ENDPOINTS];
    size_t dead = 0, good = 0;
    char url[64];

    for (int i = 0; i < ENDPOINTS; i++) {
        snprintf(url, sizeof url, i ? "https://good%d.example/" : "https://dead.example/", i);
        endpoints[i] = test_endpoint_of(1 + i / 10, url);
    }
    for (int n = 0; n < PER_ENDPOINT; n++)
        for (int i = 0; i < ENDPOINTS; i++)
            test_delivery_add(endpoints[i]);
    /* Everyone answers at once but the one: all others have everything after as many rounds as the
     * connections need, however long it hangs. */
    for (int round = 0; round < 2 * ENDPOINTS * PER_ENDPOINT / TEST_CONNECTIONS; round++) {
        hook_set_run(test_set);
        for (size_t i = 0; i < test_sent; i++)
            if (!test_flights[i].answered && !strstr(test_flights[i].url, "dead")) {
                struct loop_http_reply reply = {.outcome = LOOP_HTTP_ANSWERED, .status = 200};
                test_flights[i].answered = true;
                test_flights[i].done(test_flights[i].context, &reply);
            }
        test_wait_for_writer();
    }
    for (size_t i = 0; i < test_sent; i++)
        *(strstr(test_flights[i].url, "dead") ? &dead : &good) += 1;
    assert_int_equal(good, (ENDPOINTS - 1) * PER_ENDPOINT);
    assert_int_equal(dead, HOOK_ALLOWANCE_FIRST);
}

static int64_t proven_endpoint(int64_t account, const char *url)
{
    int64_t endpoint = test_endpoint_of(account, url);
    struct endpoint_record e = test_endpoint_look(endpoint);

    e.last_success_us = test_now_us;
    test_endpoint_change(&e);
    return endpoint;
}

/* Many that hang take half of the connections at most. */
static void test_many_dead(void **state)
{
    char url[64];
    size_t good = 0;

    for (int i = 0; i < TEST_CONNECTIONS; i++) {
        snprintf(url, sizeof url, "https://dead%d.example/", i);
        int64_t endpoint = test_endpoint_of(1 + i / 10, url);
        for (int n = 0; n < 4; n++)
            test_delivery_add(endpoint);
    }
    int64_t proven = proven_endpoint(1000, "https://good.example/");
    test_settle();
    assert_int_equal(test_under_way(), TEST_CONNECTIONS / 2);
    for (int n = 0; n < 4; n++)
        test_delivery_add(proven);
    test_settle();
    for (size_t i = 0; i < test_sent; i++)
        good += strstr(test_flights[i].url, "good") != NULL;
    assert_int_equal(good, 4);
}

/* Neither do those that answer well, but take their time, take more. */
static void test_many_slow(void **state)
{
    enum { SLOW = 2 * TEST_CONNECTIONS / TEST_PER_ENDPOINT };
    struct loop_http_reply slow = {
        .outcome = LOOP_HTTP_ANSWERED, .status = 200, .duration_us = 20000000};
    char url[64];

    for (int i = 0; i < SLOW; i++) {
        snprintf(url, sizeof url, "https://slow%d.example/", i);
        int64_t endpoint = proven_endpoint(1 + i / 10, url);
        for (int n = 0; n < 5 * TEST_PER_ENDPOINT; n++)
            test_delivery_add(endpoint);
    }
    test_settle();
    for (size_t i = 0; i < 2 * TEST_CONNECTIONS; i++)
        test_answer_reply(&test_flights[i], &slow);
    assert_int_equal(test_under_way(), TEST_CONNECTIONS / 2);
    test_delivery_add(proven_endpoint(1000, "https://quick.example/"));
    test_settle();
    assert_int_equal(test_under_way(), TEST_CONNECTIONS / 2 + 1);
}

/* Thousands that wait or are parked cost no memory to speak of. */
static void test_memory(void **state)
{
    enum { MANY = 600 };
    int64_t off = test_endpoint("https://off.example/");
    char url[64];

    for (int i = 0; i < MANY; i++)
        test_delivery_add(off);
    struct endpoint_record e = test_endpoint_look(off);
    e.off = ENDPOINT_OFF_ASKED;
    test_endpoint_change(&e);
    test_crash();
    test_settle();
    assert_int_equal(test_sent, 0);
    assert_int_equal(hook_set_count(test_set).lanes, 0);
    assert_int_equal(hook_set_count(test_set).held, 0);

    for (int i = 0; i < MANY; i++) { /* more than a page of endpoints */
        snprintf(url, sizeof url, "https://n%d.example/", i);
        test_delivery_add(test_endpoint_of(2 + i / 10, url));
    }
    test_crash();
    test_auto_status = 200;
    test_settle();
    assert_int_equal(test_sent, MANY);
    test_pass(2 * HOOK_LINGER_US);
    assert_int_equal(hook_set_count(test_set).lanes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOOKS_TEST(test_next_waits_for_the_disk),
        HOOKS_TEST(test_failure_holds_back_its_message),
        HOOKS_TEST(test_the_rest_goes_on),
        HOOKS_TEST(test_crashes),
        HOOKS_TEST(test_dead_among_good),
        HOOKS_TEST(test_many_dead),
        HOOKS_TEST(test_many_slow),
        HOOKS_TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
