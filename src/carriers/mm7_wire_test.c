/* Messages on their way to an MMSC and back, with the MMSC that the test plays. */
#include "carriers/test_outlet.h"

#include "mm7/body.h"

#include <stdlib.h>

static void assert_has(struct test_peer *p, const char *text)
{
    if (!memmem(p->in.p, p->in.n, text, strlen(text)))
        fail_msg("'%s' is not in:\n%.*s", text, (int)p->in.n, p->in.p);
}

/* ---- */

static void a_message_goes_out_whole(void **state)
{
    struct mm7_part parts[MIME_PARTS_MAX];
    size_t count = MIME_PARTS_MAX;
    struct mm7_heard heard;
    char why[MM7_WHY_SIZE] = "";
    struct test_peer p;
    struct arena memory;

    test_section.username = "us";
    test_section.password = "secret";
    test_section.encoding = CONFIG_ENCODING_BINARY;
    test_outlet_open();
    test_outlet_give((const char *const[]){"first picture", "second", NULL});
    test_mmsc_take(&p);
    assert_has(&p, "POST /mm7 HTTP/1.1\r\n");
    assert_has(&p, "\r\nAuthorization: Basic dXM6c2VjcmV0\r\n");
    assert_has(&p, "\r\nSOAPAction: \"\"\r\n");
    assert_null(memmem(p.in.p, p.in.n, "Expect:", 7));
    assert_null(memmem(p.in.p, p.in.n, "\nTransfer-Encoding", 18));
    struct str in = buf_str(&p.in), head = mime_cut_head(&in);
    arena_init(&memory, 4 << 20);
    struct str type = mime_field(&memory, head, "Content-Type");
    if (mm7_read(&heard, &memory, type, in, parts, &count, why) != 0)
        fail_msg("%s", why);
    assert_int_equal(heard.kind, MM7_SUBMIT_REQ);
    assert_true(str_is(heard.vasp_id, "us"));
    assert_true(str_is(heard.vas_id, "service"));
    assert_true(str_is(heard.subject, "Cats & dogs"));
    assert_true(str_is(heard.sender.text, "+18005551234"));
    assert_int_equal(heard.recipient_count, 1);
    assert_true(str_is(heard.recipients[0].address.text, "+15551234567"));
    assert_true(str_starts(heard.transaction, STR("msg_")));
    assert_true(heard.wants_report);
    assert_true(heard.expiry_us > 0);
    assert_int_equal(count, 4); /* SMIL, text and two files */
    assert_true(str_is(parts[1].bytes, "Hello"));
    assert_true(str_is(parts[2].bytes, "first picture"));
    assert_true(str_is(parts[3].bytes, "second"));
    assert_true(str_is(parts[3].type, "image/jpeg"));
    arena_done(&memory);
    test_mmsc_say(&p, 1000, "A-1");
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_TOOK);
    assert_true(str_is((struct str){test_outlet.outcome.id, test_outlet.outcome.id_size}, "A-1"));
    test_peer_close(&p);
    test_outlet_close();
}

static void addresses_have_the_form_that_it_wants(void **state)
{
    static const struct {
        int64_t form;
        const char *text;
    } forms[] = {{CONFIG_NUMBERS_PLUS, ">+15551234567<"},
                 {CONFIG_NUMBERS_PLAIN, ">15551234567<"},
                 {CONFIG_NUMBERS_PLMN, ">+15551234567/TYPE=PLMN<"}};
    struct test_peer p;

    for (size_t i = 0; i < 3; i++) {
        test_section.numbers = (unsigned)forms[i].form;
        test_outlet_open();
        test_outlet_give_one();
        test_mmsc_take(&p);
        assert_has(&p, forms[i].text);
        test_mmsc_say(&p, 1000, "1");
        test_outlet_until_told(1);
        test_peer_close(&p);
        test_outlet_close();
    }
}

static void without_its_files_it_does_not_go(void **state)
{
    struct message m = test_mms("Hello", (const char *const[]){NULL});

    m.media = STR("https://cdn.example/1?key=secret\nhttps://cdn.example/2");
    test_outlet_open();
    test_outlet_send(&m);
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_REFUSED);
    assert_int_equal(test_outlet.outcome.failure, FAILURE_MEDIA_UNREACHABLE);
    assert_string_equal(
        test_outlet.outcome.detail,
        "Media 1 of 2 (https://cdn.example/1): the file is no longer in the store.");
    assert_int_equal(test_outlet.outcome.shows, MM7_SHOWS_NOTHING);
    assert_true(test_mmsc_is_alone(50));
    test_outlet_close();
}

static void nobody_there_is_not_sent(void **state)
{
    test_listen_done(&test_mmsc);
    test_outlet_open();
    test_outlet_give_one();
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_UNTRIED);
    assert_int_equal(test_outlet.outcome.shows, MM7_SHOWS_AWAY);
    test_outlet_close();
    test_listen(&test_mmsc, NULL);
}

/* The MMSC cannot have what it has not read to the end: there is no doubt, and it may be sent again
 * without a word of duplicates. */
static void half_a_message_has_not_arrived(void **state)
{
    enum { LARGE = 32 << 20 };
    char *large = malloc(LARGE);
    struct test_peer p;

    memset(large, 'x', LARGE);
    large[LARGE - 1] = '\0';
    test_outlet_open();
    test_outlet_give((const char *const[]){large, NULL});
    assert_true(test_peer_accept(&p, &test_mmsc, TEST_PEER_PATIENCE_MS));
    assert_true(test_peer_read(&p, TEST_PEER_PATIENCE_MS));
    test_peer_reset(&p);
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_LATER);
    assert_int_equal(test_outlet.outcome.shows, MM7_SHOWS_ILL);
    free(large);
    test_outlet_close();
}

static void half_an_answer_is_none(void **state)
{
    struct test_peer p;

    test_outlet_open();
    test_outlet_give_one();
    test_mmsc_take(&p);
    test_peer_send(&p, STR("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 400\r\n"
                           "\r\n<?xml version=\"1.0\"?><Envelope>"));
    test_peer_close(&p);
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_SILENT);
    test_outlet_close();
}

static void what_is_not_answered_in_time_may_have_arrived(void **state)
{
    struct test_peer p;

    test_section.response_timeout_ms = 300;
    test_outlet_open();
    test_outlet_give_one();
    test_mmsc_take(&p);
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_SILENT);
    assert_int_equal(test_outlet.outcome.failure, FAILURE_UPSTREAM_TIMEOUT);
    test_peer_close(&p);
    test_outlet_close();
}

static void what_was_sent_when_it_is_aborted_may_have_arrived(void **state)
{
    struct test_peer p;

    test_outlet_open();
    test_outlet_give_one();
    test_mmsc_take(&p);
    test_outlet_abort();
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_SILENT);
    assert_true(test_peer_ends(&p));
    test_peer_close(&p);
    test_outlet_abort(); /* nothing is under way: nothing happens */
    test_outlet_give_one();
    test_mmsc_accept("2");
    test_outlet_until_told(2);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_TOOK);
    test_outlet_close();
}

static void closing_waits_for_what_is_under_way(void **state)
{
    struct test_peer p, q;

    test_outlet_open();
    test_outlet_give_one();
    test_outlet_give_one();
    test_mmsc_take(&p);
    test_mmsc_take(&q);
    test_outlet_begin_close();
    test_mmsc_say(&p, 1000, "1");
    test_outlet_until_told(1);
    assert_int_equal(test_outlet.closed, 0);
    test_mmsc_say(&q, 1000, "2");
    test_outlet_until_told(2);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_TOOK);
    test_outlet_until_closed();
    assert_true(test_peer_ends(&p) && test_peer_ends(&q));
    test_peer_close(&p);
    test_peer_close(&q);
}

static void and_can_be_hurried(void **state)
{
    struct test_peer p;

    test_outlet_open();
    test_outlet_give_one();
    test_mmsc_take(&p);
    test_outlet_begin_close();
    test_outlet_abort();
    test_outlet_until_closed();
    assert_int_equal(test_outlet.told, 1);
    assert_int_equal(test_outlet.outcome.outcome, CARRIER_SILENT);
    test_peer_close(&p);
}

static void what_is_under_way_at_the_end_goes_with_the_wire(void **state)
{
    struct test_peer p;

    test_outlet_open();
    test_outlet_give_one();
    test_mmsc_take(&p);
    test_wire_tear_down(state);
    test_peer_close(&p);
    assert_int_equal(test_outlet.told, 0);
    test_wire_set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WIRE_TEST(a_message_goes_out_whole),
        WIRE_TEST(addresses_have_the_form_that_it_wants),
        WIRE_TEST(without_its_files_it_does_not_go),
        WIRE_TEST(nobody_there_is_not_sent),
        WIRE_TEST(half_a_message_has_not_arrived),
        WIRE_TEST(half_an_answer_is_none),
        WIRE_TEST(what_is_not_answered_in_time_may_have_arrived),
        WIRE_TEST(what_was_sent_when_it_is_aborted_may_have_arrived),
        WIRE_TEST(closing_waits_for_what_is_under_way),
        WIRE_TEST(and_can_be_hurried),
        WIRE_TEST(what_is_under_way_at_the_end_goes_with_the_wire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
