#include "net/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* What was heard, as "id|type|data;" for each event. */
static char heard[2048];
static int wanted;

static bool take(void *context, const struct sse_event *e)
{
    size_t n = strlen(heard);

    snprintf(heard + n, sizeof heard - n, "%.*s|%.*s|%.*s;", STR_FMT(e->id), STR_FMT(e->type),
             STR_FMT(e->data));
    return --wanted != 0;
}

static enum sse_result read_pieces(struct str bytes, size_t piece, size_t max)
{
    struct sse s SSE_CLEANUP;
    enum sse_result r = SSE_MORE;

    heard[0] = '\0';
    sse_init(&s, max, take, NULL);
    for (; bytes.n; bytes = str_skip(bytes, piece < bytes.n ? piece : bytes.n))
        r = sse_feed(&s, (struct str){bytes.p, piece < bytes.n ? piece : bytes.n});
    return r;
}

/* Wherever it is cut, it means the same. */
static void check(const char *text, const char *want)
{
    for (size_t piece = 1; piece <= strlen(text); piece++) {
        wanted = -1;
        assert_int_equal(read_pieces(str_of(text), piece, 1000), SSE_MORE);
        assert_string_equal(heard, want);
    }
}

static void test_events(void **state)
{
    check("id: evt_1\nevent: message.sent\ndata: {\"a\":1}\n\n", "evt_1|message.sent|{\"a\":1};");
    check("data: a\n\nid: 7\ndata: b\n\ndata: c\n\n", "|message|a;7|message|b;7|message|c;");
    check("data: one\ndata:two\ndata\n\n", "|message|one\ntwo\n;");
    check("data:  two spaces\n\n", "|message| two spaces;");
}

static void test_line_ends(void **state)
{
    check("data: a\r\n\r\ndata: b\r\n\r\n", "|message|a;|message|b;");
    check("data: a\r\rdata: b\r\r", "|message|a;|message|b;");
    check("data: a\n\r\ndata: b\r\n\n", "|message|a;|message|b;");
}

static void test_what_is_not_told(void **state)
{
    check(": heartbeat\n\n: heartbeat\n\n", "");
    check("event: lonely\n\ndata: x\n\n", "|message|x;"); /* without data it is no event */
    check("id: 5\n\ndata: x\n\n", "5|message|x;");        /* but its id counts */
    check("data: not ended\n", "");
    check("retry: 10\nunknown: x\nwithout colon\n:\n", "");
}

static void test_empty_data_is_an_event(void **state)
{
    check("data:\n\n", "|message|;");
}

static void test_byte_order_mark(void **state)
{
    check("\xef\xbb\xbf"
          "data: a\n\n",
          "|message|a;");
    check("data: a\n\n\xef\xbb\xbf"
          "data: b\n\n",
          "|message|a;");
}

static void test_ids_that_are_none(void **state)
{
    static const char zero[] = "id: 1\ndata: a\n\nid: 2\0"
                               "3\ndata: b\n\n";
    char text[SSE_WORD_MAX + 64];

    wanted = -1;
    read_pieces((struct str){zero, sizeof zero - 1}, 5, 1000);
    assert_string_equal(heard, "1|message|a;1|message|b;");
    snprintf(text, sizeof text, "id: %0*d\ndata: a\n\n", SSE_WORD_MAX + 1, 0);
    check(text, "|message|a;");
    check("id: 1\nid:\ndata: a\n\n", "|message|a;");
}

static void test_enough(void **state)
{
    wanted = 1;
    assert_int_equal(read_pieces(STR("data: a\n\ndata: b\n\n"), 3, 1000), SSE_ENOUGH);
    assert_string_equal(heard, "|message|a;");
}

static void test_too_long(void **state)
{
    wanted = -1;
    assert_int_equal(read_pieces(STR("data: 12345678901234567890\n\ndata: b\n\n"), 4, 16),
                     SSE_TOO_LONG);
    assert_string_equal(heard, "");
    /* Of many lines together, too. */
    assert_int_equal(read_pieces(STR("data: 123456\ndata: 123456\ndata: 123456\n\n"), 64, 16),
                     SSE_TOO_LONG);
    assert_string_equal(heard, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),           cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_what_is_not_told), cmocka_unit_test(test_empty_data_is_an_event),
        cmocka_unit_test(test_byte_order_mark),  cmocka_unit_test(test_ids_that_are_none),
        cmocka_unit_test(test_enough),           cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
