#include "smpp/pdu_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void put_and_found(void **state)
{
    BUF_CLEANUP struct buf out;
    struct smpp_pdu pdu = {0};
    struct str value = STR("as before");
    uint32_t number = 99;

    buf_init(&out, 1000);
    smpp_tlv_put_u16(&out, SMPP_TAG_SAR_REFERENCE, 0x1234);
    smpp_tlv_put_u8(&out, SMPP_TAG_SAR_TOTAL, 0xfe);
    smpp_tlv_put(&out, SMPP_TAG_RECEIPTED_MESSAGE_ID, STR("A001"));
    smpp_tlv_put(&out, SMPP_TAG_MESSAGE_PAYLOAD, STR(""));
    assert_int_equal(out.n, 6 + 5 + 8 + 4);
    assert_memory_equal(out.p, "\x02\x0c\0\2\x12\x34\x02\x0e\0\1\xfe\0\x1e\0\4A001\x04\x24\0", 23);
    pdu.tlvs = buf_str(&out);
    assert_true(smpp_tlv_number(&pdu, SMPP_TAG_SAR_REFERENCE, &number));
    assert_int_equal(number, 0x1234);
    assert_true(smpp_tlv_number(&pdu, SMPP_TAG_SAR_TOTAL, &number));
    assert_int_equal(number, 0xfe);
    assert_false(smpp_tlv_find(&pdu, SMPP_TAG_SAR_NUMBER, &value));
    assert_true(str_is(value, "as before"));
    assert_true(smpp_tlv_find(&pdu, SMPP_TAG_RECEIPTED_MESSAGE_ID, &value));
    assert_true(str_is(value, "A001"));
    assert_true(smpp_tlv_text(&pdu, SMPP_TAG_MESSAGE_PAYLOAD, &value));
    assert_int_equal(value.n, 0);
}

static void numbers_have_one_two_or_four_bytes(void **state)
{
    struct smpp_pdu pdu = {.tlvs = STR("\0\1\0\4\xff\xfe\xfd\xfc\0\2\0\3"
                                       "123\0\3\0\0\0\4\0\2\0\7")};
    uint32_t number = 99;

    assert_true(smpp_tlv_number(&pdu, 1, &number));
    assert_int_equal(number, 0xfffefdfc);
    assert_true(smpp_tlv_number(&pdu, 4, &number));
    assert_int_equal(number, 7);
    assert_false(smpp_tlv_number(&pdu, 2, &number));
    assert_false(smpp_tlv_number(&pdu, 3, &number));
    assert_false(smpp_tlv_number(&pdu, 5, &number));
    assert_int_equal(number, 7);
}

static void texts_come_with_and_without_their_nul(void **state)
{
    struct smpp_pdu pdu = {.tlvs = STR("\0\1\0\4A001\0\2\0\5A001\0\0\3\0\6A001\0\0\0\4\0\1\0")};
    struct str text;

    for (uint16_t tag = 1; tag <= 3; tag++) {
        assert_true(smpp_tlv_text(&pdu, tag, &text));
        assert_true(str_is(text, "A001"));
    }
    assert_true(smpp_tlv_text(&pdu, 4, &text));
    assert_int_equal(text.n, 0);
    assert_false(smpp_tlv_text(&pdu, 5, &text));
}

static void the_first_of_several_counts(void **state)
{
    struct smpp_pdu pdu = {.tlvs = STR("\0\1\0\1\1\0\1\0\1\2")};
    uint32_t number;

    assert_true(smpp_tlv_number(&pdu, 1, &number));
    assert_int_equal(number, 1);
}

static void nothing_is_found_in_nothing(void **state)
{
    const struct smpp_pdu pdu = {0};
    struct str value;

    assert_false(smpp_tlv_find(&pdu, 0, &value));
}

static void too_long_values_make_the_buffer_fail(void **state)
{
    static const char zeros[UINT16_MAX + 1];
    BUF_CLEANUP struct buf out;

    buf_init(&out, 1 << 20);
    smpp_tlv_put(&out, 1, (struct str){zeros, UINT16_MAX});
    assert_false(out.failed);
    assert_int_equal(out.n, 4 + UINT16_MAX);
    smpp_tlv_put(&out, 1, (struct str){zeros, UINT16_MAX + 1});
    assert_true(out.failed);
    assert_int_equal(out.n, 4 + UINT16_MAX);
}

/* ---- the table against the facts ---- */

static const struct {
    uint16_t tag;
    const char *name, *kind;
} table[] = {
#define X(name, tag, word, kind) {tag, #word, #kind},
#include "smpp/tlv.def"
#undef X
};

enum { COUNT = sizeof table / sizeof *table };

static size_t find(uint16_t tag)
{
    size_t i = 0;

    while (i < COUNT && table[i].tag != tag)
        i++;
    return i;
}

/* Two tags have two names each; the first is ours. A parameter that holds a phone number is not
 * shown as the text that it is. */
static void fact_agrees(uint16_t tag, struct str name, struct str type)
{
    static const struct str elsewhere[] = {STR("failed_broadcast_area_identifier"),
                                           STR("alert_on_msg_delivery")};
    size_t i = find(tag);

    assert_true(i < COUNT);
    if (str_eq(name, elsewhere[0]) || str_eq(name, elsewhere[1]))
        return;
    assert_true(str_is(name, table[i].name));
    const char *kind = str_starts(type, STR("int"))               ? "NUMBER"
                       : str_is(type, "buffer")                   ? "BYTES"
                       : str_is(name, "dest_addr_np_information") ? "BYTES"
                                                                  : "TEXT";
    assert_string_equal(table[i].kind, kind);
}

static void parameters_are_those_of_the_facts(void **state)
{
    static char line[512];
    char path[512];
    unsigned rows = 0;

    snprintf(path, sizeof path, "%s/tests/data/smpp_tlvs.csv", getenv("SKYLARK_SOURCE"));
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the headings */
    while (fgets(line, sizeof line, f)) {
        struct str rest = str_trim(str_of(line));
        struct str tag = str_cut(&rest, ',');
        struct str name = str_cut(&rest, ',');
        fact_agrees((uint16_t)strtoul(tag.p, NULL, 16), name, str_cut(&rest, ','));
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, COUNT + 2);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(find(table[i].tag), i); /* no tag twice */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(put_and_found),
        cmocka_unit_test(numbers_have_one_two_or_four_bytes),
        cmocka_unit_test(texts_come_with_and_without_their_nul),
        cmocka_unit_test(the_first_of_several_counts),
        cmocka_unit_test(nothing_is_found_in_nothing),
        cmocka_unit_test(too_long_values_make_the_buffer_fail),
        cmocka_unit_test(parameters_are_those_of_the_facts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
