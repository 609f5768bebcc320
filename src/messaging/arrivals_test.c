#include "messaging/arrivals.h"

#include "messaging/test_engine.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { ACME = 2, OTHER = 3, SHOP = 7 };
#define HOUR_US INT64_C(3600000000)

static struct arrivals *arrivals;
static struct optouts *optouts;

static const struct sender senders[] = {
    {.address = STR("+18005551234"),
     .type = NUMBER_TOLL_FREE,
     .calling_code = 1,
     .messages_per_minute = 180,
     .account = SHOP},
    {.address = STR("12345"), .type = NUMBER_SHORT_CODE, .calling_code = 1},
};
static const struct routing routing = {.senders = {.senders = senders, .count = 2}};

static void open_arrivals(void)
{
    struct arrivals_options options = {.store = test_store,
                                       .writer = test_writer,
                                       .clock = &test_clock,
                                       .optouts = optouts,
                                       .home = &test_home};

    assert_int_equal(arrivals_new(&arrivals, &options), 0);
    arrivals_set_routing(arrivals, &routing);
}

static int set_up(void **state)
{
    test_engine_start();
    optouts = optouts_new(store_secret(test_store));
    assert_non_null(optouts);
    open_arrivals();
    return 0;
}

static int tear_down(void **state)
{
    test_settle();
    arrivals_free(arrivals);
    optouts_free(optouts);
    test_engine_stop();
    return 0;
}

static struct arrival whole(const char *text)
{
    return (struct arrival){.carrier = ACME,
                            .from = STR("+15551234567"),
                            .to = STR("+18005551234"),
                            .text = str_of(text)};
}

static struct arrival part(uint8_t total, uint8_t number, const char *text)
{
    struct arrival a = whole(text);

    a.reference = 99;
    a.total = total;
    a.number = number;
    return a;
}

/* Taken and written; what the carrier heard. */
static int take(struct arrival arrival)
{
    struct test_answer a = {0};

    arrivals_take(arrivals, &arrival, test_note_answer, &a);
    test_settle();
    assert_int_equal(a.count, 1);
    return a.result;
}

static struct message_page received(int64_t account)
{
    struct message_page p;

    assert_int_equal(
        store_message_page(test_reader, account, MODE_LIVE, NULL, 0, 50, &test_arena, &p), 0);
    return p;
}

static void assert_text(int64_t account, const char *text)
{
    struct message_page p = received(account);

    assert_int_equal(p.count, 1);
    assert_true(str_is(p.messages[0].text, text));
}

static void test_a_message(void **state)
{
    assert_int_equal(take(whole("Is it open?")), 0);
    struct message_page p = received(SHOP);
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
    struct arrival a = whole("STOP");

    a.from = STR("5551234567");
    assert_int_equal(take(a), 0);
    struct message_page p = received(SHOP);
    assert_int_equal(p.count, 1);
    assert_true(str_is(p.messages[0].from, "+15551234567"));
    assert_int_equal(p.messages[0].coverage, COVERAGE_HIGH);
    assert_true(
        optouts_has(optouts, SHOP, MODE_LIVE, STR("+15551234567"))); /* for who writes to it */
}

static void test_whoever_has_the_address(void **state)
{
    struct arrival a = whole("x");

    a.to = STR("12345"); /* a sender of all accounts */
    a.from = STR("+447700900123");
    assert_int_equal(take(a), 0);
    struct message_page p = received(FIRST_ACCOUNT);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.messages[0].number_type, NUMBER_SHORT_CODE);
    assert_int_equal(p.messages[0].coverage, COVERAGE_MEDIUM);
    assert_string_equal(p.messages[0].country, "GB");

    a.to = STR("18005551234"); /* the carrier leaves out the plus */
    assert_int_equal(take(a), 0);
    assert_int_equal(received(SHOP).count, 1);
    assert_true(str_is(received(SHOP).messages[0].to, "+18005551234"));
    a.to = STR("+12345"); /* or puts it where none is */
    assert_int_equal(take(a), 0);
    assert_true(str_is(received(FIRST_ACCOUNT).messages[0].to, "12345"));
}

static void test_nobody_has_the_address(void **state)
{
    struct arrival a = whole("x");

    a.to = STR("+18005550000");
    a.from = STR("Bank"); /* not everybody is a number */
    assert_int_equal(take(a), 0);
    arrivals_set_routing(arrivals, NULL);
    assert_int_equal(take(whole("y")), 0);
    struct message_page p = received(FIRST_ACCOUNT);
    assert_int_equal(p.count, 2);
    assert_true(str_is(p.messages[1].from, "Bank"));
    assert_int_equal(p.messages[1].calling_code, 0);
    assert_int_equal(p.messages[1].number_type, NUMBER_LOCAL);
}

static bool is_out(const char *number)
{
    struct opt_out_record o;
    bool stored =
        store_opt_out_get(test_reader, SHOP, MODE_LIVE, str_of(number), &test_arena, &o) == 0;

    assert_int_equal(optouts_has(optouts, SHOP, MODE_LIVE, str_of(number)), stored);
    return stored;
}

static void test_keywords(void **state)
{
    struct event_record *events;
    size_t count;

    assert_int_equal(take(whole(" Stop ")), 0);
    assert_true(is_out("+15551234567"));
    struct message_page p = received(SHOP);
    assert_int_equal(p.count, 1); /* it is a message all the same */
    assert_int_equal(store_event_list(test_reader, p.messages[0].id, &test_arena, &events, &count),
                     0);
    assert_int_equal(count, 1);
    assert_int_equal(events[0].kind, EVENT_OPTED_OUT);
    assert_int_equal(take(whole("START")), 0);
    assert_false(is_out("+15551234567"));
}

static void test_a_keyword_that_was_not_written(void **state)
{
    test_fail_commits(1);
    assert_int_equal(take(whole("STOP")), -EIO);
    assert_false(is_out("+15551234567"));
    assert_int_equal(received(SHOP).count, 0);
    assert_int_equal(take(whole("STOP")), 0);
    assert_true(is_out("+15551234567"));
}

static void test_what_is_not_utf8(void **state)
{
    assert_int_equal(take(whole("caf\xe9")), 0);
    assert_text(SHOP, "\xef\xbf\xbd");
}

/* ---- parts ---- */

static void test_parts_in_any_order(void **state)
{
    assert_int_equal(take(part(3, 3, "three")), 0);
    assert_int_equal(take(part(3, 1, "one ")), 0);
    assert_int_equal(take(part(3, 1, "one ")), 0);
    assert_int_equal(received(SHOP).count, 0);
    assert_int_equal(take(part(3, 2, "two ")), 0);
    assert_text(SHOP, "one two three");
    assert_int_equal(received(SHOP).messages[0].segments, 3);
    assert_true(str_is(received(SHOP).messages[0].from, "+15551234567"));
}

/* Each bind of the carrier brings one. */
static void test_parts_at_once(void **state)
{
    struct test_answer answers[3] = {0};

    test_close_gate();
    for (uint8_t i = 0; i < 3; i++) {
        struct arrival a = part(3, i + 1, "x");
        arrivals_take(arrivals, &a, test_note_answer, &answers[i]);
    }
    test_open_gate();
    test_settle();
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(answers[i].count, 1);
    assert_text(SHOP, "xxx");
}

static void test_parts_through_a_restart(void **state)
{
    assert_int_equal(take(part(2, 1, "one ")), 0);
    arrivals_free(arrivals);
    open_arrivals();
    assert_int_equal(take(part(2, 2, "two")), 0);
    assert_text(SHOP, "one two");
}

static void test_a_keyword_in_parts(void **state)
{
    take(part(2, 1, "ST"));
    take(part(2, 2, "OP"));
    assert_true(is_out("+15551234567"));
}

/* A header that cannot be is none. */
static void test_strange_parts(void **state)
{
    assert_int_equal(take(part(1, 1, "a")), 0);
    assert_int_equal(take(part(2, 3, "b")), 0);
    assert_int_equal(take(part(2, 0, "c")), 0);
    assert_int_equal(received(SHOP).count, 3);
}

static void test_the_last_part_was_not_written(void **state)
{
    take(part(2, 1, "one "));
    test_fail_commits(1);
    assert_int_equal(take(part(2, 2, "two")), -EIO);
    assert_int_equal(received(SHOP).count, 0);
    assert_int_equal(take(part(2, 2, "two")), 0);
    assert_text(SHOP, "one two");
}

static void tick(void)
{
    arrivals_tick(arrivals);
    test_settle();
}

static void test_parts_that_wait_too_long(void **state)
{
    take(part(5, 2, "two"));
    take(part(5, 3, "three"));
    atomic_fetch_add(&test_now_us, HOUR_US / 2);
    tick();
    take(part(5, 5, "five"));
    atomic_fetch_add(&test_now_us, HOUR_US / 2);
    tick();
    assert_int_equal(received(SHOP).count, 0);
    atomic_fetch_add(&test_now_us, 1);
    tick();
    assert_text(SHOP, "[\xe2\x80\xa6]twothree[\xe2\x80\xa6]"
                      "five");
    tick();
    assert_int_equal(received(SHOP).count, 1);
    assert_int_equal(received(SHOP).messages[0].segments, 5);
}

static void test_the_end_is_missing(void **state)
{
    take(part(3, 1, "one"));
    atomic_fetch_add(&test_now_us, HOUR_US + 1);
    tick();
    assert_text(SHOP, "one[\xe2\x80\xa6]");
}

/* The last part comes in the very moment: one message, not two. */
static void test_whole_after_all(void **state)
{
    struct arrival last = part(2, 2, "two");
    struct test_answer a = {0};

    take(part(2, 1, "one "));
    atomic_fetch_add(&test_now_us, HOUR_US + 1);
    test_close_gate();
    arrivals_take(arrivals, &last, test_note_answer, &a);
    arrivals_tick(arrivals);
    arrivals_tick(arrivals);
    test_open_gate();
    test_settle();
    assert_text(SHOP, "one two");
    tick();
    assert_int_equal(received(SHOP).count, 1);
}

static void test_overdue_and_the_disk_is_full(void **state)
{
    take(part(2, 1, "one"));
    atomic_fetch_add(&test_now_us, HOUR_US + 1);
    test_fail_commits(1);
    tick();
    assert_int_equal(received(SHOP).count, 0);
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
        take(a);
    }
    atomic_fetch_add(&test_now_us, HOUR_US + 1);
    test_close_gate();
    for (int i = 0; i < TICKS; i++)
        arrivals_tick(arrivals);
    struct arrival a = whole("x");
    struct test_answer answer = {0};
    arrivals_take(arrivals, &a, test_note_answer, &answer);
    test_open_gate();
    test_settle();
    assert_int_equal(answer.result, 0);
    assert_int_equal(received(SHOP).total, SENDERS + 1);
}

/* As many parts as a header can name, each as long as a part can be. */
static void test_the_greatest_message(void **state)
{
    enum { PARTS = 255, SIZE = 98304 };
    static char text[SIZE + 1];

    memset(text, 'x', SIZE);
    for (int i = 1; i <= PARTS; i++)
        assert_int_equal(take(part(PARTS, (uint8_t)i, text)), 0);
    struct message_page p = received(SHOP);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.messages[0].text.n, PARTS * SIZE);
}

static void test_when_too_much_waits(void **state)
{
    struct test_answer answers[TEST_WAITING_MAX + 1] = {0};
    struct arrival a = whole("x");

    test_close_gate();
    for (size_t i = 0; i <= TEST_WAITING_MAX; i++)
        arrivals_take(arrivals, &a, test_note_answer, &answers[i]);
    test_open_gate();
    test_settle();
    for (size_t i = 0; i <= TEST_WAITING_MAX; i++) {
        assert_int_equal(answers[i].count, 1);
        assert_int_equal(answers[i].result, i < TEST_WAITING_MAX ? 0 : -EAGAIN);
    }
}

/* ---- MMS ---- */

/* A file as a listener leaves it for us. */
static struct arrival_media file_of(const char *type, const char *content)
{
    struct arrival_media m = {.record.size = (int64_t)strlen(content)};
    int fd = store_media_temporary(test_store, m.path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, strlen(content)), strlen(content));
    close(fd);
    snprintf(m.record.type, sizeof m.record.type, "%s", type);
    memcpy(m.record.hash, content, strlen(content)); /* good enough to tell them apart */
    return m;
}

static bool is_left(const struct arrival_media *m)
{
    return access(m->path, F_OK) == 0;
}

static struct arrival with_media(const char *text, const struct arrival_media *media, size_t count)
{
    struct arrival a = whole(text);

    a.mms = true;
    a.subject = STR("Holiday");
    a.media = media;
    a.media_count = count;
    return a;
}

static void assert_content(int64_t message, unsigned number, const char *type, const char *content)
{
    struct media_record m;
    char read_back[64];

    assert_int_equal(store_media_get(test_reader, message, number, &m), 0);
    assert_string_equal(m.type, type);
    int fd = store_media_open(test_store, &m);
    assert_true(fd >= 0);
    ssize_t n = read(fd, read_back, sizeof read_back);
    close(fd);
    assert_true(str_is((struct str){read_back, (size_t)n}, content));
}

static void test_an_mms(void **state)
{
    struct arrival_media media[] = {file_of("image/jpeg", "a cat"), file_of("video/mp4", "a dog")};

    assert_int_equal(take(with_media("Look!", media, 2)), 0);
    struct message_page p = received(SHOP);
    assert_int_equal(p.count, 1);
    struct message *m = &p.messages[0];
    assert_int_equal(m->kind, KIND_MMS);
    assert_int_equal(m->direction, DIRECTION_INBOUND);
    assert_int_equal(m->status, STATUS_RECEIVED);
    assert_int_equal(m->segments, 1);
    assert_true(str_is(m->text, "Look!"));
    assert_true(str_is(m->subject, "Holiday"));
    assert_true(str_is(m->media, "image/jpeg\nvideo/mp4"));
    assert_content(m->id, 1, "image/jpeg", "a cat");
    assert_content(m->id, 2, "video/mp4", "a dog");
    struct arrival_media again = file_of("image/jpeg", "a cat");
    assert_int_equal(take(with_media("Look!", &again, 1)), 0);
    assert_content(received(SHOP).messages[0].id, 1, "image/jpeg", "a cat");
    assert_false(is_left(&again)); /* what is kept already is not kept twice */
}

/* Its text may be long: it is one message all the same. */
static void test_an_mms_of_text_only(void **state)
{
    static char text[1001];

    memset(text, 'x', 1000);
    struct arrival a = with_media(text, NULL, 0);
    a.total = a.number = 2; /* of no matter */
    assert_int_equal(take(a), 0);
    struct message_page p = received(SHOP);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.messages[0].kind, KIND_MMS);
    assert_int_equal(p.messages[0].segments, 1);
    assert_int_equal(p.messages[0].media.n, 0);
}

static void test_an_mms_with_a_keyword(void **state)
{
    struct arrival_media media = file_of("image/gif", "bye");

    assert_int_equal(take(with_media("stop", &media, 1)), 0);
    assert_true(is_out("+15551234567"));
    assert_content(received(SHOP).messages[0].id, 1, "image/gif", "bye");
}

/* The message and its files are there together, or not at all; no file is left over. */
static void test_an_mms_that_was_not_written(void **state)
{
    struct arrival_media media = file_of("image/gif", "x");

    test_fail_commits(1);
    assert_int_equal(take(with_media("STOP", &media, 1)), -EIO);
    assert_int_equal(received(SHOP).count, 0);
    assert_false(is_left(&media) || is_out("+15551234567"));
    media = file_of("image/gif", "x");
    assert_int_equal(take(with_media("STOP", &media, 1)), 0);
    assert_content(received(SHOP).messages[0].id, 1, "image/gif", "x");
}

static void test_an_mms_that_the_writer_refuses(void **state)
{
    struct test_answer answers[TEST_WAITING_MAX] = {0}, last = {0};
    struct arrival_media media = file_of("image/gif", "x");
    struct arrival filler = whole("x"), a = with_media("y", &media, 1);

    test_close_gate();
    for (size_t i = 0; i < TEST_WAITING_MAX; i++)
        arrivals_take(arrivals, &filler, test_note_answer, &answers[i]);
    arrivals_take(arrivals, &a, test_note_answer, &last);
    test_open_gate();
    test_settle();
    assert_int_equal(last.count, 1);
    assert_int_equal(last.result, -EAGAIN);
    assert_false(is_left(&media));
}

static void test_more_media_than_are_kept(void **state)
{
    struct arrival_media media = file_of("image/gif", "x");
    struct arrival a = with_media("y", &media, 1);
    struct event_record *events;
    size_t count;

    a.media_dropped = 3;
    assert_int_equal(take(a), 0);
    struct message_page p = received(SHOP);
    assert_int_equal(store_event_list(test_reader, p.messages[0].id, &test_arena, &events, &count),
                     0);
    assert_int_equal(count, 1);
    assert_int_equal(events[0].kind, EVENT_MEDIA);
    assert_true(str_is(events[0].detail, "3 more media files came with it; only 10 are kept."));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

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
        TEST(test_an_mms),
        TEST(test_an_mms_of_text_only),
        TEST(test_an_mms_with_a_keyword),
        TEST(test_an_mms_that_was_not_written),
        TEST(test_an_mms_that_the_writer_refuses),
        TEST(test_more_media_than_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
