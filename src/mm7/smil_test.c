#include "mm7/smil.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void check(bool has_text, const struct str *types, size_t count, const char *body)
{
    BUF_CLEANUP struct buf out;

    buf_init(&out, 1 << 16);
    smil_write(&out, has_text, types, count);
    assert_false(out.failed);
    buf_add_char(&out, '\0');
    const char *start = strstr(out.p, "<body>");
    assert_non_null(start);
    assert_string_equal(start, body);
    assert_non_null(strstr(out.p, "<region id=\"Image\""));
    assert_non_null(strstr(out.p, "<region id=\"Text\""));
    assert_ptr_equal(strstr(out.p, "<smil><head><layout>"), out.p);
}

static void each_file_has_a_page_and_the_text_is_on_the_first(void **state)
{
    const struct str types[] = {STR("image/jpeg"), STR("video/mp4"), STR("audio/AMR")};

    check(true, types, 3,
          "<body><par dur=\"5s\"><img src=\"cid:1.jpg\" region=\"Image\"/>"
          "<text src=\"cid:text.txt\" region=\"Text\"/></par>"
          "<par><video src=\"cid:2.mp4\" region=\"Image\"/></par>"
          "<par><audio src=\"cid:3.amr\"/></par></body></smil>");
    check(false, types, 1,
          "<body><par dur=\"5s\"><img src=\"cid:1.jpg\" region=\"Image\"/></par></body></smil>");
}

static void a_text_alone_has_a_page(void **state)
{
    check(true, NULL, 0,
          "<body><par dur=\"5s\"><text src=\"cid:text.txt\" region=\"Text\"/></par></body></smil>");
    check(false, NULL, 0, "<body><par dur=\"5s\"></par></body></smil>");
}

static void files_without_a_look_are_references(void **state)
{
    const struct str types[] = {STR("text/vcard"), STR("text/plain"), STR("application/x-any")};

    check(false, types, 3,
          "<body><par dur=\"5s\"><ref src=\"cid:1.vcf\" region=\"Image\"/></par>"
          "<par dur=\"5s\"><text src=\"cid:2.txt\" region=\"Text\"/></par>"
          "<par dur=\"5s\"><ref src=\"cid:3.bin\" region=\"Image\"/></par></body></smil>");
}

static void names_tell_the_type(void **state)
{
    static const struct {
        const char *type, *name;
    } rows[] = {
        {"image/jpeg", "7.jpg"},   {"IMAGE/PNG", "7.png"},  {"image/gif", "7.gif"},
        {"image/webp", "7.webp"},  {"video/3gpp", "7.3gp"}, {"audio/mpeg", "7.mp3"},
        {"text/x-vcard", "7.vcf"}, {"", "7.bin"},
    };
    char name[SMIL_NAME_SIZE];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        smil_name(7, str_of(rows[i].type), name);
        assert_string_equal(name, rows[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_has_a_page_and_the_text_is_on_the_first),
        cmocka_unit_test(a_text_alone_has_a_page),
        cmocka_unit_test(files_without_a_look_are_references),
        cmocka_unit_test(names_tell_the_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
