#include "carriers/mm7_text.h"

#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;

static int set_up(void **state)
{
    arena_init(&arena, 16 << 20);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static struct mm7_part text(const char *charset, struct str bytes)
{
    return (struct mm7_part){.type = STR("text/plain"), .charset = str_of(charset), .bytes = bytes};
}

static void test_alphabets(void **state)
{
    static const struct {
        const char *charset;
        struct str bytes;
        const char *text; /* NULL: no text that can be read here */
    } cases[] = {
        {"", STR("caf\xc3\xa9"), "caf\xc3\xa9"},
        {"utf-8", STR("caf\xc3\xa9"), "caf\xc3\xa9"},
        {"us-ascii", STR("cafe"), "cafe"},
        {"iso-8859-1", STR("caf\xe9"), "caf\xc3\xa9"},
        {"windows-1252", STR("\x80 5, \x93so\x94 \x96 caf\xe9"),
         "\xe2\x82\xac 5, \xe2\x80\x9cso\xe2\x80\x9d \xe2\x80\x93 caf\xc3\xa9"},
        {"cp1252", STR("\x8a\x9a\x9f"), "\xc5\xa0\xc5\xa1\xc5\xb8"},
        {"iso-8859-1", STR("\x92"), "\xe2\x80\x99"}, /* as everybody means it */
        {"windows-1252", STR("a\x81\x8d\x8f\x90\x9d"), "a     "},
        {"utf-16", STR("\0h\0i"), "hi"},
        {"utf-16", STR("\xff\xfeh\0i\0"), "hi"},
        {"utf-16", STR("\xfe\xff\0h\0i"), "hi"},
        {"utf-16le", STR("h\0i\0"), "hi"},
        {"utf-16be", STR("\xd8\x3d\xdc\x4b"), "\xf0\x9f\x91\x8b"},
        {"utf-16be", STR("\xd8\x3d\0h"), "\xef\xbf\xbdh"},
        {"utf-16be", STR("\0hx"), "h"}, /* half a letter */
        {"", STR("caf\xe9"), NULL},
        {"utf-8", STR("caf\xe9"), NULL},
        {"shift_jis", STR("\x82\xb1"), NULL},
        {"shift_jis", STR("STOP\r\n"), "STOP\n"},
        {"iso-8859-15", STR("cafe"), "cafe"},
        {"iso-8859-15", STR("caf\xc3\xa9"), NULL}, /* UTF-8 by chance */
        {"iso-2022-jp", STR("\x1b$B$O$$\x1b(B"), NULL},
        {"utf-32", STR("H\0\0\0i\0\0\0"), NULL},
        {"utf-7", STR("caf+AOk-"), NULL},
        {"hz-gb-2312", STR("~{VPND~}"), NULL},
        {"utf-8", STR("\xef\xbb\xbfSTOP"), "STOP"},
        {"", STR("\xef\xbb\xbf"), ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mm7_part p = text(cases[i].charset, cases[i].bytes);
        assert_int_equal(mm7_text_is(&p), cases[i].text != NULL);
        struct str joined = mm7_text_join(&arena, &p, 1);
        assert_true(str_is(joined, cases[i].text ? cases[i].text : ""));
    }
}

static void test_control_characters(void **state)
{
    static const struct {
        struct str bytes;
        const char *text, *line;
    } cases[] = {
        {STR("one\ntwo\tthree"), "one\ntwo\tthree", "one two three"},
        {STR("one\r\ntwo\rthree\r\r\n"), "one\ntwo\nthree\n\n", "one two three  "},
        {STR("a\0b\x01\x1b[31mc\x7f"), "a b  [31mc ", "a b  [31mc "},
        {STR("a\xc2\x85\xc2\x9f\xc2\xa0"), "a  \xc2\xa0", "a  \xc2\xa0"},
        {STR(""), "", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mm7_part p = text("", cases[i].bytes);
        assert_true(str_is(mm7_text_join(&arena, &p, 1), cases[i].text));
        assert_true(str_is(mm7_text_line(&arena, cases[i].bytes, 100), cases[i].line));
    }
}

static void test_joined(void **state)
{
    struct mm7_part parts[] = {text("", STR("one\r")),
                               text("", STR("")),
                               {.type = STR("image/png"), .bytes = STR("x")},
                               text("", STR("caf\xe9")),
                               text("utf-16", STR("\0i"))};

    assert_true(str_is(mm7_text_join(&arena, parts, 5), "one\n\ni"));
    assert_true(str_is(mm7_text_join(&arena, parts, 0), ""));
}

/* At the end of a character, however many bytes it has. */
static void test_front(void **state)
{
    static char room[MM7_TEXT_SHOWN + 4];

    memset(room, 'x', sizeof room);
    for (size_t before = MM7_TEXT_SHOWN - 4; before <= MM7_TEXT_SHOWN; before++) {
        struct str all = {room, before + 4};
        memcpy(room + before, "\xf0\x9f\x91\x8b", 4);
        struct str front = mm7_text_front(all);
        assert_int_equal(front.n, before + 4 <= MM7_TEXT_SHOWN ? before + 4 : before);
        assert_true(utf8_valid(front));
        memset(room, 'x', sizeof room);
    }
    assert_true(str_is(mm7_text_front(STR("short")), "short"));
}

static void test_line_of_whole_characters(void **state)
{
    assert_true(str_is(mm7_text_line(&arena, STR("caf\xc3\xa9s"), 6), "caf\xc3\xa9s"));
    assert_true(str_is(mm7_text_line(&arena, STR("caf\xc3\xa9s"), 5), "caf\xc3\xa9"));
    assert_true(str_is(mm7_text_line(&arena, STR("caf\xc3\xa9s"), 4), "caf"));
}

/* Bytes that become three: what is kept has its ceiling, and takes no more memory than it has. */
static void test_much(void **state)
{
    enum { SIZE = MM7_TEXT_MAX / 3 + 1000 };
    char *euros = malloc(SIZE);

    assert_non_null(euros);
    memset(euros, '\x80', SIZE);
    struct mm7_part p = text("windows-1252", (struct str){euros, SIZE});
    struct str joined = mm7_text_join(&arena, &p, 1);
    assert_int_equal(joined.n, MM7_TEXT_MAX / 3 * 3);
    assert_true(utf8_valid(joined));
    assert_true(arena.total < MM7_TEXT_MAX + (64 << 10));
    free(euros);
}

static void test_short_of_memory(void **state)
{
    struct mm7_part p = text("", STR("x"));
    struct arena none;

    arena_init(&none, 0);
    assert_null(mm7_text_join(&none, &p, 1).p);
    assert_null(mm7_text_line(&none, STR("x"), 10).p);
    arena_done(&none);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_alphabets),       CASE(test_control_characters),       CASE(test_joined),
        CASE(test_front),           CASE(test_line_of_whole_characters), CASE(test_much),
        CASE(test_short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
