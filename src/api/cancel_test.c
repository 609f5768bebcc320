/* Cancelling over HTTP. A thread of the test's own plays the engine. */
#include "api/test_events.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the engine, and a carrier that is full until it is told otherwise ---- */

static _Atomic bool running, full;
static pthread_t thread;
static struct parcel *taken; /* what the carrier has */
static _Atomic int taken_count;

static int carrier_submit(struct carrier *c, struct parcel *p)
{
    if (atomic_load(&full))
        return -EAGAIN;
    taken = p;
    atomic_fetch_add(&taken_count, 1);
    atomic_store(&full, true);
    return 0;
}

static int carrier_follow(struct carrier *c, const struct message *m)
{
    return 0;
}

static const struct carrier_ops carrier_ops = {.submit = carrier_submit, .follow = carrier_follow};
static struct carrier carrier = {.name = "test", .ops = &carrier_ops};

static void *run_engine(void *dispatch)
{
    while (atomic_load(&running)) {
        dispatch_run(dispatch);
        usleep(500);
    }
    return NULL;
}

static int set_up(void **state)
{
    test_api_set_up(state);
    taken = NULL;
    atomic_store(&taken_count, 0);
    atomic_store(&full, true);
    atomic_store(&running, true);
    dispatch_add_carrier(test_api->options.dispatch, &carrier);
    return pthread_create(&thread, NULL, run_engine, test_api->options.dispatch);
}

static void stop_engine(void)
{
    atomic_store(&running, false);
    pthread_join(thread, NULL);
}

static int tear_down(void **state)
{
    if (atomic_load(&running))
        stop_engine();
    return test_api_tear_down(state);
}

/* ---- messages ---- */

static void path_of(int64_t id, char out[128])
{
    char text[PUBLIC_ID_SIZE];

    public_id_format(api_ids(test_api), MESSAGE_ID_PREFIX, id, text);
    snprintf(out, 128, "POST /v1/messages/%.*s/cancel", (int)sizeof text, text);
}

static int64_t put(enum mode mode, enum message_status status)
{
    struct message m = test_message(FIRST_ACCOUNT, mode, "Hello");

    m.status = status;
    if (status == STATUS_SCHEDULED)
        m.scheduled_us = test_now_us + 3600000000;
    return test_accept_message(&m);
}

/* Sends as a client does; the path that cancels it. */
static void send_one(char path[128])
{
    assert_int_equal(
        test_call(TEST_KEY, "POST /v1/send", "{\"to\":\"+15551234567\",\"text\":\"x\"}")->status,
        201);
    snprintf(path, 128, "POST /v1/messages/%s/cancel", test_member("messageId"));
}

/* ---- tests ---- */

static void a_scheduled_message_is_cancelled_once(void **state)
{
    char path[128];

    path_of(put(MODE_TEST, STATUS_SCHEDULED), path);
    assert_int_equal(test_call(TEST_KEY, path, NULL)->status, 200);
    assert_string_equal(test_member("status"), "cancelled");
    assert_string_equal(test_member("updatedAt"), "2025-11-15T01:02:03.004Z");
    test_call(TEST_KEY, path, NULL);
    test_assert_problem(400, "message_not_cancellable", NULL);
    assert_non_null(strstr(test_member("message"), "is cancelled"));
}

static void a_queued_message_is_cancelled_until_a_carrier_has_it(void **state)
{
    char first[128], second[128];

    send_one(first);
    assert_int_equal(test_call(TEST_KEY, first, NULL)->status, 200);
    assert_string_equal(test_member("status"), "cancelled");
    send_one(second);
    atomic_store(&full, false);
    for (int i = 0; i < 20000 && atomic_load(&taken_count) == 0; i++)
        usleep(500);
    assert_int_equal(atomic_load(&taken_count), 1); /* the first one never came */
    test_call(TEST_KEY, second, NULL);
    test_assert_problem(400, "message_not_cancellable", NULL);
    assert_non_null(strstr(test_member("message"), "handed to a carrier"));
}

static int move_one(struct store *s, void *move)
{
    return store_move(s, move) == 1 ? 0 : -EIO;
}

static void a_message_that_has_ended_is_not(void **state)
{
    stop_engine(); /* no judge is needed, and nobody else may end it */
    int64_t id = put(MODE_LIVE, STATUS_QUEUED);
    struct message_move move = {.id = id,
                                .from = status_bit(STATUS_QUEUED),
                                .to = STATUS_FAILED,
                                .failure = FAILURE_NO_ROUTE,
                                .at_us = test_now_us};
    char path[128];

    path_of(id, path);
    test_write(move_one, &move);
    test_call(LIVE_KEY, path, NULL);
    test_assert_problem(400, "message_not_cancellable", NULL);
    assert_non_null(strstr(test_member("message"), "is failed"));
}

static void nobody_cancels_what_is_not_theirs(void **state)
{
    char path[128];

    path_of(put(MODE_TEST, STATUS_SCHEDULED), path);
    test_call(LIVE_KEY, path, NULL);
    test_assert_problem(404, "message_not_found", NULL);
    test_call(SMALL_KEY, path, NULL);
    test_assert_problem(404, "message_not_found", NULL);
    test_call(READ_KEY, path, NULL);
    test_assert_problem(403, "insufficient_permissions", NULL);
    test_call(TEST_KEY, "POST /v1/messages/msg_/cancel", NULL);
    test_assert_problem(404, "message_not_found", NULL);
    test_call(TEST_KEY, "POST /v1/messages//cancel", NULL);
    test_assert_problem(404, "not_found", NULL);
}

static void a_stop_answers_who_waits(void **state)
{
    char path[128];

    path_of(put(MODE_TEST, STATUS_SCHEDULED), path);
    stop_engine();
    dispatch_close(test_api->options.dispatch);
    test_call(TEST_KEY, path, NULL);
    test_assert_problem(503, "service_unavailable", NULL);
    assert_string_equal(test_header("Retry-After"), "5");
}

#define CANCEL_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CANCEL_TEST(a_scheduled_message_is_cancelled_once),
        CANCEL_TEST(a_queued_message_is_cancelled_until_a_carrier_has_it),
        CANCEL_TEST(a_message_that_has_ended_is_not),
        CANCEL_TEST(nobody_cancels_what_is_not_theirs),
        CANCEL_TEST(a_stop_answers_who_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
