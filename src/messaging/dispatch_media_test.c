/* Media are fetched before a message is marked and handed over, and nobody else waits for that. */
#include "messaging/test_cancel.h"
#include "messaging/test_live.h"

#include <errno.h>

enum { WINDOW = 384, ASKED_MAX = 256, VALIDITY_S = 60 };

/* ---- a port that does what the test tells it ---- */

static int64_t asked[ASKED_MAX], forgotten[ASKED_MAX];
static int64_t size_asked; /* size_max of the profile that was asked for last */
static size_t asked_count, forgotten_count, port_room;
static const char hanging[] = "https://hangs.example/cat.jpg";
static size_t hung; /* how often it was asked for that; two are taken */

static int port_fetch(void *context, const struct message *m, const struct media_profile *profile)
{
    if (port_room == 0 || (str_is(m->media, hanging) && hung++ >= 2))
        return -EAGAIN;
    port_room--;
    assert_true(str_is(m->media, "https://cdn.example/cat.jpg") || str_is(m->media, hanging));
    size_asked = profile->size_max;
    asked[asked_count++] = m->id;
    return 0;
}

static void port_forget(void *context, int64_t message)
{
    forgotten[forgotten_count++] = message;
}

static const struct media_port port = {.fetch = port_fetch, .forget = port_forget};

static int set_up(void **state)
{
    test_set_up_live(state);
    asked_count = forgotten_count = hung = 0;
    port_room = ASKED_MAX;
    test_acme.carrier.media = (struct media_profile){.need = MEDIA_FIRST, .size_max = 1000};
    test_beta.carrier.media = (struct media_profile){.need = MEDIA_FIRST, .size_max = 2000};
    return 0;
}

#define MEDIA_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, test_tear_down)

static void start(void)
{
    test_start_live(WINDOW);
    dispatch_set_media(test_dispatch, &port);
}

static struct message mms(struct message m)
{
    m.kind = KIND_MMS;
    m.media = STR("https://cdn.example/cat.jpg");
    return m;
}

static int64_t send(struct message m)
{
    int64_t id = test_send_message(m);

    test_settle_live();
    return id;
}

static int64_t send_mms(const struct test_carrier *t)
{
    return send(mms(test_live(t)));
}

static void done(int64_t id, enum failure failure, const char *detail)
{
    struct media_answer answer = {.failure = failure, .detail = str_of(detail)};

    dispatch_media_done(test_dispatch, id, &answer);
    test_settle_live();
}

static void check_asked(const int64_t *ids, size_t count)
{
    assert_int_equal(asked_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(asked[i], ids[i]);
}

/* ---- first ---- */

static void media_come_before_the_mark(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    check_asked(&id, 1);
    assert_int_equal(size_asked, 1000);
    assert_false(test_is_marked(id));
    assert_int_equal(test_acme.submitted_count, 0);
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).waiting, 1);
    done(id, FAILURE_NONE, "");
    test_assert_sent_to(&test_acme, &id, 1); /* which looks for the mark */
    assert_int_equal(asked_count, 1);
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(test_status_live(id), STATUS_SENT);
    test_stop_live();
}

static void others_do_not_wait(void **state)
{
    start();
    int64_t slow = send_mms(&test_acme), sms = test_send_live(&test_acme);
    test_settle_live();
    test_assert_sent_to(&test_acme, &sms, 1);
    int64_t quick = send_mms(&test_acme);
    done(quick, FAILURE_NONE, "");
    test_assert_sent_to(&test_acme, (int64_t[]){sms, quick}, 2);
    done(slow, FAILURE_NONE, "");
    test_assert_sent_to(&test_acme, (int64_t[]){sms, quick, slow}, 3);
    test_stop_live();
}

static void a_failure_ends_it(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    done(id, FAILURE_MEDIA_UNREACHABLE, "Media 1 of 1: the server answered 404.");
    assert_int_equal(test_status_live(id), STATUS_FAILED);
    assert_int_equal(test_look_live(id).failure, FAILURE_MEDIA_UNREACHABLE);
    assert_string_equal(test_events(id), "media");
    assert_string_equal(test_last_event(id), "Media 1 of 1: the server answered 404.");
    assert_int_equal(test_acme.submitted_count + test_beta.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* What one carrier does not take another may. */
static void too_large_here_fits_elsewhere(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    done(id, FAILURE_MEDIA_TOO_LARGE, "It has 1500 bytes.");
    check_asked((int64_t[]){id, id}, 2);
    assert_int_equal(size_asked, 2000);
    assert_string_equal(test_events(id), "media,failover");
    done(id, FAILURE_NONE, "");
    test_assert_sent_to(&test_beta, &id, 1);
    test_stop_live();
}

static void too_large_everywhere_fails(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    done(id, FAILURE_MEDIA_TOO_LARGE, "It has 2500 bytes.");
    done(id, FAILURE_MEDIA_TOO_LARGE, "It has 2500 bytes.");
    assert_int_equal(test_look_live(id).failure, FAILURE_MEDIA_TOO_LARGE);
    assert_string_equal(test_events(id), "media,failover,media");
    test_stop_live();
}

/* A test message has no other carrier than the simulator. */
static void too_large_for_the_simulator(void **state)
{
    test_carrier.carrier.media.need = MEDIA_FIRST;
    start();
    int64_t id = send(mms(test_message(MODE_TEST, STATUS_QUEUED)));
    done(id, FAILURE_MEDIA_TOO_LARGE, "It has 2500 bytes.");
    assert_int_equal(test_look(id).failure, FAILURE_MEDIA_TOO_LARGE);
    assert_string_equal(test_events(id), "media");
    test_stop_live();
}

/* And the others when there is room again. */
static void as_many_as_are_taken(void **state)
{
    int64_t ids[70];

    port_room = 64;
    start();
    for (size_t i = 0; i < 70; i++)
        ids[i] = test_send_message(mms(test_live(&test_acme)));
    test_settle_live();
    check_asked(ids, 64);
    port_room = 1;
    dispatch_ready(test_dispatch);
    test_settle_live();
    check_asked(ids, 65);
    test_stop_live();
}

/* A host that cannot be fetched from now keeps nobody waiting but those who want it. */
static void others_pass_what_is_not_taken(void **state)
{
    struct message m = mms(test_live(&test_acme));
    int64_t ids[100];

    m.media = STR(hanging);
    start();
    for (size_t i = 0; i < 100; i++)
        ids[i] = test_send_message(m);
    test_settle_live();
    check_asked(ids, 2);
    int64_t good = send_mms(&test_acme);
    check_asked((int64_t[]){ids[0], ids[1], good}, 3);
    done(good, FAILURE_NONE, "");
    test_assert_sent_to(&test_acme, &good, 1);
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).waiting, 100);
    hung = 0;
    done(ids[0], FAILURE_MEDIA_UNREACHABLE, "It hangs.");
    check_asked((int64_t[]){ids[0], ids[1], good, ids[2], ids[3]}, 5);
    test_stop_live();
}

/* A carrier that is full or down does not keep media from being fetched. */
static void fetching_does_not_wait_for_the_carrier(void **state)
{
    test_acme.room = 0;
    start();
    int64_t id = send_mms(&test_acme);
    check_asked(&id, 1);
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).coming, 1);
    assert_int_equal(dispatch_waiting(test_dispatch, &test_acme.carrier), 0);
    done(id, FAILURE_NONE, "");
    assert_int_equal(test_acme.submitted_count, 0);
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).coming, 1);
    test_acme.room = 1;
    dispatch_ready(test_dispatch);
    test_settle_live();
    test_assert_sent_to(&test_acme, &id, 1);
    assert_int_equal(asked_count, 1);
    test_stop_live();
}

static void what_comes_back_is_not_fetched_again(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    done(id, FAILURE_NONE, "");
    TEST_SAY(&test_acme, .outcome = CARRIER_LATER);
    test_settle_live();
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).waiting, 1);
    assert_int_equal(dispatch_counts(test_dispatch, &test_acme.carrier).coming, 0); /* it rests */
    test_pass(31);
    test_assert_sent_to(&test_acme, (int64_t[]){id, id}, 2);
    TEST_SAY(&test_acme, .outcome = CARRIER_UNTRIED);
    test_settle_live();
    assert_int_equal(test_acme.submitted_count, 3);
    assert_int_equal(asked_count, 1);
    test_stop_live();
}

static void another_carrier_asks_anew(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    done(id, FAILURE_NONE, "");
    TEST_SAY(&test_acme, .outcome = CARRIER_ELSEWHERE, .failure = FAILURE_UPSTREAM_ERROR);
    test_settle_live();
    assert_int_equal(test_beta.submitted_count, 0);
    check_asked((int64_t[]){id, id}, 2);
    assert_int_equal(size_asked, 2000);
    done(id, FAILURE_NONE, "");
    test_assert_sent_to(&test_beta, &id, 1);
    test_stop_live();
}

/* ---- whoever stops waiting ---- */

static void it_can_be_cancelled(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    struct test_asking a;
    test_ask_for(&a, (struct cancel){.message = id, .account = TEST_ACCOUNT, .mode = MODE_LIVE});
    test_settle_live();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    assert_int_equal(forgotten_count, 1);
    assert_int_equal(forgotten[0], id);
    assert_int_equal(test_status_live(id), STATUS_CANCELLED);
    done(id, FAILURE_NONE, ""); /* which was on its way already */
    assert_int_equal(test_acme.submitted_count, 0);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

static void it_expires(void **state)
{
    struct message m = mms(test_live(&test_acme));

    m.validity_s = VALIDITY_S;
    start();
    int64_t id = send(m);
    test_pass(VALIDITY_S - 1);
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    test_pass(1);
    assert_int_equal(test_look_live(id).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(forgotten_count, 1);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* Also when it is not its turn yet. */
static void it_expires_unasked(void **state)
{
    struct message m = mms(test_live(&test_acme));

    m.validity_s = VALIDITY_S;
    port_room = 0;
    start();
    int64_t id = send(m);
    test_pass(VALIDITY_S);
    assert_int_equal(test_look_live(id).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(forgotten_count, 0);
    test_stop_live();
}

static void the_carrier_may_go(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    dispatch_drop_carrier(test_dispatch, &test_acme.carrier);
    assert_int_equal(forgotten_count, 1);
    done(id, FAILURE_NONE, "");
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    test_pass(4);
    check_asked((int64_t[]){id, id}, 2);
    done(id, FAILURE_NONE, "");
    test_assert_sent_to(&test_beta, &id, 1);
    test_stop_live();
}

/* Settings that were changed hold for what was fetched before. */
static void the_carrier_may_change(void **state)
{
    struct test_carrier other = test_acme;

    test_acme.room = 0;
    start();
    int64_t id = send_mms(&test_acme);
    done(id, FAILURE_NONE, "");
    other.carrier.media.size_max = 500;
    dispatch_drop_carrier(test_dispatch, &test_acme.carrier);
    dispatch_add_carrier(test_dispatch, &other.carrier);
    test_settle_live();
    check_asked((int64_t[]){id, id}, 2);
    assert_int_equal(size_asked, 500);
    assert_int_equal(other.submitted_count, 0);
    done(id, FAILURE_NONE, "");
    test_assert_sent_to(&other, &id, 1);
    test_stop_live();
}

static void set_size_max(int64_t size_max)
{
    struct media_profile profile = {.need = MEDIA_FIRST, .size_max = size_max};

    dispatch_set_profile(test_dispatch, &test_acme.carrier, &profile);
}

/* The same when it stays and takes less, or more. */
static void its_profile_may_change(void **state)
{
    test_acme.room = 0;
    start();
    int64_t id = send_mms(&test_acme), other = send_mms(&test_acme);
    done(id, FAILURE_NONE, "");
    set_size_max(1000);
    test_settle_live();
    check_asked((int64_t[]){id, other}, 2); /* which is no change */
    set_size_max(500);
    test_acme.room = 2;
    test_settle_live();
    assert_int_equal(size_asked, 500);
    assert_int_equal(asked_count, 4);
    assert_int_equal(forgotten_count, 1);
    assert_int_equal(forgotten[0], other);
    assert_int_equal(test_acme.submitted_count, 0);
    done(id, FAILURE_NONE, "");
    test_assert_sent_to(&test_acme, &id, 1);
    test_stop_live();
}

/* Also for those that are just being marked. */
static void its_profile_may_change_late(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    test_close_gate();
    dispatch_media_done(test_dispatch, id, &(struct media_answer){.failure = FAILURE_NONE});
    dispatch_run(test_dispatch);
    set_size_max(500);
    test_open_gate();
    test_settle_live();
    assert_int_equal(test_acme.submitted_count, 0);
    assert_false(test_is_marked(id));
    check_asked((int64_t[]){id, id}, 2);
    test_stop_live();
}

/* Nobody is fetched for who must not be written to. */
static void what_cannot_go_is_not_fetched(void **state)
{
    struct message m = mms(test_live(&test_acme));

    m.to = STR("+1555123");
    start();
    int64_t id = send(m);
    assert_int_equal(test_look_live(id).failure, FAILURE_INVALID_DESTINATION);
    assert_int_equal(asked_count, 0);
    test_stop_live();
}

static void after_a_restart(void **state)
{
    start();
    int64_t id = send_mms(&test_acme);
    test_stop_live();
    test_acme.room = 0; /* until there is somebody who fetches */
    start();
    test_acme.room = 1;
    test_settle_live();
    check_asked((int64_t[]){id, id}, 2);
    done(id, FAILURE_NONE, "");
    test_assert_sent_to(&test_acme, &id, 1);
    test_stop_live();
}

/* ---- beside ---- */

static void beside_nothing_waits(void **state)
{
    test_carrier.carrier.media.need = MEDIA_BESIDE;
    start();
    int64_t id = send(mms(test_message(MODE_TEST, STATUS_QUEUED)));
    check_asked(&id, 1);
    test_assert_submitted(&id, 1);
    test_answer_first(FAILURE_NONE);
    test_settle_live();
    assert_int_equal(test_status(id), STATUS_SENT);
    done(id, FAILURE_MEDIA_UNREACHABLE, "Media 1 of 1: the server answered 404.");
    assert_int_equal(test_status(id), STATUS_SENT);
    assert_string_equal(test_events(id), "media");
    assert_string_equal(test_last_event(id), "Media 1 of 1: the server answered 404.");
    port_room = 0;
    int64_t without = send(mms(test_message(MODE_TEST, STATUS_QUEUED)));
    test_assert_submitted((int64_t[]){id, without}, 2);
    done(without, FAILURE_NONE, "");
    assert_string_equal(test_events(without), "");
    test_stop_live();
}

static void a_carrier_that_looks_at_none(void **state)
{
    test_acme.carrier.media.need = MEDIA_NEVER;
    start();
    int64_t id = send_mms(&test_acme);
    test_assert_sent_to(&test_acme, &id, 1);
    assert_int_equal(asked_count, 0);
    test_stop_live();
}

/* A message that goes as an SMS with links has media, and none are fetched. */
static void links_are_not_fetched(void **state)
{
    struct message m = mms(test_live(&test_acme));

    m.kind = KIND_SMS;
    start();
    int64_t id = send(m);
    test_assert_sent_to(&test_acme, &id, 1);
    assert_int_equal(asked_count, 0);
    test_stop_live();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEDIA_TEST(media_come_before_the_mark),
        MEDIA_TEST(others_do_not_wait),
        MEDIA_TEST(a_failure_ends_it),
        MEDIA_TEST(too_large_here_fits_elsewhere),
        MEDIA_TEST(too_large_everywhere_fails),
        MEDIA_TEST(too_large_for_the_simulator),
        MEDIA_TEST(as_many_as_are_taken),
        MEDIA_TEST(others_pass_what_is_not_taken),
        MEDIA_TEST(fetching_does_not_wait_for_the_carrier),
        MEDIA_TEST(what_comes_back_is_not_fetched_again),
        MEDIA_TEST(another_carrier_asks_anew),
        MEDIA_TEST(it_can_be_cancelled),
        MEDIA_TEST(it_expires),
        MEDIA_TEST(it_expires_unasked),
        MEDIA_TEST(the_carrier_may_go),
        MEDIA_TEST(the_carrier_may_change),
        MEDIA_TEST(its_profile_may_change),
        MEDIA_TEST(its_profile_may_change_late),
        MEDIA_TEST(what_cannot_go_is_not_fetched),
        MEDIA_TEST(after_a_restart),
        MEDIA_TEST(beside_nothing_waits),
        MEDIA_TEST(a_carrier_that_looks_at_none),
        MEDIA_TEST(links_are_not_fetched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
