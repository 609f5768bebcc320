#include "store/origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *url, const char *wanted)
{
    char out[ORIGIN_MAX];
    size_t n = origin_of(str_of(url), out);

    assert_int_equal(n, strlen(wanted));
    assert_memory_equal(out, wanted, n);
}

static void test_origins(void **state)
{
    check("https://example.com", "https://example.com");
    check("HTTPS://Example.COM/Path", "https://example.com");
    check("https://example.com:443/", "https://example.com");
    check("https://example.com:8443?x#y", "https://example.com:8443");
    check("https://me:secret@example.com/", "https://example.com");
    check("https://example.com/me@other.example", "https://example.com");
    check("https://[2001:db8::443]:443/", "https://[2001:db8::443]");
    check("https://[2001:db8::1]/", "https://[2001:db8::1]");
    check("http://localhost:80/", "http://localhost");
    check("http://localhost:443/", "http://localhost:443");
}

static void test_addresses_without(void **state)
{
    char url[400] = "https://", out[ORIGIN_MAX];

    check("", "");
    check("https:/", "");
    check("https://", "");
    check("https:///path", "");
    check("ftp://example.com", "");
    memset(url + 8, 'a', 312);
    assert_int_equal(origin_of((struct str){url, 320}, out), 320);
    memset(url + 8, 'a', 313);
    assert_int_equal(origin_of((struct str){url, 321}, out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_addresses_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
