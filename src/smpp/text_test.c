#include "smpp/text.h"

#include "base/utf8.h"
#include "smpp/udh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void check_written(enum smpp_alphabet alphabet, const char *text, unsigned fill,
                          struct str wanted)
{
    struct buf BUF_CLEANUP out;

    buf_init(&out, 1000);
    assert_true(smpp_text_encode(alphabet, str_of(text), fill, &out));
    if (!str_eq(buf_str(&out), wanted))
        fail_msg("'%s' in alphabet %d is written otherwise", text, (int)alphabet);
}

static void check_foreign(enum smpp_alphabet alphabet, const char *text)
{
    struct buf BUF_CLEANUP out;
    size_t units;

    buf_init(&out, 1000);
    buf_text(&out, "before");
    assert_false(smpp_text_measure(alphabet, str_of(text), &units));
    assert_false(smpp_text_encode(alphabet, str_of(text), 0, &out));
    assert_true(str_is(buf_str(&out), "before"));
    assert_false(out.failed);
}

static void gsm_has_one_septet_in_an_octet(void **state)
{
    check_written(SMPP_GSM, "a@{€Ç", 0, STR("a\x00\x1b\x28\x1b\x65\x09"));
    check_written(SMPP_GSM, "", 0, STR(""));
    check_foreign(SMPP_GSM, "fa\xc3\xa7"
                            "ade"); /* only the capital has a cedilla */
    check_foreign(SMPP_GSM, "\xe2\x80\x99");
}

static void packed_gsm_has_eight_septets_in_seven_octets(void **state)
{
    check_written(SMPP_GSM_PACKED, "hellohello", 0, STR("\xe8\x32\x9b\xfd\x46\x97\xd9\xec\x37"));
    check_written(SMPP_GSM_PACKED, "a", 0, STR("a"));
    check_written(SMPP_GSM_PACKED, "€", 0, STR("\x9b\x32"));
    check_foreign(SMPP_GSM_PACKED, "\xd0\x9f");
}

static void packed_gsm_begins_behind_the_fill_bits(void **state)
{
    check_written(SMPP_GSM_PACKED, "a", 1, STR("\xc2"));
    check_written(SMPP_GSM_PACKED, "a", 2, STR("\x84\x1b"));
    check_written(SMPP_GSM_PACKED, "a", 6, STR("\x40\x18"));
    check_written(SMPP_GSM_PACKED, "", 1, STR(""));
}

static void seven_bits_that_are_left_are_a_carriage_return(void **state)
{
    check_written(SMPP_GSM_PACKED, "1234567", 0, STR("\x31\xd9\x8c\x56\xb3\xdd\x1a"));
    check_written(SMPP_GSM_PACKED, "12345678", 0, STR("\x31\xd9\x8c\x56\xb3\xdd\x70"));
    /* behind a narrow header */
    check_written(SMPP_GSM_PACKED, "123456", 1, STR("\x62\xb2\x19\xad\x66\x03"));
    check_written(SMPP_GSM_PACKED, "12345678", 1, STR("\x62\xb2\x19\xad\x66\xbb\xe1\x1a"));
}

static void a_carriage_return_at_the_edge_looks_like_filling(void **state)
{
    assert_true(smpp_text_ends_like_filling(SMPP_GSM_PACKED, STR("1234567\r"), 0));
    assert_false(smpp_text_ends_like_filling(SMPP_GSM_PACKED, STR("12345678"), 0));
    assert_false(smpp_text_ends_like_filling(SMPP_GSM_PACKED, STR("123456\r"), 0));
    assert_true(smpp_text_ends_like_filling(SMPP_GSM_PACKED, STR("\r"), 1));
    assert_false(smpp_text_ends_like_filling(SMPP_GSM_PACKED, STR("1234567\r"), 1));
    assert_false(smpp_text_ends_like_filling(SMPP_GSM_PACKED, STR(""), 0));
    assert_false(smpp_text_ends_like_filling(SMPP_GSM, STR("1234567\r"), 0));
}

static void latin1_is_an_octet_for_a_character(void **state)
{
    check_written(SMPP_LATIN1, "fa\xc3\xa7\xc3\xbf@", 0, STR("fa\xe7\xff@"));
    check_foreign(SMPP_LATIN1, "€");
    check_foreign(SMPP_LATIN1, "\xc4\x80");
}

static void ascii_is_what_can_be_printed(void **state)
{
    check_written(SMPP_ASCII, "a@{}~ \r\n\t", 0, STR("a@{}~ \r\n\t"));
    check_foreign(SMPP_ASCII, "\xc3\xa9");
    check_foreign(SMPP_ASCII, "\x11"); /* peers would take it for a '_' of GSM */
    check_foreign(SMPP_ASCII, "\x7f");
}

static void ucs2_has_pairs(void **state)
{
    check_written(SMPP_UCS2, "a\xd0\x9f", 0, STR("\x00\x61\x04\x1f"));
    check_written(SMPP_UCS2, "\xf0\x9f\x98\x80", 0, STR("\xd8\x3d\xde\x00"));
    check_written(SMPP_UCS2, "\xf4\x8f\xbf\xbf", 0, STR("\xdb\xff\xdf\xff"));
    check_written(SMPP_UCS2, "\xef\xbf\xbf", 0, STR("\xff\xff"));
}

static void bytes_that_are_not_utf8_fit_nowhere(void **state)
{
    for (enum smpp_alphabet alphabet = SMPP_GSM; alphabet <= SMPP_UCS2; alphabet++)
        check_foreign(alphabet, "ok\xff");
}

static void check_units(enum smpp_alphabet alphabet, const char *text, size_t wanted)
{
    size_t units;

    assert_true(smpp_text_measure(alphabet, str_of(text), &units));
    assert_int_equal(units, wanted);
}

static void units_are_what_parts_are_measured_in(void **state)
{
    check_units(SMPP_GSM, "a€", 3);
    check_units(SMPP_GSM_PACKED, "a€", 3);
    check_units(SMPP_LATIN1, "aé", 2);
    check_units(SMPP_ASCII, "abc", 3);
    check_units(SMPP_UCS2, "a😀", 3);
    check_units(SMPP_GSM, "", 0);
}

static void a_full_buffer_fails(void **state)
{
    struct buf BUF_CLEANUP out;

    buf_init(&out, 4);
    assert_false(smpp_text_encode(SMPP_GSM, STR("too much for it"), 0, &out));
}

static void each_alphabet_has_its_data_coding(void **state)
{
    assert_int_equal(smpp_text_coding(SMPP_GSM), 0);
    assert_int_equal(smpp_text_coding(SMPP_GSM_PACKED), 0);
    assert_int_equal(smpp_text_coding(SMPP_LATIN1), 3);
    assert_int_equal(smpp_text_coding(SMPP_ASCII), 1);
    assert_int_equal(smpp_text_coding(SMPP_UCS2), 8);
}

/* Every character that an alphabet has is read as what was written, behind any fill. */
static void every_character_comes_back(void **state)
{
    static const unsigned wanted[] = {137, 137, 256, 98, 0x110000 - 0x800};

    for (enum smpp_alphabet alphabet = SMPP_GSM; alphabet <= SMPP_UCS2; alphabet++) {
        unsigned known = 0;
        for (int32_t point = 0; point <= 0x10ffff; point++) {
            char text[2 * UTF8_MAX];
            struct str s = {text, utf8_encode(point, text)};
            size_t units;
            if (!smpp_text_measure(alphabet, s, &units))
                continue;
            known++;
            text[s.n++] = '.'; /* a carriage return at the edge would be lost */
            struct buf BUF_CLEANUP octets, back;
            buf_init(&octets, 100);
            buf_init(&back, 100);
            assert_true(smpp_text_encode(alphabet, s, (unsigned)point % 7, &octets));
            smpp_text_decode(alphabet, buf_str(&octets), (unsigned)point % 7, &back);
            if (!str_eq(buf_str(&back), s))
                fail_msg("U+%04X in alphabet %d", (unsigned)point, (int)alphabet);
        }
        assert_int_equal(known, wanted[alphabet]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gsm_has_one_septet_in_an_octet),
        cmocka_unit_test(packed_gsm_has_eight_septets_in_seven_octets),
        cmocka_unit_test(packed_gsm_begins_behind_the_fill_bits),
        cmocka_unit_test(seven_bits_that_are_left_are_a_carriage_return),
        cmocka_unit_test(a_carriage_return_at_the_edge_looks_like_filling),
        cmocka_unit_test(latin1_is_an_octet_for_a_character),
        cmocka_unit_test(ascii_is_what_can_be_printed),
        cmocka_unit_test(ucs2_has_pairs),
        cmocka_unit_test(bytes_that_are_not_utf8_fit_nowhere),
        cmocka_unit_test(units_are_what_parts_are_measured_in),
        cmocka_unit_test(a_full_buffer_fails),
        cmocka_unit_test(each_alphabet_has_its_data_coding),
        cmocka_unit_test(every_character_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
