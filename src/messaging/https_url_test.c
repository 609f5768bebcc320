#include "messaging/https_url.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void good_ones(void **state)
{
    static const char *const urls[] = {
        "https://example.com/cat.png",      "https://example.com",
        "HTTPS://Example.com:8443/a?b=c#d", "https://user:word@example.com/x",
        "https://[2001:db8::1]/x",          "https://[2001:db8::1]:443/x",
        "https://münchen.example/ü",        "https://1.2.3.4:/x",
        "https://example.com/?q=a@b:c",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        if (https_url_fault(str_of(urls[i])))
            fail_msg("%s %s", urls[i], https_url_fault(str_of(urls[i])));
}

static void bad_ones(void **state)
{
    static const char *const urls[] = {
        "",
        "example.com",
        "http://example.com/",
        "ftp://example.com/",
        "https:/example.com/",
        "https://",
        "https:///cat.png",
        "https://?q",
        "https://:443/",
        "https://user@/x",
        "https://exa mple.com/",
        "https://example.com/a b",
        "https://example.com/a\nhttps://b.example/",
        "https://example.com/\x7f",
        "https://example.com/\t",
        "https://example.com/\xff",
        "https://example.com:x/",
        "https://example.com:0/",
        "https://example.com:65536/",
        "https://[2001:db8::1/x",
        "https://[zz]/x",
        "https://[::1]x/",
        "https://-example.com/",
        "https://exam<ple.com/",
        "https://example.com\\/",
        "https://127.0.0.1\\@example.com/",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        if (!https_url_fault(str_of(urls[i])))
            fail_msg("%s passes", urls[i]);
    assert_non_null(https_url_fault(STR("https://example.com/\0x")));
}

static void length_is_counted_in_characters(void **state)
{
    char url[HTTPS_URL_MAX + 1];

    memset(url, 'a', sizeof url);
    memcpy(url, "https://", 8);
    assert_null(https_url_fault((struct str){url, HTTPS_URL_MAX}));
    assert_non_null(https_url_fault((struct str){url, HTTPS_URL_MAX + 1}));
    memcpy(url + 20, "\xc3\xbc", 2); /* two bytes, one character */
    assert_null(https_url_fault((struct str){url, HTTPS_URL_MAX + 1}));
}

static void the_host_of_one(void **state)
{
    static const char *const urls[][2] = {
        {"https://example.com", "example.com"},
        {"HTTP://Example.com:80/x@y", "Example.com"},
        {"https://user:word@example.com:8443?q", "example.com"},
        {"https://a@b@example.com#c", "example.com"},
        {"https://[2001:db8::1]:443/x", "[2001:db8::1]"},
        {"https://[::1]", "[::1]"},
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        assert_true(str_is(url_host(str_of(urls[i][0])), urls[i][1]));
}

static void one_number_for_a_host(void **state)
{
    uint32_t number = url_host_hash(STR("https://cdn.example/cat.jpg"));

    assert_int_equal(url_host_hash(STR("https://CDN.Example:8443/dog.jpg")), number);
    assert_int_equal(url_host_hash(STR("https://me@cdn.example./")), number);
    assert_int_not_equal(url_host_hash(STR("https://cdn2.example/cat.jpg")), number);
    assert_int_not_equal(url_host_hash(STR("https://[::1]/")),
                         url_host_hash(STR("https://[::2]/")));
    url_host_hash(STR(""));
}

static void plain_ones_where_they_are_wanted(void **state)
{
    assert_null(http_url_fault(STR("http://localhost:3000/x")));
    assert_null(http_url_fault(STR("https://example.com/")));
    assert_non_null(http_url_fault(STR("ftp://example.com/")));
    assert_non_null(http_url_fault(STR("http://")));
    assert_non_null(http_url_fault(STR("http://a b/")));
}

static void users(void **state)
{
    assert_true(url_has_user(STR("https://bob:word@cdn.example/x")));
    assert_true(url_has_user(STR("https://bob@cdn.example:8443")));
    assert_false(url_has_user(STR("https://cdn.example:8443/x@y?a@b")));
    assert_false(url_has_user(STR("http://[2001:db8::1]/#@")));
}

static void ports(void **state)
{
    assert_string_equal(https_url_fault(STR("https://127.0.0.1:99999/x")),
                        "must have a port from 1 to 65535 behind its host.");
    assert_string_equal(https_url_fault(STR("https://:80/x")), "must name a host after //.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_ones),
        cmocka_unit_test(bad_ones),
        cmocka_unit_test(the_host_of_one),
        cmocka_unit_test(one_number_for_a_host),
        cmocka_unit_test(plain_ones_where_they_are_wanted),
        cmocka_unit_test(length_is_counted_in_characters),
        cmocka_unit_test(users),
        cmocka_unit_test(ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
