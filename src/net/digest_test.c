#include "net/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void check(struct str bytes, const char *want)
{
    uint8_t out[DIGEST_SHA256_SIZE];
    char hex[2 * DIGEST_SHA256_SIZE + 1];

    digest_sha256(bytes, out);
    digest_hex(out, sizeof out, hex);
    assert_string_equal(hex, want);
}

/* The examples of FIPS 180-2, and the empty string. */
static void test_sha256(void **state)
{
    check(STR("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check((struct str){NULL, 0},
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void test_equal(void **state)
{
    assert_true(digest_equal("abcd", "abcd", 4));
    assert_false(digest_equal("abcd", "abce", 4));
    assert_false(digest_equal("abcd", "bbcd", 4));
    assert_true(digest_equal("abcd", "abce", 3));
    assert_true(digest_equal("a", "b", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
