/* Messages from handsets, with a real store behind them. */
#include "messaging/inbound.h"
#include "store/test_store.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct store *store;
static struct store_reader *reader;
static struct optouts *optouts;
static struct arena arena;
static struct problem problem;
static struct send_context context;

static int set_up(void **state)
{
    arena_init(&arena, 1 << 20);
    store = test_store_open(&clock_real);
    optouts = optouts_new(store_secret(store));
    context = (struct send_context){.account = 1, .mode = MODE_TEST, .routing = &routing_test};
    problem = (struct problem){0};
    return store_reader_open(store, &reader);
}

static int tear_down(void **state)
{
    optouts_free(optouts);
    store_reader_close(reader);
    test_store_close(store);
    arena_done(&arena);
    return 0;
}

static bool compose(const char *from, const char *to, const char *text, struct message *ret)
{
    struct inbound_request r = {
        .from = str_of(from), .to = str_of(to), .text = str_of(text), .has_to = to != NULL};
    return inbound_compose(&r, &context, &arena, ret, &problem);
}

/* The whole way; what its keyword changed. */
static enum keyword_wish receive(const char *from, const char *text, struct message *ret)
{
    enum keyword_wish wish;

    assert_true(compose(from, NULL, text, ret));
    assert_int_equal(store_begin(store), 0);
    assert_int_equal(store_end(store, inbound_accept(store, ret, &arena, &wish)), 0);
    inbound_done(optouts, ret, wish);
    return wish;
}

static bool is_out(const char *number)
{
    struct opt_out_record o;
    bool stored = store_opt_out_get(reader, 1, MODE_TEST, str_of(number), &arena, &o) == 0;

    assert_int_equal(optouts_has(optouts, 1, MODE_TEST, str_of(number)), stored);
    return stored;
}

/* "" or the only event's sentence. */
static const char *event_of(int64_t message, enum event_kind kind)
{
    struct event_record *events;
    size_t count;

    assert_int_equal(store_event_list(reader, message, &arena, &events, &count), 0);
    if (count == 0)
        return "";
    assert_int_equal(count, 1);
    assert_int_equal(events[0].kind, kind);
    return arena_copy(&arena, events[0].detail).p;
}

/* ---- composing ---- */

static void comes_to_the_sender_that_would_write(void **state)
{
    struct message m;

    assert_true(compose("+15551234567", NULL, "Hello", &m));
    assert_true(str_is(m.from, "+15551234567"));
    assert_true(str_is(m.to, "+18005551234"));
    assert_int_equal(m.number_type, NUMBER_TOLL_FREE);
    assert_int_equal(m.coverage, COVERAGE_HIGH);
    assert_int_equal(m.reason, REASON_SMART);
    assert_int_equal(m.direction, DIRECTION_INBOUND);
    assert_int_equal(m.status, STATUS_RECEIVED);
    assert_int_equal(m.kind, KIND_SMS);
    assert_int_equal(m.calling_code, 1);
    assert_int_equal(m.cost_micros, 0);
    assert_string_equal(m.currency, "USD");
    assert_int_equal(m.segments, 1);
    assert_int_equal(m.encoding, ENCODING_GSM7);
    assert_true(compose("+447700900456", NULL, "Hello", &m));
    assert_true(str_is(m.to, "+447700900123"));
}

static void comes_to_the_sender_that_is_named(void **state)
{
    struct message m;

    assert_true(compose("+15551234567", "+447700900123", "Hello", &m));
    assert_true(str_is(m.to, "+447700900123"));
    assert_int_equal(m.reason, REASON_USER);
    assert_int_equal(m.coverage, COVERAGE_MEDIUM);
    assert_true(compose("+15551234567", "+18005551234", "Hello", &m));
    assert_int_equal(m.coverage, COVERAGE_HIGH);
}

static void what_cannot_be_is_refused(void **state)
{
    static const struct {
        const char *from, *to, *text;
        enum problem_code code;
        const char *field;
    } table[] = {
        {"0123", NULL, "Hello", PROBLEM_INVALID_PHONE_NUMBER, "from"},
        {"Skylark", NULL, "Hello", PROBLEM_INVALID_PHONE_NUMBER, "from"},
        {"+15551234567", "+15550000000", "Hello", PROBLEM_INVALID_PARAMETER, "to"},
        {"+15551234567", "", "Hello", PROBLEM_INVALID_PARAMETER, "to"},
        {"+15551234567", "Skylark", "Hello", PROBLEM_INVALID_PARAMETER, "to"},
        {"+15551234567", NULL, "", PROBLEM_TEXT_REQUIRED, "text"},
        {"+15551234567", NULL, "\xff", PROBLEM_INVALID_PARAMETER, "text"},
    };
    struct message m;

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_false(compose(table[i].from, table[i].to, table[i].text, &m));
        assert_int_equal(problem.code, table[i].code);
        assert_string_equal(problem.field, table[i].field);
    }
}

/* ---- keywords ---- */

static void a_message_without_keyword_changes_nothing(void **state)
{
    struct message m, read;

    assert_int_equal(receive("+15551234567", "stop it", &m), KEYWORD_NONE);
    assert_false(is_out("+15551234567"));
    assert_string_equal(event_of(m.id, EVENT_OPTED_OUT), "");
    assert_int_equal(receive("+15551234567", "help", &m), KEYWORD_NONE);
    assert_int_equal(store_message_get(reader, 1, MODE_TEST, m.id, &arena, &read), 0);
    assert_int_equal(read.status, STATUS_RECEIVED);
    assert_int_equal(read.direction, DIRECTION_INBOUND);
    assert_true(str_is(read.text, "help"));
}

/* The newest notice tells this of the message. */
static bool is_told(int64_t message, enum notice_kind kind)
{
    const struct notice_query newest = {.limit = 1};
    struct notice_record *n;
    size_t count;

    assert_int_equal(store_notice_list(reader, 1, MODE_TEST, &newest, &arena, &n, &count), 0);
    return count == 1 && n[0].message == message && n[0].kind == kind;
}

static void stop_adds_and_start_removes(void **state)
{
    struct opt_out_record o;
    struct message m;

    assert_int_equal(receive("+15551234567", " Stop ", &m), KEYWORD_OPT_OUT);
    assert_true(is_out("+15551234567"));
    assert_false(is_out("+15551234568"));
    assert_string_equal(event_of(m.id, EVENT_OPTED_OUT),
                        "The word STOP put the number on the opt-out list.");
    assert_true(is_told(m.id, NOTICE_OPT_OUT));
    assert_int_equal(store_opt_out_get(reader, 1, MODE_TEST, m.from, &arena, &o), 0);
    assert_int_equal(o.source, OPT_OUT_BY_KEYWORD);
    assert_true(str_is(o.keyword, "STOP"));

    assert_int_equal(receive("+15551234567", "start", &m), KEYWORD_OPT_IN);
    assert_false(is_out("+15551234567"));
    assert_string_equal(event_of(m.id, EVENT_OPTED_IN),
                        "The word START took the number off the opt-out list.");
    assert_true(is_told(m.id, NOTICE_OPT_IN));
}

static void again_is_no_change(void **state)
{
    struct message m;

    assert_int_equal(receive("+15551234567", "yes", &m), KEYWORD_NONE);
    assert_string_equal(event_of(m.id, EVENT_OPTED_IN), "");
    receive("+15551234567", "stop", &m);
    assert_int_equal(receive("+15551234567", "quit", &m), KEYWORD_NONE);
    assert_string_equal(event_of(m.id, EVENT_OPTED_OUT), "");
    assert_true(is_told(m.id, NOTICE_RECEIVED));
    assert_true(is_out("+15551234567"));
}

#define INBOUND_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INBOUND_TEST(comes_to_the_sender_that_would_write),
        INBOUND_TEST(comes_to_the_sender_that_is_named),
        INBOUND_TEST(what_cannot_be_is_refused),
        INBOUND_TEST(a_message_without_keyword_changes_nothing),
        INBOUND_TEST(stop_adds_and_start_removes),
        INBOUND_TEST(again_is_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
