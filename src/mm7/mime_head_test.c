#include "mm7/mime.h"

#include "mm7/test_mm7.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct mime_type type_of(const char *text)
{
    struct mime_type t;

    assert_int_equal(mime_type_read(&t, &arena, str_of(text)), 0);
    return t;
}

static void types_are_taken_apart(void **state)
{
    struct mime_type t = type_of("Multipart/Related; type=\"text/xml\"; start=\"<a@b>\"; "
                                 "boundary=_b_1; charset=UTF-8 ;name=\"x;\\\"y\\\".jpg\"");

    IS(t.type, "multipart/related");
    IS(t.boundary, "_b_1");
    IS(t.start, "a@b");
    IS(t.charset, "utf-8");
    IS(t.name, "x;\"y\".jpg");
    assert_true(mime_type_is_multipart(&t));
}

static void types_may_be_bare_or_odd(void **state)
{
    struct mime_type t = type_of(" text/XML ");

    IS(t.type, "text/xml");
    IS(t.boundary, "");
    assert_false(mime_type_is_multipart(&t));
    IS(type_of("").type, "");
    IS(type_of("a/b;;boundary").boundary, "");
    IS(type_of("a/b; flag; BOUNDARY = \"b c\" junk; start=x").boundary, "b c");
    IS(type_of("a/b; flag; BOUNDARY = \"b c\" junk; start=x").start, "x");
    IS(type_of("a/b; boundary=\"open").boundary, "open");
    IS(type_of("a/b; boundary=\"\\").boundary, "\\");
    IS(type_of("a/b; boundary=1; boundary=2").boundary, "1");
    IS(type_of("multipart/related;\tboundary=x=y").boundary, "x=y");
}

static void heads_are_cut_off(void **state)
{
    static const struct {
        const char *bytes, *head, *rest;
    } rows[] = {
        {"A: 1\r\nB: 2\r\n\r\nbody\r\n", "A: 1\r\nB: 2\r\n", "body\r\n"},
        {"A: 1\n\n\nbody", "A: 1\n", "\nbody"},
        {"\r\nbody", "", "body"},
        {"\n", "", ""},
        {"A: 1", "A: 1", ""},
        {"A: 1\r\n", "A: 1\r\n", ""},
        {"", "", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str rest = str_of(rows[i].bytes);
        IS(mime_cut_head(&rest), rows[i].head);
        IS(rest, rows[i].rest);
    }
}

static void fields_are_found(void **state)
{
    struct str head = STR("A: one\r\ncontent-ID :<x>\nFolded: a;\r\n\tb;\r\n  c\r\nEmpty:\r\n"
                          "no colon\r\n  goes on\r\nA: two\r\nLast:  l ");

    IS(mime_field(&arena, head, "a"), "one");
    IS(mime_field(&arena, head, "Content-Id"), "<x>");
    IS(mime_field(&arena, head, "LAST"), "l");
    IS(mime_field(&arena, head, "Empty"), "");
    IS(mime_field(&arena, head, "goes on"), "");
    IS(mime_field(&arena, head, "None"), "");
    struct str folded = mime_field(&arena, head, "folded");
    IS(mime_parameter(&arena, STR("x; y=1;  z=2"), "z"), "2");
    assert_null(memchr(folded.p, '\n', folded.n));
    assert_true(str_starts(folded, STR("a;")) && folded.p[folded.n - 1] == 'c');
}

static void ids_are_bare(void **state)
{
    static const char *const forms[] = {"<a@b>",   " <a@b> ",   "a@b",
                                        "cid:a@b", "CID:<a@b>", "< a@b >"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        IS(mime_id(str_of(forms[i])), "a@b");
    IS(mime_id(STR("")), "");
    IS(mime_id(STR("<")), "");
    IS(mime_id(STR("<>")), "");
}

static void full_arenas_are_told(void **state)
{
    struct arena small;
    struct mime_type t;

    arena_init(&small, 1);
    assert_int_equal(mime_type_read(&t, &small, STR("text/xml")), -ENOMEM);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(types_are_taken_apart), CASE(types_may_be_bare_or_odd),
        CASE(heads_are_cut_off),     CASE(fields_are_found),
        CASE(ids_are_bare),          CASE(full_arenas_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
