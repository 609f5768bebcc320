#include "media/media_words.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_url(const char *url, const char *want)
{
    char out[MEDIA_URL_SHOWN];

    media_url_shown(str_of(url), out);
    assert_string_equal(out, want);
}

static void test_urls_hide_what_may_be_secret(void **state)
{
    check_url("https://cdn.example/cat.jpg", "https://cdn.example/cat.jpg");
    check_url("https://cdn.example:8443/a/b.png?token=secret#x",
              "https://cdn.example:8443/a/b.png");
    check_url("https://user:secret@cdn.example/cat.jpg", "https://cdn.example/cat.jpg");
    check_url("https://user:secret@cdn.example?a=@b", "https://cdn.example");
    check_url("https://cdn.example/a@b/c", "https://cdn.example/a@b/c");
    check_url("https://cdn.example#user:x@y", "https://cdn.example");
    check_url("", "");
}

static void test_long_urls_are_cut(void **state)
{
    char url[2048] = "https://cdn.example/", out[MEDIA_URL_SHOWN];

    memset(url + 20, 'a', sizeof url - 21);
    media_url_shown(str_of(url), out);
    assert_int_equal(strlen(out), 200 + strlen("…"));
    assert_memory_equal(out, url, 200);
    for (size_t i = 20; i + 1 < sizeof url - 1; i += 2)
        memcpy(url + i, "ü", 2);
    media_url_shown(str_of(url), out);
    assert_true(strlen(out) <= 200 + strlen("…"));
    assert_memory_equal(out + strlen(out) - 3, "…", 3);
}

static void check_detail(const char *why, const char *want)
{
    char out[MEDIA_DETAIL_SIZE];

    media_detail(out, 2, 3, STR("https://cdn.example/cat.jpg?x"), why);
    assert_string_equal(out, want);
}

static void test_sentences(void **state)
{
    check_detail("the server answered 404",
                 "Media 2 of 3 (https://cdn.example/cat.jpg): the server answered 404.");
    check_detail("The name cdn.example is not found.",
                 "Media 2 of 3 (https://cdn.example/cat.jpg): the name cdn.example is not found.");
    check_detail("10.0.0.1 is private.",
                 "Media 2 of 3 (https://cdn.example/cat.jpg): 10.0.0.1 is private.");
}

static void test_statuses(void **state)
{
    char why[MEDIA_WHY_SIZE];

    media_why_status(why, 404);
    assert_string_equal(why, "the server answered 404");
    media_why_status(why, 302);
    assert_string_equal(why, "the server answered 302: it redirects, and redirects are not "
                             "followed; give the address it leads to");
}

static void test_sizes(void **state)
{
    char why[MEDIA_WHY_SIZE];

    media_why_large(why, 7000000, true, 5000000);
    assert_string_equal(why, "it has at least 7000000 bytes, and the media of a message may have "
                             "5000000 together");
    media_why_large(why, 7000000, false, 5000000);
    assert_string_equal(why, "with it the media of the message have at least 7000000 bytes, and "
                             "they may have 5000000 together");
}

static void check_type(enum sniff_verdict verdict, enum media_kind kind, const char *said,
                       const char *want)
{
    struct sniffed s = {verdict, kind};
    char why[MEDIA_WHY_SIZE];

    media_why_type(why, &s, str_of(said));
    assert_string_equal(why, want);
}

static void test_types(void **state)
{
    char why[MEDIA_WHY_SIZE];

    check_type(SNIFF_UNKNOWN, MEDIA_TEXT, "application/pdf; x=y",
               "its content is of no type that can be sent; the server calls it application/pdf");
    check_type(SNIFF_UNKNOWN, MEDIA_TEXT, "",
               "its content is of no type that can be sent; the server calls it nothing");
    check_type(SNIFF_UNKNOWN, MEDIA_TEXT, "a\x1b[31m",
               "its content is of no type that can be sent; the server calls it a");
    check_type(SNIFF_PAGE, MEDIA_TEXT, "text/html", "it is a web page, not a media file");
    check_type(SNIFF_CONTRADICTED, MEDIA_JPEG, "video/mp4",
               "its content is image/jpeg, but the server calls it video/mp4");
    check_type(SNIFF_NOT_SAID, MEDIA_VCARD, "",
               "its content looks like text, but the server does not call it text/x-vcard");
    media_why_kind(why, MEDIA_WEBP);
    assert_string_equal(why, "the carrier does not take image/webp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urls_hide_what_may_be_secret),
        cmocka_unit_test(test_long_urls_are_cut),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
