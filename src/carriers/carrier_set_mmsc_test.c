/* MMSCs among the carriers: as the configuration wants them, with real dispatch and store. */
#include "carriers/test_set.h"

#include <errno.h>
#include <unistd.h>

enum { STOP_MS = 8000 };

static struct test_peer peer;

static unsigned mmsc_up(void)
{
    str_format(test_section.name, sizeof test_section.name, "mms");
    test_set_mmsc(&test_section);
    test_set_up_to(0);
    struct carrier *c = carrier_set_find(test_set, "mms");
    assert_non_null(c);
    test_set_until_well(c);
    return c->number;
}

static int64_t send_mms(unsigned carrier)
{
    struct message m = test_message(MODE_LIVE, STATUS_QUEUED);

    m.carrier = carrier;
    m.kind = KIND_MMS;
    m.text = STR("Hello");
    return test_send_message(m);
}

static void until_twice(int64_t count)
{
    int64_t end_us = clock_monotonic_us() + TEST_PATIENCE_US;

    while (test_set_record("mms").maybe_twice != count)
        assert_true(clock_monotonic_us() < end_us);
}

static void from_queued_to_sent(void **state)
{
    unsigned number = mmsc_up();
    int64_t id = send_mms(number);
    test_mmsc_accept("A-1");
    test_set_until(id, STATUS_SENT);
    test_set_until_state("mms", CARRIER_READY);
}

static void both_kinds_stand_side_by_side(void **state)
{
    struct test_session smsc;

    str_format(test_section.name, sizeof test_section.name, "mms");
    test_set_mmsc(&test_section);
    test_set_up_to(1);
    test_session_bind(&smsc, &test_smsc);
    assert_int_not_equal(test_set_number(0), carrier_set_find(test_set, "mms")->number);
    int64_t sms = test_set_send(test_set_number(0), "Hello");
    int64_t mms = send_mms(carrier_set_find(test_set, "mms")->number);
    test_set_take(&smsc, "Hello", "A001");
    test_mmsc_accept("A-1");
    test_set_until(sms, STATUS_SENT);
    test_set_until(mms, STATUS_SENT);
    test_set_until_state("one", CARRIER_BOUND);
    test_set_until_state("mms", CARRIER_READY);
    test_session_close(&smsc);
}

static void what_was_not_answered_goes_again_and_is_counted(void **state)
{
    unsigned number = mmsc_up();
    int64_t id = send_mms(number);
    test_mmsc_take(&peer);
    test_peer_reset(&peer);
    test_mmsc_accept("A-2");
    test_set_until(id, STATUS_SENT);
    until_twice(1);
}

/* Over a connection that was kept: one more copy goes out, which is counted, and none besides. */
static void and_once_only_when_a_kept_connection_dies(void **state)
{
    unsigned number = mmsc_up();
    int64_t first = send_mms(number);
    test_mmsc_take(&peer);
    test_mmsc_say(&peer, 1000, "A-1");
    test_set_until(first, STATUS_SENT);
    int64_t second = send_mms(number);
    test_mmsc_take_more(&peer);
    test_peer_close(&peer);
    size_t bodies = 0;
    while (bodies == 0) { /* who gave up after connecting says nothing */
        assert_true(test_peer_accept(&peer, &test_mmsc, TEST_PEER_PATIENCE_MS));
        if (!test_peer_read(&peer, TEST_PEER_PATIENCE_MS)) {
            test_peer_close(&peer);
            continue;
        }
        test_peer_await_request(&peer);
        bodies++;
    }
    test_mmsc_say(&peer, 1000, "A-2");
    test_set_until(second, STATUS_SENT);
    until_twice(1);
    assert_true(test_mmsc_is_alone(50));
    test_peer_close(&peer);
}

static void or_it_fails_when_that_is_wanted(void **state)
{
    test_section.unanswered = 1;
    unsigned number = mmsc_up();
    int64_t id = send_mms(number);
    test_mmsc_take(&peer);
    test_peer_reset(&peer);
    test_set_until(id, STATUS_FAILED);
    assert_int_equal(test_look_mode(id, MODE_LIVE).failure, FAILURE_UPSTREAM_TIMEOUT);
    assert_true(test_mmsc_is_alone(50));
}

/* What is under way is answered under the old settings, however long that takes; what waits goes
 * with the new ones, meanwhile. */
static void new_settings_while_messages_are_under_way(void **state)
{
    struct test_peer new;

    test_section.window = 1;
    unsigned number = mmsc_up();
    struct carrier *port = carrier_set_find(test_set, "mms");
    int64_t first = send_mms(number), second = send_mms(number);
    test_mmsc_take(&peer);
    test_section.vas_id = "other";
    test_set_up_to(0);
    test_mmsc_take(&new);
    assert_non_null(memmem(new.in.p, new.in.n, "other", 5));
    test_mmsc_say(&new, 1000, "A-2");
    test_set_until(second, STATUS_SENT);
    test_mmsc_say(&peer, 1000, "A-1");
    test_set_until(first, STATUS_SENT);
    assert_int_equal(test_set_record("mms").maybe_twice, 0);
    assert_ptr_equal(carrier_set_find(test_set, "mms"), port);
    test_peer_close(&peer);
    test_peer_close(&new);
}

static void what_did_not_change_is_left_alone(void **state)
{
    unsigned number = mmsc_up();
    int64_t id = send_mms(number);
    test_mmsc_take(&peer);
    test_set_up_to(0);
    test_mmsc_say(&peer, 1000, "A-1");
    test_set_until(id, STATUS_SENT);
    id = send_mms(number);
    test_mmsc_take_more(&peer); /* over the same connection */
    test_mmsc_say(&peer, 1000, "A-2");
    test_set_until(id, STATUS_SENT);
    test_peer_close(&peer);
}

/* Its section goes while a message is under way, and comes back before the answer. */
static void out_of_the_configuration_and_back(void **state)
{
    struct test_peer new;
    unsigned number = mmsc_up();
    int64_t first = send_mms(number);

    test_mmsc_take(&peer);
    test_set_mmsc(NULL);
    test_set_up_to(0);
    assert_null(carrier_set_find(test_set, "mms"));
    test_set_mmsc(&test_section);
    test_set_up_to(0);
    int64_t second = send_mms(number);
    test_mmsc_take(&new);
    test_mmsc_say(&new, 1000, "A-2");
    test_set_until(second, STATUS_SENT);
    test_mmsc_say(&peer, 1000, "A-1");
    test_set_until(first, STATUS_SENT);
    test_peer_close(&peer);
    test_peer_close(&new);
}

/* The program ends while one that was taken out still waits for an answer. */
static void the_end_does_not_wait_for_what_was_taken_out(void **state)
{
    unsigned number = mmsc_up();

    send_mms(number);
    test_mmsc_take(&peer);
    test_set_mmsc(NULL);
    test_set_up_to(0);
    assert_true(carrier_set_stop(test_set, STOP_MS));
    test_peer_close(&peer);
}

static void a_name_keeps_its_kind(void **state)
{
    str_format(test_section.name, sizeof test_section.name, "one");
    test_set_mmsc(&test_section);
    test_set_up_to(0);
    test_set_mmsc(NULL);
    assert_int_equal(test_set_update(1), -EINVAL);
    assert_string_equal(test_why, "[carrier one] was a section [mmsc one] when the server started: "
                                  "choose another name, or restart it");
    assert_non_null(carrier_set_find(test_set, "one"));
    int64_t id = send_mms(carrier_set_find(test_set, "one")->number);
    test_mmsc_accept("A-1");
    test_set_until(id, STATUS_SENT);
}

static void a_fault_names_the_section(void **state)
{
    str_format(test_section.name, sizeof test_section.name, "mms");
    test_section.url = "nowhere";
    test_set_mmsc(&test_section);
    assert_int_equal(test_set_update(0), -EINVAL);
    assert_non_null(strstr(test_why, "[mmsc mms] url "));
}

static void the_end_waits_for_what_is_under_way(void **state)
{
    unsigned number = mmsc_up();
    int64_t id = send_mms(number);
    test_mmsc_take(&peer);
    assert_true(carrier_set_stop(test_set, STOP_MS)); /* two seconds, then it is given up */
    assert_true(test_peer_ends(&peer));
    test_peer_close(&peer);
    test_set_restart();
    mmsc_up();
    test_mmsc_accept("A-2");
    test_set_until(id, STATUS_SENT);
    until_twice(1);
}

static void count_stray(void *number)
{
    carrier_set_count_receipt(test_set, *(unsigned *)number, true);
    carrier_set_count_receipt(test_set, *(unsigned *)number + 1, true); /* nobody's */
}

static void receipts_are_counted_by_number(void **state)
{
    unsigned number = mmsc_up();
    int64_t end_us = clock_monotonic_us() + TEST_PATIENCE_US;

    test_loop_do(count_stray, &number);
    while (test_set_record("mms").strays != 1)
        assert_true(clock_monotonic_us() < end_us);
    assert_int_equal(test_set_record("mms").receipts, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SET_TEST(from_queued_to_sent),
        SET_TEST(both_kinds_stand_side_by_side),
        SET_TEST(what_was_not_answered_goes_again_and_is_counted),
        SET_TEST(and_once_only_when_a_kept_connection_dies),
        SET_TEST(or_it_fails_when_that_is_wanted),
        SET_TEST(new_settings_while_messages_are_under_way),
        SET_TEST(out_of_the_configuration_and_back),
        SET_TEST(the_end_does_not_wait_for_what_was_taken_out),
        SET_TEST(what_did_not_change_is_left_alone),
        SET_TEST(a_name_keeps_its_kind),
        SET_TEST(a_fault_names_the_section),
        SET_TEST(the_end_waits_for_what_is_under_way),
        SET_TEST(receipts_are_counted_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
