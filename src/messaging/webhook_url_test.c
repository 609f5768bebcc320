#include "messaging/webhook_url.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct arena arena;
static struct problem problem;
static struct address_guard *strict, *open;

static struct address_guard *guard_with(const char *allow, bool localhost)
{
    struct address_guard_options options = {.allow = allow, .allow_localhost = localhost};
    struct address_guard *g;
    char why[ADDRESS_WHY_SIZE];

    assert_int_equal(address_guard_new(&g, &options, why), 0);
    return g;
}

static int set_up(void **state)
{
    arena_init(&arena, 1 << 16);
    strict = guard_with("", false);
    open = guard_with("10.0.0.0/8", true);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    address_guard_free(strict);
    address_guard_free(open);
    return 0;
}

static bool check(const char *url, const struct address_guard *guard)
{
    problem = (struct problem){0};
    return webhook_url_check(str_of(url), "url", guard, &arena, &problem);
}

static void assert_refused(const char *url, const struct address_guard *guard)
{
    if (check(url, guard))
        fail_msg("%s passes", url);
    assert_int_equal(problem.code, PROBLEM_INVALID_WEBHOOK_URL);
    assert_string_equal(problem.field, "url");
}

static void https_to_anybody_out_there(void **state)
{
    static const char *const urls[] = {
        "https://example.com/hook", "https://example.com:8443/a?b=c", "HTTPS://Example.com",
        "https://93.184.216.34/x",  "https://[2606:4700::1111]:443",  "https://bücher.example/",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        if (!check(urls[i], strict))
            fail_msg("%s: %s", urls[i], problem.message);
        assert_true(check(urls[i], open));
    }
}

/* Whoever lists webhooks, or reads the log, would read it. */
static void no_users_and_passwords(void **state)
{
    assert_refused("https://user:word@example.com/hook", strict);
    assert_refused("https://user@example.com/hook", open);
    assert_refused("http://user:word@localhost:8080/hook", open);
    assert_string_equal(problem.message,
                        "url must not have a user name or password, which others would see; "
                        "requests are signed, so check their signature instead.");
}

static void what_is_no_https_address(void **state)
{
    static const char *const urls[] = {
        "",           "example.com",           "ftp://example.com/",  "https://",
        "https:///x", "https://exa mple.com/", "http://example.com/", "http://10.0.0.1/",
        "http://",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        assert_refused(urls[i], strict);
        assert_refused(urls[i], open);
    }
    check("http://example.com/", open);
    assert_string_equal(problem.message, "url must start with https://.");
}

/* In every form in which somebody could write them. */
static void no_way_into_the_operators_network(void **state)
{
    static const char *const urls[] = {
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.0.0.1/",
        "https://017700000001/",
        "https://0177.0.0.1/",
        "https://0/",
        "https://0.0.0.0:443/",
        "https://10.0.0.5/",
        "https://172.16.0.1/",
        "https://192.168.1.1:8443/x",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:a00:1]/",
        "https://[fe80::1]/",
        "https://[fd00::1]:8443/x",
        "https://[2002:7f00:1::]/",
        "https://[64:ff9b::10.0.0.1]/",
        "https://localhost/",
        "https://LOCALHOST:8443/x",
        "https://a.localhost/",
        "https://localhost./",
        "https://user@127.0.0.1/",
        "https://example.com@127.0.0.1/",
        "https://127.0.0.1\\@example.com/",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        assert_refused(urls[i], strict);
    check("https://10.0.0.5/", strict);
    assert_string_equal(problem.message,
                        "url must lead to the public internet, and 10.0.0.5 is a private address. "
                        "The operator of this service can let it through (webhooks.allow, "
                        "webhooks.allow_localhost).");
}

static void what_the_operator_lets_through(void **state)
{
    assert_true(check("https://10.0.0.5/", open));
    assert_refused("https://192.168.1.1/", open);
    assert_refused("https://169.254.169.254/", open);
}

static void for_development_plain_to_localhost(void **state)
{
    static const char *const urls[] = {"http://localhost:3000/hook", "http://127.0.0.1:3000/",
                                       "http://[::1]:3000/", "https://localhost/",
                                       "HTTP://a.localhost/"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        if (!check(urls[i], open))
            fail_msg("%s: %s", urls[i], problem.message);
        assert_refused(urls[i], strict);
    }
    assert_false(check("http://localhost:3000/", strict));
    assert_non_null(strstr(problem.message, "https://"));
    assert_non_null(strstr(problem.message, "webhooks listen"));
    assert_non_null(strstr(problem.message, "webhooks.allow_localhost"));
    assert_false(check("http://example.com/", strict));
    assert_null(strstr(problem.message, "localhost"));
    assert_refused("http://localhost:3000/a b", open);
    assert_refused("http://localhost:x/", open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(https_to_anybody_out_there),
        cmocka_unit_test(no_users_and_passwords),
        cmocka_unit_test(what_is_no_https_address),
        cmocka_unit_test(no_way_into_the_operators_network),
        cmocka_unit_test(what_the_operator_lets_through),
        cmocka_unit_test(for_development_plain_to_localhost),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
