#include "store/terms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const uint8_t secret[16] = {1, 2, 3}, other_secret[16] = {3, 2, 1};

static int64_t to(const char *text)
{
    return term_of(TERM_TO, str_of(text), secret);
}

/* What is on disk: a change here would lose every message in an index that was written before. */
static void test_numbers_stand_for_themselves(void **state)
{
    assert_int_equal(to("+12025550100"), (INT64_C(2) << 60) + 12025550100);
    assert_int_equal(term_of(TERM_FROM, STR("+999999999999999"), other_secret),
                     (INT64_C(3) << 60) + 999999999999999);
    assert_int_equal(term_alone(TERM_ANY), 0);
    assert_int_equal(term_alone(TERM_INBOUND), INT64_C(1) << 60);
}

/* All others are apart from numbers and from each other, and no two alike. */
static void test_other_texts_are_hashed(void **state)
{
    static const char *const texts[] = {
        "12025550100", "+012025550100", "+1202555010a",         "+", "", "SKYLARK",
        "skylark",     "+1 2",          "+12345678901234567890"};
    enum { TEXTS = sizeof texts / sizeof *texts };

    for (size_t i = 0; i < TEXTS; i++) {
        assert_true(to(texts[i]) >> 60 == TERM_TO);
        assert_true(to(texts[i]) & INT64_C(1) << 59);
        assert_int_equal(to(texts[i]), to(texts[i]));
        assert_int_not_equal(to(texts[i]), term_of(TERM_TO, str_of(texts[i]), other_secret));
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(to(texts[i]), to(texts[k]));
    }
    assert_true(term_of(TERM_TAG, STR("+12025550100"), secret) & INT64_C(1) << 59);
}

static void test_terms_of_a_message(void **state)
{
    struct message m = {.direction = DIRECTION_OUTBOUND,
                        .from = STR("SKYLARK"),
                        .to = STR("+12025550100"),
                        .tags = STR("a\nb c\na")};
    int64_t terms[TERMS_MAX];

    assert_int_equal(message_terms(&m, secret, terms), 5); /* a tag counts once */
    assert_int_equal(terms[0], term_alone(TERM_ANY));
    assert_true(terms_have(terms, 5, to("+12025550100")));
    assert_true(terms_have(terms, 5, term_of(TERM_FROM, STR("SKYLARK"), secret)));
    assert_true(terms_have(terms, 5, term_of(TERM_TAG, STR("a"), secret)));
    assert_true(terms_have(terms, 5, term_of(TERM_TAG, STR("b c"), secret)));
    assert_false(terms_have(terms, 5, term_of(TERM_TAG, STR("b"), secret)));
    assert_false(terms_have(terms, 5, term_alone(TERM_INBOUND)));
    m.direction = DIRECTION_INBOUND;
    m.tags = (struct str){0};
    assert_int_equal(message_terms(&m, secret, terms), 4);
    assert_true(terms_have(terms, 4, term_alone(TERM_INBOUND)));
}

/* More tags than anybody may give do not run over. */
static void test_many_tags(void **state)
{
    char text[400];
    int64_t terms[TERMS_MAX];
    size_t n = 0;

    for (int i = 0; i < 60; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", i ? "\n" : "", i);
    struct message m = {.direction = DIRECTION_INBOUND, .tags = {text, n}};
    assert_int_equal(message_terms(&m, secret, terms), TERMS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_stand_for_themselves),
        cmocka_unit_test(test_other_texts_are_hashed),
        cmocka_unit_test(test_terms_of_a_message),
        cmocka_unit_test(test_many_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
