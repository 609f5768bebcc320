/* What carriers say, and what becomes of the message then: on disk, in its history, and in the
 * window. */
#include "messaging/test_cancel.h"
#include "messaging/test_live.h"

enum { MINUTE_S = 60 };

static struct str said(const char *text)
{
    return str_of(text);
}

static int64_t send_and_settle(void)
{
    int64_t id = test_send_live(&test_acme);

    test_settle_live();
    return id;
}

static int64_t say_later(struct test_carrier *t)
{
    int64_t id = TEST_SAY(t, .outcome = CARRIER_LATER, .failure = FAILURE_UPSTREAM_ERROR,
                          .detail = said("acme is busy."));

    test_settle_live();
    return id;
}

static struct dispatch_counts counts(void)
{
    return dispatch_counts(test_dispatch, &test_acme.carrier);
}

/* ---- taken and refused ---- */

static void what_is_taken_is_sent_under_its_ids(void **state)
{
    const struct str one = STR("A001"), three[] = {STR("B1"), STR(""), STR("B3")};

    test_start_live(64);
    int64_t id = send_and_settle(), parts = send_and_settle(), none = send_and_settle();
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK, .ids = &one, .parts = 1);
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK, .ids = three, .parts = 3);
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK, .ids = three + 1, .parts = 1,
             .detail = said("It gave no id."));
    test_settle_live();
    assert_int_equal(test_status_live(id), STATUS_SENT);
    assert_int_equal(test_look_live(id).sent_us, test_now_us);
    assert_string_equal(test_events(id), "carrier_answer");
    assert_string_equal(test_last_event(id), "acme took it as A001.");
    assert_string_equal(test_last_event(parts), "acme took it as B1, B3.");
    assert_string_equal(test_last_event(none), "acme took it. It gave no id.");
    assert_int_equal(test_settled, 3);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* Whatever a carrier says fits, and can be shown. */
static void a_long_answer_is_cut(void **state)
{
    static char text[10000];
    struct str ids[CARRIER_PARTS_MAX];

    memset(text, 'x', sizeof text);
    for (int i = 0; i < CARRIER_PARTS_MAX; i++)
        ids[i] = (struct str){text, REFERENCE_MAX};
    memcpy(text + 498, "\xe2\x82\xac", 3); /* a character in two */
    test_start_live(64);
    int64_t id = send_and_settle(), other = send_and_settle();
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK, .ids = ids, .parts = CARRIER_PARTS_MAX,
             .detail = {text, sizeof text});
    TEST_SAY(&test_acme, .outcome = CARRIER_REFUSED, .failure = FAILURE_UNKNOWN,
             .detail = {text, sizeof text});
    test_settle_live();
    assert_int_equal(test_status_live(id), STATUS_SENT);
    assert_int_equal(strlen(test_last_event(other)), 498);
    test_stop_live();
}

static void note_result(void *results, int result)
{
    ((int *)results)[result < 0]++;
}

static struct carrier_receipt delivery_of(const struct str *id)
{
    return (struct carrier_receipt){.carrier = test_acme.carrier.number,
                                    .ids = id,
                                    .id_count = 1,
                                    .word = RECEIPT_DELIVERED,
                                    .source = STR("15551234567"),
                                    .destination = STR("18005551234"),
                                    .detail = STR("Delivered."),
                                    .raw = STR("id:A001")};
}

/* Also one that comes before the answer, or while that is being written, or after a restart. */
static void receipts_find_their_message(void **state)
{
    const struct str ids[] = {STR("A1"), STR("A2"), STR("A3")};
    struct carrier_receipt receipt[3];
    int64_t messages[3];
    int results[2] = {0};

    test_start_live(64);
    for (int i = 0; i < 3; i++) {
        receipt[i] = delivery_of(&ids[i]);
        messages[i] = send_and_settle();
    }
    receipts_take(test_receipts, &receipt[0], note_result, results);
    test_settle_live();
    test_close_gate();
    for (int i = 0; i < 3; i++)
        TEST_SAY(&test_acme, .outcome = CARRIER_TOOK, .ids = &ids[i], .parts = 1);
    receipts_take(test_receipts, &receipt[1], note_result, results);
    test_open_gate();
    test_settle_live();
    assert_int_equal(test_status_live(messages[0]), STATUS_DELIVERED);
    assert_int_equal(test_status_live(messages[1]), STATUS_DELIVERED);
    test_stop_live();
    test_start_live(64);
    receipts_take(test_receipts, &receipt[2], note_result, results);
    test_settle_live();
    assert_int_equal(test_status_live(messages[2]), STATUS_DELIVERED);
    assert_int_equal(results[0], 3);
    assert_int_equal(results[1], 0);
    test_stop_live();
}

static int64_t balance(void)
{
    struct account_record account;

    assert_int_equal(store_account_get(test_reader, TEST_ACCOUNT, &account), 0);
    return account.balance_micros;
}

/* What the message is said to cost is what was taken for it. */
static void what_is_refused_fails_with_the_carriers_reason(void **state)
{
    struct message m = test_live(&test_acme);

    m.cost_micros = 7500;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_end(test_store, store_account_credit(test_store, TEST_ACCOUNT, 5000)),
                     0);
    test_start_live(64);
    int64_t spam = test_send_message(m), wrong = test_send_message(m);
    test_settle_live();
    TEST_SAY(&test_acme, .outcome = CARRIER_REFUSED, .failure = FAILURE_SPAM_FILTERED,
             .detail = said("acme answered 0x0000000B."));
    TEST_SAY(&test_acme, .outcome = CARRIER_REFUSED, .failure = FAILURE_INVALID_DESTINATION);
    test_settle_live();
    assert_int_equal(test_look_live(spam).failure, FAILURE_SPAM_FILTERED);
    assert_string_equal(test_last_event(spam), "acme answered 0x0000000B.");
    assert_int_equal(test_look_live(wrong).failure, FAILURE_INVALID_DESTINATION);
    assert_string_equal(test_events(wrong), "");
    assert_int_equal(balance(), 12500);
    assert_int_equal(test_beta.submitted_count, 0);
    test_stop_live();
}

/* ---- later ---- */

static void what_the_carrier_takes_later_is_tried_again(void **state)
{
    static const int64_t rests_s[] = {30, 2 * MINUTE_S, 8 * MINUTE_S};

    test_acme.room = 1;
    test_start_live(64);
    int64_t id = send_and_settle();
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(say_later(&test_acme), id);
        assert_int_equal(test_look_live(id).retry_count, i + 1);
        assert_int_equal(test_status_live(id), STATUS_QUEUED);
        assert_false(test_is_marked(id));
        assert_int_equal(test_settled, i + 1);
        test_pass(rests_s[i] - 1);
        assert_int_equal(test_acme.submitted_count, i + 1);
        test_pass(1);
        assert_int_equal(test_acme.submitted_count, i + 2);
    }
    assert_string_equal(test_events(id), "retry,retry,retry");
    assert_string_equal(test_last_event(id), "acme is busy. It is tried again in 480 seconds.");
    assert_int_equal(counts().retried, 3);
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(test_status_live(id), STATUS_SENT);
    assert_int_equal(test_look_live(id).retry_count, 3);
    test_stop_live();
}

static void others_do_not_wait_for_one_that_rests(void **state)
{
    test_acme.room = 1;
    test_start_live(64);
    int64_t id = send_and_settle(), next = send_and_settle();
    say_later(&test_acme);
    test_assert_sent_to(&test_acme, (int64_t[]){id, next}, 2);
    assert_int_equal(counts().waiting, 1);
    assert_int_equal(dispatch_held(test_dispatch), 2);
    test_stop_live();
}

static void after_the_last_rest_it_goes_another_way(void **state)
{
    test_start_live(64);
    int64_t id = send_and_settle();
    for (int i = 0; i < 3; i++) {
        say_later(&test_acme);
        test_pass(500);
    }
    say_later(&test_acme);
    test_assert_sent_to(&test_beta, &id, 1);
    assert_string_equal(test_events(id), "retry,retry,retry,failover");
    assert_string_equal(test_last_event(id), "acme is busy. It goes to beta now.");
    say_later(&test_beta); /* which has as many tries */
    assert_int_equal(test_look_live(id).retry_count, 4);
    test_pass(30);
    assert_int_equal(test_beta.submitted_count, 2);
    test_stop_live();
}

/* The count of tries is on disk, the time is not: a stop is rest enough. */
static void a_restart_goes_on_with_the_tries(void **state)
{
    test_start_live(64);
    int64_t id = send_and_settle();
    for (int i = 0; i < 2; i++) {
        say_later(&test_acme);
        test_pass(500);
    }
    say_later(&test_acme);
    test_stop_live();
    test_start_live(64);
    assert_int_equal(test_acme.submitted_count, 4);
    say_later(&test_acme);
    test_assert_sent_to(&test_beta, &id, 1);
    test_stop_live();
}

static void what_rests_can_be_cancelled(void **state)
{
    struct test_asking a;

    test_start_live(64);
    int64_t id = send_and_settle();
    test_close_gate();
    TEST_SAY(&test_acme, .outcome = CARRIER_LATER);
    /* Asked while it is being written that it rests: judged after that. */
    test_ask_for(&a, (struct cancel){.message = id, .mode = MODE_LIVE});
    dispatch_run(test_dispatch);
    assert_false(test_is_answered(&a));
    test_open_gate();
    test_settle_live();
    assert_int_equal(test_outcome(&a), CANCEL_DONE);
    assert_int_equal(test_status_live(id), STATUS_CANCELLED);
    test_pass(100);
    assert_int_equal(test_acme.submitted_count, 1);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    assert_int_equal(counts().waiting, 0);
    test_stop_live();
}

static void what_rests_expires_when_it_is_time(void **state)
{
    struct message m = test_live(&test_acme);

    m.validity_s = 20;
    test_start_live(64);
    int64_t id = test_send_message(m);
    test_settle_live();
    say_later(&test_acme);
    test_pass(19);
    assert_int_equal(test_status_live(id), STATUS_QUEUED);
    test_pass(1);
    assert_int_equal(test_look_live(id).failure, FAILURE_VALIDITY_EXPIRED);
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* ---- no answer ---- */

static void say_nothing(struct test_carrier *t)
{
    TEST_SAY(t, .outcome = CARRIER_SILENT, .detail = said("The link to acme broke."));
    test_settle_live();
}

static void what_was_not_answered_goes_out_again_at_once(void **state)
{
    test_acme.room = 2;
    test_start_live(64);
    int64_t id = send_and_settle(), next = send_and_settle(), last = send_and_settle();
    say_nothing(&test_acme);
    test_assert_sent_to(&test_acme, (int64_t[]){id, next, id}, 3); /* before the one that waits */
    assert_string_equal(test_events(id), "possible_duplicate");
    assert_string_equal(test_last_event(id),
                        "The link to acme broke. It is sent again and may arrive twice.");
    assert_int_equal(counts().maybe_twice, 1);
    assert_int_equal(test_look_live(id).retry_count, 1);
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(test_status_live(next), STATUS_SENT);
    assert_int_equal(test_acme.submitted[3], last);
    test_stop_live();
}

static void or_fails_if_that_is_what_the_operator_wants(void **state)
{
    test_acme.carrier.resend = false;
    test_start_live(64);
    int64_t id = send_and_settle();
    say_nothing(&test_acme);
    assert_int_equal(test_look_live(id).failure, FAILURE_UPSTREAM_TIMEOUT);
    assert_string_equal(
        test_last_event(id),
        "The link to acme broke. Whether the carrier has the message is not known.");
    assert_int_equal(counts().maybe_twice, 0);
    test_stop_live();
}

/* A message that breaks every link it is sent over rests longer and longer, then goes elsewhere. */
static void one_that_is_never_answered_does_not_go_round_for_ever(void **state)
{
    test_start_live(64);
    int64_t id = send_and_settle();
    say_nothing(&test_acme);
    for (int i = 0; i < 2; i++) {
        say_nothing(&test_acme);
        assert_string_equal(
            test_last_event(id),
            i ? "The link to acme broke. It is sent again in 120 seconds and may arrive twice."
              : "The link to acme broke. It is sent again in 30 seconds and may arrive twice.");
        test_pass(i ? 110 : 29);
        assert_int_equal(test_acme.held, 0);
        test_pass(20);
        assert_int_equal(test_acme.held, 1);
    }
    say_nothing(&test_acme);
    test_assert_sent_to(&test_beta, &id, 1);
    assert_string_equal(
        test_events(id),
        "possible_duplicate,possible_duplicate,possible_duplicate,possible_duplicate,failover");
    test_stop_live();
}

/* Nothing is dropped because a carrier is down, however long. */
static void without_another_way_it_is_tried_until_it_expires(void **state)
{
    test_start_live(64);
    dispatch_set_routing(test_dispatch, NULL);
    int64_t id = send_and_settle();
    for (int i = 0; i < 10; i++) {
        say_nothing(&test_acme);
        test_pass(500);
        assert_int_equal(test_acme.held, 1);
    }
    TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(test_status_live(id), STATUS_SENT);
    assert_int_equal(counts().maybe_twice, 10);
    test_stop_live();
}

/* Part of it arrives twice: that is said and counted. */
static void what_a_carrier_took_in_part_is_flagged(void **state)
{
    test_start_live(64);
    int64_t id = send_and_settle();
    TEST_SAY(&test_acme, .outcome = CARRIER_LATER, .taken = 1, .detail = said("acme is busy."));
    test_settle_live();
    assert_string_equal(test_events(id), "possible_duplicate,retry");
    test_pass(31);
    TEST_SAY(&test_acme, .outcome = CARRIER_ELSEWHERE, .taken = 2);
    test_settle_live();
    assert_string_equal(test_events(id), "possible_duplicate,retry,possible_duplicate,failover");
    assert_int_equal(counts().maybe_twice, 2);
    TEST_SAY(&test_beta, .outcome = CARRIER_ELSEWHERE, .taken = 2, .failure = FAILURE_UNKNOWN);
    test_settle_live();
    assert_int_equal(test_status_live(id), STATUS_FAILED); /* and is sent to nobody again */
    assert_string_equal(test_events(id), "possible_duplicate,retry,possible_duplicate,failover");
    test_stop_live();
}

/* What rests must not keep a carrier from what it takes. */
static void others_go_on_while_a_whole_lane_rests(void **state)
{
    enum { SHARE = 64, MORE = 10 };
    int64_t ids[MORE];

    test_acme.room = TEST_MANY;
    test_start_live(SHARE);
    for (int i = 0; i < SHARE; i++)
        test_send_live(&test_acme);
    test_settle_live();
    for (int i = 0; i < SHARE; i++)
        say_later(&test_acme);
    assert_int_equal(counts().waiting, SHARE);
    test_acme.submitted_count = 0;
    for (int i = 0; i < MORE; i++)
        ids[i] = test_send_live(&test_acme);
    test_settle_live();
    test_assert_sent_to(&test_acme, ids, MORE);
    for (int i = 0; i < MORE; i++)
        TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_pass(31);
    assert_int_equal(test_acme.submitted_count, SHARE + MORE);
    while (test_acme.held)
        TEST_SAY(&test_acme, .outcome = CARRIER_TOOK);
    test_settle_live();
    assert_int_equal(dispatch_held(test_dispatch), 0);
    test_stop_live();
}

/* Beyond as many again they take places, or memory would have no bound. */
static void what_rests_is_bounded(void **state)
{
    enum { SHARE = 64 };

    test_acme.room = TEST_MANY;
    test_start_live(SHARE);
    for (int i = 0; i < SHARE * 5; i++)
        test_send_live(&test_acme);
    test_settle_live();
    while (test_acme.held)
        say_later(&test_acme);
    assert_int_equal(counts().waiting, SHARE * 2);
    assert_true(counts().behind);
    test_stop_live();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVE_TEST(what_is_taken_is_sent_under_its_ids),
        LIVE_TEST(a_long_answer_is_cut),
        LIVE_TEST(receipts_find_their_message),
        LIVE_TEST(what_is_refused_fails_with_the_carriers_reason),
        LIVE_TEST(what_the_carrier_takes_later_is_tried_again),
        LIVE_TEST(others_do_not_wait_for_one_that_rests),
        LIVE_TEST(after_the_last_rest_it_goes_another_way),
        LIVE_TEST(a_restart_goes_on_with_the_tries),
        LIVE_TEST(what_rests_can_be_cancelled),
        LIVE_TEST(what_rests_expires_when_it_is_time),
        LIVE_TEST(what_was_not_answered_goes_out_again_at_once),
        LIVE_TEST(or_fails_if_that_is_what_the_operator_wants),
        LIVE_TEST(one_that_is_never_answered_does_not_go_round_for_ever),
        LIVE_TEST(without_another_way_it_is_tried_until_it_expires),
        LIVE_TEST(what_a_carrier_took_in_part_is_flagged),
        LIVE_TEST(others_go_on_while_a_whole_lane_rests),
        LIVE_TEST(what_rests_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
