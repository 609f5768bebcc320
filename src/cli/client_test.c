/* What needs no server: which addresses are this machine's own. */
#include "cli/client.h"
#include "cli/forward.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_local_addresses(void **state)
{
    static const char *const local[] = {
        "http://localhost",        "https://LOCALHOST:8443/x", "http://app.localhost:3000/",
        "http://127.0.0.1?x=1",    "http://127.9.9.9:1/#y",    "http://[::1]:3000/hook",
        "http://user@localhost/x", "http://a:b@127.0.0.1:80",
    };
    static const char *const foreign[] = {
        "http://localhost.example.com/",
        "http://127.0.0.1.example.com/",
        "http://127.1.example.com",
        "http://128.0.0.1/",
        "http://127.1/",
        "http://localhost@example.com/",
        "http://localhost:80@example.com/",
        "http://example.com/@localhost",
        "http://example.com\\@localhost/",
        "http://notlocalhost/",
        "http://[::2]/",
        "http://[::1",
        "http://",
        "",
    };

    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        assert_true(client_url_is_local(str_of(local[i])));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_false(client_url_is_local(str_of(foreign[i])));
}

static void test_where_events_may_go(void **state)
{
    assert_null(forward_url_fault("http://localhost:3000/hook"));
    assert_null(forward_url_fault("https://example.com/hook"));
    assert_non_null(strstr(forward_url_fault("http://example.com/hook"), "this machine only"));
    assert_non_null(strstr(forward_url_fault("localhost:3000"), "must begin with"));
    assert_non_null(strstr(forward_url_fault("ftp://localhost/"), "must begin with"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_addresses),
        cmocka_unit_test(test_where_events_may_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
