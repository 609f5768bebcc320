#include "smpp/message_id.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_answer(enum smpp_id_form form, const char *given, const char *wanted)
{
    struct smpp_id id;

    smpp_id_of_answer(form, str_of(given), &id);
    assert_string_equal(id.text, wanted);
}

/* `wanted`: the ways in their order, a space between. */
static void check_receipt(enum smpp_id_form form, const char *given, const char *wanted)
{
    struct smpp_id ids[SMPP_ID_WAYS];
    struct str rest = str_of(wanted);
    size_t count = smpp_id_of_receipt(form, str_of(given), ids);

    for (size_t i = 0; i < count; i++) {
        struct str way = str_cut(&rest, ' ');
        if (!str_is(way, ids[i].text))
            fail_msg("%s: %s where %.*s was wanted", given, ids[i].text, STR_FMT(way));
    }
    assert_int_equal(rest.n, 0);
    assert_true(count > 0 || !*wanted);
}

static void letters_and_zeros_make_no_difference(void **state)
{
    check_answer(SMPP_ID_AUTO, "A001", "a001");
    check_answer(SMPP_ID_AUTO, "0000040961", "40961");
    check_answer(SMPP_ID_AUTO, "00aB", "ab");
    check_answer(SMPP_ID_AUTO, "0000", "0");
    check_answer(SMPP_ID_AUTO, "0", "0");
    check_answer(SMPP_ID_AUTO, " 17 ", "17");
    check_answer(SMPP_ID_HEX_ANSWER, "0A", "a");
    check_answer(SMPP_ID_HEX_RECEIPT, "010", "10");
}

static void zeros_of_a_name_stay(void **state)
{
    check_answer(SMPP_ID_AUTO, "00-17", "00-17");
    check_answer(SMPP_ID_AUTO, "0f8fad5b-D9cb-469f-a165-70867728950e",
                 "0f8fad5b-d9cb-469f-a165-70867728950e");
    check_answer(SMPP_ID_AUTO, "0xyz", "0xyz");
}

static void as_text_means_to_the_letter(void **state)
{
    check_answer(SMPP_ID_TEXT, "00aB", "00aB");
    check_receipt(SMPP_ID_TEXT, "00aB", "00aB");
    check_receipt(SMPP_ID_TEXT, "40961", "40961");
}

static void an_empty_id_has_no_ways(void **state)
{
    struct smpp_id ids[SMPP_ID_WAYS];

    check_answer(SMPP_ID_AUTO, "", "");
    check_answer(SMPP_ID_AUTO, "  ", "");
    assert_int_equal(smpp_id_of_receipt(SMPP_ID_AUTO, STR(""), ids), 0);
    assert_int_equal(smpp_id_of_receipt(SMPP_ID_HEX_ANSWER, STR(" "), ids), 0);
}

static void auto_tries_as_written_then_the_other_base(void **state)
{
    check_receipt(SMPP_ID_AUTO, "40961", "40961 a001 264545");
    check_receipt(SMPP_ID_AUTO, "0000040961", "40961 a001 264545");
    check_receipt(SMPP_ID_AUTO, "A001", "a001 40961");
    check_receipt(SMPP_ID_AUTO, "5", "5"); /* the same in all */
    check_receipt(SMPP_ID_AUTO, "msg-5", "msg-5");
    check_receipt(SMPP_ID_AUTO, "0f8fad5b-d9cb-469f-a165-70867728950e",
                  "0f8fad5b-d9cb-469f-a165-70867728950e");
}

static void a_set_base_comes_first(void **state)
{
    check_answer(SMPP_ID_HEX_ANSWER, "A001", "a001");
    check_receipt(SMPP_ID_HEX_ANSWER, "0000040961", "a001 40961");
    check_receipt(SMPP_ID_HEX_ANSWER, "a001", "a001"); /* no decimal number */
    check_answer(SMPP_ID_HEX_RECEIPT, "40961", "40961");
    check_receipt(SMPP_ID_HEX_RECEIPT, "0000A001", "40961 a001");
    check_receipt(SMPP_ID_HEX_RECEIPT, "x-1", "x-1");
}

static void numbers_have_up_to_64_bits(void **state)
{
    check_receipt(SMPP_ID_AUTO, "18446744073709551615", "18446744073709551615 ffffffffffffffff");
    check_receipt(SMPP_ID_AUTO, "18446744073709551616", "18446744073709551616");
    check_receipt(SMPP_ID_AUTO, "FFFFFFFFFFFFFFFF", "ffffffffffffffff 18446744073709551615");
    check_receipt(SMPP_ID_AUTO, "0fFFFFFFFFFFFFFFF", "ffffffffffffffff 18446744073709551615");
    check_receipt(SMPP_ID_AUTO, "10000000000000000", "10000000000000000 2386f26fc10000");
}

static void odd_bytes_and_long_ids_are_bounded(void **state)
{
    char longest[SMPP_ID_MAX + 20];
    struct smpp_id id;

    smpp_id_of_answer(SMPP_ID_AUTO, STR("a\0b\xff c"), &id);
    assert_string_equal(id.text, "a?b??c");
    memset(longest, 'z', sizeof longest);
    smpp_id_of_answer(SMPP_ID_AUTO, (struct str){longest, sizeof longest}, &id);
    assert_int_equal(strlen(id.text), SMPP_ID_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_and_zeros_make_no_difference),
        cmocka_unit_test(zeros_of_a_name_stay),
        cmocka_unit_test(as_text_means_to_the_letter),
        cmocka_unit_test(an_empty_id_has_no_ways),
        cmocka_unit_test(auto_tries_as_written_then_the_other_base),
        cmocka_unit_test(a_set_base_comes_first),
        cmocka_unit_test(numbers_have_up_to_64_bits),
        cmocka_unit_test(odd_bytes_and_long_ids_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
