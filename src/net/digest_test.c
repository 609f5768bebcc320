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

/* However it is cut; and another one with the same handle. */
static void test_piece_by_piece(void **state)
{
    static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    struct digest *d = digest_new();
    uint8_t whole[DIGEST_SHA256_SIZE], pieces[DIGEST_SHA256_SIZE];

    assert_non_null(d);
    digest_sha256(STR(text), whole);
    for (size_t cut = 0; cut < sizeof text; cut++) {
        digest_add(d, (struct str){text, cut});
        digest_add(d, (struct str){NULL, 0});
        digest_add(d, str_skip(STR(text), cut));
        digest_take(d, pieces);
        assert_memory_equal(pieces, whole, sizeof whole);
    }
    digest_add(d, STR("left behind"));
    digest_free(d);
    digest_free(NULL);
}

static void check_hmac(struct str key, struct str data, const char *want)
{
    uint8_t out[DIGEST_SHA256_SIZE];
    char hex[2 * DIGEST_SHA256_SIZE + 1];

    /* Whole, and cut in every place: the parts make no difference. */
    for (size_t cut = 0; cut <= data.n; cut++) {
        struct str parts[] = {{data.p, cut}, {NULL, 0}, str_skip(data, cut)};

        digest_hmac_sha256(key, parts, 3, out);
        digest_hex(out, sizeof out, hex);
        assert_string_equal(hex, want);
    }
}

static struct str repeat(char *room, int byte, size_t n)
{
    memset(room, byte, n);
    return (struct str){room, n};
}

/* The test cases 1 to 4, 6 and 7 of RFC 4231. */
static void test_hmac(void **state)
{
    char key[131], data[50], counted[25];

    check_hmac(repeat(key, 0x0b, 20), STR("Hi There"),
               "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    check_hmac(STR("Jefe"), STR("what do ya want for nothing?"),
               "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    check_hmac(repeat(key, 0xaa, 20), repeat(data, 0xdd, 50),
               "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    for (size_t i = 0; i < sizeof counted; i++)
        counted[i] = (char)(i + 1);
    check_hmac((struct str){counted, sizeof counted}, repeat(data, 0xcd, 50),
               "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    check_hmac(repeat(key, 0xaa, 131),
               STR("Test Using Larger Than Block-Size Key - Hash Key First"),
               "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    check_hmac(repeat(key, 0xaa, 131),
               STR("This is a test using a larger than block-size key and a larger than block-size "
                   "data. The key needs to be hashed before being used by the HMAC algorithm."),
               "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
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
        cmocka_unit_test(test_piece_by_piece),
        cmocka_unit_test(test_hmac),
        cmocka_unit_test(test_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
