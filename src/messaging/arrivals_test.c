#include "messaging/arrivals.h"

#include "messaging/test_arrivals.h"

#include <errno.h>

#define HOUR_US INT64_C(3600000000)

static struct arrival part(uint8_t total, uint8_t number, const char *text)
{
    struct arrival a = test_whole(text);

    a.reference = 99;
    a.total = total;
    a.number = number;
    return a;
}

static void assert_text(int64_t account, const char *text)
{
    struct message_page p = test_received(account);

    assert_int_equal(p.count, 1);
    assert_true(str_is(p.messages[0].text, text));
}

static void test_a_message(void **state)
{
    assert_int_equal(test_take(test_whole("Is it open?")), 0);
    struct message_page p = test_received(SHOP);
    assert_int_equal(p.count, 1);
    struct message *m = &p.messages[0];
    assert_int_equal(m->status, STATUS_RECEIVED);
    assert_int_equal(m->direction, DIRECTION_INBOUND);
    assert_true(str_is(m->from, "+15551234567"));
    assert_true(str_is(m->to, "+18005551234"));
    assert_true(str_is(m->text, "Is it open?"));
    assert_int_equal(m->encoding, ENCODING_GSM7);
    assert_int_equal(m->segments, 1);
    assert_int_equal(m->number_type, NUMBER_TOLL_FREE);
    assert_int_equal(m->rate_limit, 180);
    assert_int_equal(m->coverage, COVERAGE_HIGH);
    assert_int_equal(m->reason, REASON_USER);
    assert_int_equal(m->calling_code, 1);
    assert_int_equal(m->carrier, ACME);
    assert_int_equal(m->created_us, atomic_load(&test_now_us));
}

static void test_a_number_in_national_form(void **state)
{
    struct arrival a = test_whole("STOP");

    a.from = STR("5551234567");
    assert_int_equal(test_take(a), 0);
    struct message_page p = test_received(SHOP);
    assert_int_equal(p.count, 1);
    assert_true(str_is(p.messages[0].from, "+15551234567"));
    assert_int_equal(p.messages[0].coverage, COVERAGE_HIGH);
    assert_true(test_is_out("+15551234567")); /* for who writes to it */
}

static void test_whoever_has_the_address(void **state)
{
    struct arrival a = test_whole("x");

    a.to = STR("12345"); /* a sender of all accounts */
    a.from = STR("+447700900123");
    assert_int_equal(test_take(a), 0);
    struct message_page p = test_received(FIRST_ACCOUNT);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.messages[0].number_type, NUMBER_SHORT_CODE);
    assert_int_equal(p.messages[0].coverage, COVERAGE_MEDIUM);
    assert_string_equal(p.messages[0].country, "GB");

    a.to = STR("18005551234"); /* the carrier leaves out the plus */
    assert_int_equal(test_take(a), 0);
    assert_int_equal(test_received(SHOP).count, 1);
    assert_true(str_is(test_received(SHOP).messages[0].to, "+18005551234"));
    a.to = STR("+12345"); /* or puts it where none is */
    assert_int_equal(test_take(a), 0);
    assert_true(str_is(test_received(FIRST_ACCOUNT).messages[0].to, "12345"));
}

static void test_nobody_has_the_address(void **state)
{
    struct arrival a = test_whole("x");

    a.to = STR("+18005550000");
    a.from = STR("Bank"); /* not everybody is a number */
    assert_int_equal(test_take(a), 0);
    arrivals_set_routing(test_arrivals, NULL);
    assert_int_equal(test_take(test_whole("y")), 0);
    struct message_page p = test_received(FIRST_ACCOUNT);
    assert_int_equal(p.count, 2);
    assert_true(str_is(p.messages[1].from, "Bank"));
    assert_int_equal(p.messages[1].calling_code, 0);
    assert_int_equal(p.messages[1].number_type, NUMBER_LOCAL);
}

static void test_keywords(void **state)
{
    struct event_record *events;
    size_t count;

    assert_int_equal(test_take(test_whole(" Stop ")), 0);
    assert_true(test_is_out("+15551234567"));
    struct message_page p = test_received(SHOP);
    assert_int_equal(p.count, 1); /* it is a message all the same */
    assert_int_equal(store_event_list(test_reader, p.messages[0].id, &test_arena, &events, &count),
                     0);
    assert_int_equal(count, 1);
    assert_int_equal(events[0].kind, EVENT_OPTED_OUT);
    assert_int_equal(test_take(test_whole("START")), 0);
    assert_false(test_is_out("+15551234567"));
}

static void test_a_keyword_that_was_not_written(void **state)
{
    test_fail_commits(1);
    assert_int_equal(test_take(test_whole("STOP")), -EIO);
    assert_false(test_is_out("+15551234567"));
    assert_int_equal(test_received(SHOP).count, 0);
    assert_int_equal(test_take(test_whole("STOP")), 0);
    assert_true(test_is_out("+15551234567"));
}

static void test_what_is_not_utf8(void **state)
{
    assert_int_equal(test_take(test_whole("caf\xe9")), 0);
    assert_text(SHOP, "\xef\xbf\xbd");
}

/* ---- parts ---- */

static void test_parts_in_any_order(void **state)
{
    assert_int_equal(test_take(part(3, 3, "three")), 0);
    assert_int_equal(test_take(part(3, 1, "one ")), 0);
    assert_int_equal(test_take(part(3, 1, "one ")), 0);
    assert_int_equal(test_received(SHOP).count, 0);
    assert_int_equal(test_take(part(3, 2, "two ")), 0);
    assert_text(SHOP, "one two three");
    assert_int_equal(test_received(SHOP).messages[0].segments, 3);
    assert_true(str_is(test_received(SHOP).messages[0].from, "+15551234567"));
}

/* Each bind of the carrier brings one. */
static void test_parts_at_once(void **state)
{
    struct test_answer answers[3] = {0};

    test_close_gate();
    for (uint8_t i = 0; i < 3; i++) {
        struct arrival a = part(3, i + 1, "x");
        arrivals_take(test_arrivals, &a, test_note_answer, &answers[i]);
    }
    test_open_gate();
    test_settle();
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(answers[i].count, 1);
    assert_text(SHOP, "xxx");
}

static void test_parts_through_a_restart(void **state)
{
    assert_int_equal(test_take(part(2, 1, "one ")), 0);
    arrivals_free(test_arrivals);
    test_open_arrivals();
    assert_int_equal(test_take(part(2, 2, "two")), 0);
    assert_text(SHOP, "one two");
}

static void test_a_keyword_in_parts(void **state)
{
    test_take(part(2, 1, "ST"));
    test_take(part(2, 2, "OP"));
    assert_true(test_is_out("+15551234567"));
}

/* A header that cannot be is none. */
static void test_strange_parts(void **state)
{
    assert_int_equal(test_take(part(1, 1, "a")), 0);
    assert_int_equal(test_take(part(2, 3, "b")), 0);
    assert_int_equal(test_take(part(2, 0, "c")), 0);
    assert_int_equal(test_received(SHOP).count, 3);
}

static void test_the_last_part_was_not_written(void **state)
{
    test_take(part(2, 1, "one "));
    test_fail_commits(1);
    assert_int_equal(test_take(part(2, 2, "two")), -EIO);
    assert_int_equal(test_received(SHOP).count, 0);
    assert_int_equal(test_take(part(2, 2, "two")), 0);
    assert_text(SHOP, "one two");
}

static void tick(void)
{
    arrivals_tick(test_arrivals);
    test_settle();
}

static void test_parts_that_wait_too_long(void **state)
{
    test_take(part(5, 2, "two"));
    test_take(part(5, 3, "three"));
    atomic_fetch_add(&test_now_us, HOUR_US / 2);
    tick();
    test_take(part(5, 5, "five"));
    atomic_fetch_add(&test_now_us, HOUR_US / 2);
    tick();
    assert_int_equal(test_received(SHOP).count, 0);
    atomic_fetch_add(&test_now_us, 1);
    tick();
    assert_text(SHOP, "[\xe2\x80\xa6]twothree[\xe2\x80\xa6]"
                      "five");
    tick();
    assert_int_equal(test_received(SHOP).count, 1);
    assert_int_equal(test_received(SHOP).messages[0].segments, 5);
}

static void test_the_end_is_missing(void **state)
{
    test_take(part(3, 1, "one"));
    atomic_fetch_add(&test_now_us, HOUR_US + 1);
    tick();
    assert_text(SHOP, "one[\xe2\x80\xa6]");
}

/* The last part comes in the very moment: one message, not two. */
static void test_whole_after_all(void **state)
{
    struct arrival last = part(2, 2, "two");
    struct test_answer a = {0};

    test_take(part(2, 1, "one "));
    atomic_fetch_add(&test_now_us, HOUR_US + 1);
    test_close_gate();
    arrivals_take(test_arrivals, &last, test_note_answer, &a);
    arrivals_tick(test_arrivals);
    arrivals_tick(test_arrivals);
    test_open_gate();
    test_settle();
    assert_text(SHOP, "one two");
    tick();
    assert_int_equal(test_received(SHOP).count, 1);
}

static void test_overdue_and_the_disk_is_full(void **state)
{
    test_take(part(2, 1, "one"));
    atomic_fetch_add(&test_now_us, HOUR_US + 1);
    test_fail_commits(1);
    tick();
    assert_int_equal(test_received(SHOP).count, 0);
    tick();
    assert_text(SHOP, "one[\xe2\x80\xa6]");
}

/* What is overdue goes to the writer once, however slow that is. */
static void test_overdue_and_the_writer_is_slow(void **state)
{
    enum { SENDERS = 128, TICKS = 20 };

    for (int i = 0; i < SENDERS; i++) {
        struct arrival a = part(2, 1, "one");
        a.reference = (uint16_t)i;
        test_take(a);
    }
    atomic_fetch_add(&test_now_us, HOUR_US + 1);
    test_close_gate();
    for (int i = 0; i < TICKS; i++)
        arrivals_tick(test_arrivals);
    struct arrival a = test_whole("x");
    struct test_answer answer = {0};
    arrivals_take(test_arrivals, &a, test_note_answer, &answer);
    test_open_gate();
    test_settle();
    assert_int_equal(answer.result, 0);
    assert_int_equal(test_received(SHOP).total, SENDERS + 1);
}

/* As many parts as a header can name, each as long as a part can be. */
static void test_the_greatest_message(void **state)
{
    enum { PARTS = 255, SIZE = 98304 };
    static char text[SIZE + 1];

    memset(text, 'x', SIZE);
    for (int i = 1; i <= PARTS; i++)
        assert_int_equal(test_take(part(PARTS, (uint8_t)i, text)), 0);
    struct message_page p = test_received(SHOP);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.messages[0].text.n, PARTS * SIZE);
}

static void test_when_too_much_waits(void **state)
{
    struct test_answer answers[TEST_WAITING_MAX + 1] = {0};
    struct arrival a = test_whole("x");

    test_close_gate();
    for (size_t i = 0; i <= TEST_WAITING_MAX; i++)
        arrivals_take(test_arrivals, &a, test_note_answer, &answers[i]);
    test_open_gate();
    test_settle();
    for (size_t i = 0; i <= TEST_WAITING_MAX; i++) {
        assert_int_equal(answers[i].count, 1);
        assert_int_equal(answers[i].result, i < TEST_WAITING_MAX ? 0 : -EAGAIN);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, test_set_up, test_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_message),
        TEST(test_a_number_in_national_form),
        TEST(test_whoever_has_the_address),
        TEST(test_nobody_has_the_address),
        TEST(test_keywords),
        TEST(test_a_keyword_that_was_not_written),
        TEST(test_what_is_not_utf8),
        TEST(test_parts_in_any_order),
        TEST(test_parts_at_once),
        TEST(test_parts_through_a_restart),
        TEST(test_a_keyword_in_parts),
        TEST(test_strange_parts),
        TEST(test_the_last_part_was_not_written),
        TEST(test_parts_that_wait_too_long),
        TEST(test_the_end_is_missing),
        TEST(test_whole_after_all),
        TEST(test_overdue_and_the_disk_is_full),
        TEST(test_overdue_and_the_writer_is_slow),
        TEST(test_the_greatest_message),
        TEST(test_when_too_much_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
