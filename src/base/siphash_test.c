#include "base/siphash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const uint8_t key[SIPHASH_KEY_SIZE] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void assert_hash(struct siphash *s, const char *wanted)
{
    uint8_t hash[SIPHASH_SIZE];
    char hex[2 * SIPHASH_SIZE + 1];

    siphash_done(s, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(hex, wanted);
}

/* The authors' vectors: of the bytes 0, 1, 2 … as many as the row's number. */
static const char *const published[] = {
    "a3817f04ba25a8e66df67214c7550293", "da87c1d86b99af44347659119b22fc45",
    "8177228da4a45dc7fca38bdef60affe4", "9c70b60c5267a94e5f33b6b02985ed51",
    "f88164c12d9c8faf7d0f6e7c7bcd5579", "1368875980776f8854527a07690e9627",
    "14eeca338b208613485ea0308fd7a15e", "a1f1ebbed8dbc153c0b84aa61ff08239",
    "3b62a9ba6258f5610f83e264f31497b4", "264499060ad9baabc47f8b02bb6d71ed",
    "00110dc378146956c95447d3f3d0fbba", "0151c568386b6677a2b4dc6f81e5dc18",
    "d626b266905ef35882634df68532c125", "9869e247e9c08b10d029934fc4b952f7",
    "31fcefac66d7de9c7ec7485fe4494902", "5493e99933b0a8117e08ec0f97cfc3d9",
    "6ee2a4ca67b054bbfd3315bf85230577",
};

static void the_published_vectors(void **state)
{
    uint8_t bytes[16];
    struct siphash s;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (size_t n = 0; n < sizeof published / sizeof *published; n++) {
        siphash_init(&s, key);
        siphash_bytes(&s, bytes, n);
        assert_hash(&s, published[n]);
    }
}

/* However the bytes come, they come to the same. */
static void in_pieces(void **state)
{
    uint8_t bytes[16];
    struct siphash s;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    for (size_t cut = 0; cut <= 16; cut++)
        for (size_t end = cut; end <= 16; end++) {
            siphash_init(&s, key);
            siphash_bytes(&s, bytes, cut);
            siphash_bytes(&s, bytes + cut, end - cut);
            siphash_bytes(&s, bytes + end, 16 - end);
            assert_hash(&s, published[16]);
        }
}

static void numbers_are_eight_bytes(void **state)
{
    struct siphash s;

    siphash_init(&s, key);
    siphash_bytes(&s, "\0\1\2", 3);
    siphash_u64(&s, 0x0a09080706050403);
    assert_hash(&s, published[11]);
}

static void texts_stay_apart(void **state)
{
    uint8_t hashes[3][SIPHASH_SIZE];
    static const struct str parts[3][2] = {
        {{"ab", 2}, {"c", 1}}, {{"a", 1}, {"bc", 2}}, {{"abc", 3}, {NULL, 0}}};
    struct siphash s;

    for (size_t i = 0; i < 3; i++) {
        siphash_init(&s, key);
        siphash_text(&s, parts[i][0]);
        siphash_text(&s, parts[i][1]);
        siphash_done(&s, hashes[i]);
    }
    assert_memory_not_equal(hashes[0], hashes[1], SIPHASH_SIZE);
    assert_memory_not_equal(hashes[0], hashes[2], SIPHASH_SIZE);
    assert_memory_not_equal(hashes[1], hashes[2], SIPHASH_SIZE);
}

static void the_key_counts(void **state)
{
    uint8_t other[SIPHASH_KEY_SIZE] = {0}, a[SIPHASH_SIZE], b[SIPHASH_SIZE];
    struct siphash s;

    siphash_init(&s, key);
    siphash_done(&s, a);
    siphash_init(&s, other);
    siphash_done(&s, b);
    assert_memory_not_equal(a, b, SIPHASH_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_vectors),   cmocka_unit_test(in_pieces),
        cmocka_unit_test(numbers_are_eight_bytes), cmocka_unit_test(texts_stay_apart),
        cmocka_unit_test(the_key_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
