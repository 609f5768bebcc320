/* An account whose media do not come keeps no other out of the lane of a carrier. */
#include "messaging/test_cancel.h"
#include "messaging/test_live.h"

#include <errno.h>

/* The lane of each of three carriers holds 128; of those 64 wait for media at most, of one account
 * 32. */
enum { WINDOW = 384, CROWD = 200, OTHER_ACCOUNT = 2, VALIDITY_S = 60 };

static int64_t asked[2 * CROWD], crowd[CROWD + 1];
static size_t asked_count, answered_count, room_of_crowd;

static int port_fetch(void *context, const struct message *m, const struct media_profile *profile)
{
    if (m->account == TEST_ACCOUNT && room_of_crowd == 0)
        return -EAGAIN;
    room_of_crowd -= m->account == TEST_ACCOUNT;
    asked[asked_count++] = m->id;
    return 0;
}

static void port_forget(void *context, int64_t message)
{
}

static const struct media_port port = {.fetch = port_fetch, .forget = port_forget};

static int set_up(void **state)
{
    test_set_up_live(state);
    asked_count = answered_count = room_of_crowd = 0;
    test_acme.room = CROWD;
    test_acme.carrier.media = (struct media_profile){.need = MEDIA_FIRST, .size_max = 1000};
    test_beta.carrier.media = (struct media_profile){.need = MEDIA_FIRST, .size_max = 2000};
    return 0;
}

#define CROWD_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, test_tear_down)

static void start(void)
{
    test_start_media(WINDOW, &port);
}

static struct message mms(int64_t account)
{
    struct message m = test_live(&test_acme);

    m.account = account;
    m.kind = KIND_MMS;
    m.validity_s = VALIDITY_S;
    m.media = STR("https://cdn.example/cat.jpg");
    return m;
}

static void send_crowd(void)
{
    for (size_t i = 0; i < CROWD; i++)
        crowd[i] = test_send_message(mms(TEST_ACCOUNT));
    test_settle_live();
}

static int64_t send_other(void)
{
    int64_t id = test_send_message(mms(OTHER_ACCOUNT));

    test_settle_live();
    return id;
}

/* All that was asked for is there. */
static void answer_asked(void)
{
    while (answered_count < asked_count)
        dispatch_media_done(test_dispatch, asked[answered_count++],
                            &(struct media_answer){.failure = FAILURE_NONE});
    test_settle_live();
}

/* So many of the crowd are fetched, and go. */
static void let_through(size_t count)
{
    size_t sent = test_acme.submitted_count + count;

    room_of_crowd = count;
    for (size_t round = 0; round < count && test_acme.submitted_count < sent; round++) {
        dispatch_ready(test_dispatch);
        test_settle_live();
        answer_asked();
        while (test_acme.held)
            TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
        test_settle_live();
    }
}

static void others_find_room(void **state)
{
    start();
    send_crowd();
    assert_true(dispatch_held(test_dispatch) <= WINDOW / 12);
    assert_true(dispatch_counts(test_dispatch, &test_acme.carrier).behind);
    int64_t id = send_other();
    assert_int_equal(asked_count, 1);
    assert_int_equal(asked[0], id);
    answer_asked();
    test_assert_sent_to(&test_acme, &id, 1);
    test_stop_live();
}

/* After a restart, when all of it is read from the store. */
static void others_find_room_behind_it(void **state)
{
    start();
    send_crowd();
    int64_t id = send_other();
    test_stop_live();
    asked_count = 0;
    start();
    assert_int_equal(asked_count, 1);
    assert_int_equal(asked[0], id);
    test_stop_live();
}

static void all_of_it_goes_in_its_order(void **state)
{
    start();
    send_crowd();
    let_through(50);
    crowd[CROWD] = test_send_message(mms(TEST_ACCOUNT)); /* behind those in the store */
    test_settle_live();
    let_through(CROWD + 1 - 50);
    test_assert_sent_to(&test_acme, crowd, CROWD + 1);
    assert_int_equal(asked_count, CROWD + 1);
    assert_false(dispatch_counts(test_dispatch, &test_acme.carrier).behind);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

static void what_lies_in_the_store_can_be_cancelled(void **state)
{
    struct test_asking a;

    start();
    send_crowd();
    test_ask_for(&a, (struct cancel){
                         .message = crowd[CROWD - 1], .account = TEST_ACCOUNT, .mode = MODE_LIVE});
    test_settle_live();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    let_through(CROWD - 1);
    test_assert_sent_to(&test_acme, crowd, CROWD - 1);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

static void what_lies_in_the_store_expires(void **state)
{
    start();
    send_crowd();
    test_pass(VALIDITY_S + 5);
    for (size_t i = 0; i < CROWD; i++)
        assert_int_equal(test_look_live(crowd[i]).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* Its carrier goes: all of it goes another way. */
static void the_carrier_may_go(void **state)
{
    start();
    send_crowd();
    dispatch_drop_carrier(test_dispatch, &test_acme.carrier);
    test_pass(10);
    for (size_t i = 0; i < CROWD; i++)
        assert_int_equal(test_look_live(crowd[i]).carrier, test_beta.carrier.number);
    test_stop_live();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CROWD_TEST(others_find_room),
        CROWD_TEST(others_find_room_behind_it),
        CROWD_TEST(all_of_it_goes_in_its_order),
        CROWD_TEST(what_lies_in_the_store_can_be_cancelled),
        CROWD_TEST(what_lies_in_the_store_expires),
        CROWD_TEST(the_carrier_may_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
