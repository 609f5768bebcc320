#include "carriers/smpp_submit.h"

#include "messaging/validity.h"
#include "smpp/udh.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct smpp_manner usual = {
    .data_coding = -1,
    .number_ton = 1,
    .number_npi = 1,
    .name_ton = 5,
    .short_ton = 3,
    .recipient_ton = 1,
    .recipient_npi = 1,
    .registered_delivery = 1,
    .service_type = "",
};

static struct smpp_submission made;

static struct message message_of(struct str text)
{
    return (struct message){
        .kind = KIND_SMS,
        .from = STR("+15551234567"),
        .to = STR("+447700900123"),
        .number_type = NUMBER_LOCAL,
        .text = text,
        .created_us = INT64_C(1794704523000000), /* 2026-11-15T01:02:03Z */
    };
}

/* What goes over the wire is read back: a PDU that cannot be written shows here. */
static struct smpp_pdu wire(unsigned part)
{
    static char bytes[SMPP_PDU_MAX];
    struct smpp_pdu read;
    struct buf BUF_CLEANUP out;

    assert_true(part < made.count);
    buf_init(&out, SMPP_PDU_MAX);
    assert_int_equal(smpp_encode(&made.pdus[part], &out), 0);
    memcpy(bytes, out.p, out.n);
    assert_int_equal(smpp_decode((struct str){bytes, out.n}, &read), 0);
    assert_int_equal(read.command, SMPP_SUBMIT_SM);
    return read;
}

static void make(const struct smpp_manner *manner, struct message m)
{
    assert_int_equal(smpp_submit_make(&made, manner, &m, 0x1234), 0);
}

static void make_text(const struct smpp_manner *manner, const char *text)
{
    make(manner, message_of(str_of(text)));
}

static struct str repeated(const char *text, unsigned times)
{
    static char all[8000];
    size_t n = strlen(text);

    assert_true(n * times <= sizeof all);
    for (unsigned i = 0; i < times; i++)
        memcpy(all + i * n, text, n);
    return (struct str){all, n * times};
}

static bool has(const struct smpp_pdu *pdu, uint16_t tag)
{
    struct str value;

    return smpp_tlv_find(pdu, tag, &value);
}

static unsigned number(const struct smpp_pdu *pdu, uint16_t tag)
{
    uint32_t value = UINT32_MAX;

    assert_true(smpp_tlv_number(pdu, tag, &value));
    return value;
}

/* ---- addresses ---- */

static void check_address(const struct smpp_address *a, unsigned ton, unsigned npi,
                          const char *digits)
{
    assert_int_equal(a->ton, ton);
    assert_int_equal(a->npi, npi);
    assert_true(str_is(a->digits, digits));
}

static void numbers_go_without_their_plus(void **state)
{
    make_text(&usual, "hello");
    struct smpp_pdu pdu = wire(0);
    check_address(&pdu.source, 1, 1, "15551234567");
    check_address(&pdu.destination, 1, 1, "447700900123");
}

static struct smpp_pdu sent_from(const char *sender, enum number_type type)
{
    struct message m = message_of(STR("hello"));

    m.from = str_of(sender);
    m.number_type = type;
    make(&usual, m);
    return wire(0);
}

static void ton_and_npi_are_those_of_the_senders_kind(void **state)
{
    struct smpp_pdu pdu = sent_from("+18005551234", NUMBER_TOLL_FREE);
    check_address(&pdu.source, 1, 1, "18005551234");
    pdu = sent_from("Skylark", NUMBER_ALPHANUMERIC);
    check_address(&pdu.source, 5, 0, "Skylark");
    pdu = sent_from("12345", NUMBER_SHORT_CODE);
    check_address(&pdu.source, 3, 0, "12345");
}

/* '@' is 0 in GSM and would cut the address short. */
static void a_name_has_no_at_sign(void **state)
{
    struct smpp_pdu pdu = sent_from("me@home", NUMBER_ALPHANUMERIC);
    check_address(&pdu.source, 5, 0, "me?home");
    pdu = sent_from("Caf\xc3\xa9", NUMBER_ALPHANUMERIC);
    check_address(&pdu.source, 5, 0, "Caf?");
}

static void addresses_that_are_too_long_are_refused(void **state)
{
    struct message m = message_of(STR("hello"));

    m.from = STR("123456789012345678901");
    assert_int_equal(smpp_submit_make(&made, &usual, &m, 1), -EINVAL);
    m = message_of(STR("hello"));
    m.to = STR("+123456789012345678901");
    assert_int_equal(smpp_submit_make(&made, &usual, &m, 1), -EINVAL);
    m.to = STR("+");
    assert_int_equal(smpp_submit_make(&made, &usual, &m, 1), -EINVAL);
    assert_int_equal(made.count, 0);
}

/* ---- other fields ---- */

static void validity_is_absolute_and_in_utc(void **state)
{
    struct message m = message_of(STR("hello"));

    make(&usual, m);
    assert_true(str_is(wire(0).validity, "261115050203000+")); /* VALIDITY_DEFAULT_S later */
    m.validity_s = 90;
    make(&usual, m);
    assert_true(str_is(wire(0).validity, "261115010333000+"));
    m.scheduled_us = m.created_us + INT64_C(86400000000);
    make(&usual, m);
    assert_true(str_is(wire(0).validity, "261116010333000+"));
}

static void settings_of_the_carrier_are_followed(void **state)
{
    struct smpp_manner manner = usual;

    manner.esm_class = 3;
    manner.registered_delivery = 0x11;
    manner.service_type = "CMT";
    manner.data_coding = 0xf0;
    make_text(&manner, "hello");
    struct smpp_pdu pdu = wire(0);
    assert_int_equal(pdu.esm_class, 3);
    assert_int_equal(pdu.registered_delivery, 0x11);
    assert_true(str_is(pdu.service_type, "CMT"));
    assert_int_equal(pdu.data_coding, 0xf0);
    assert_int_equal(pdu.tlvs.n, 0);
    assert_int_equal(pdu.schedule_time.n, 0);
    /* what goes as UCS-2 says so, whatever the setting */
    make_text(&manner, "\xd0\x9f");
    assert_int_equal(wire(0).data_coding, 8);
}

static void media_are_not_for_smpp(void **state)
{
    struct message m = message_of(STR("hello"));

    m.kind = KIND_MMS;
    assert_int_equal(smpp_submit_make(&made, &usual, &m, 1), -EINVAL);
}

static void what_is_not_utf8_is_refused(void **state)
{
    struct message m = message_of(STR("a\xff"));

    assert_int_equal(smpp_submit_make(&made, &usual, &m, 1), -EINVAL);
}

/* ---- alphabets ---- */

static void check_text(enum smpp_alphabet alphabet, const char *text, unsigned data_coding,
                       struct str octets)
{
    struct smpp_manner manner = usual;

    manner.alphabet = alphabet;
    make_text(&manner, text);
    struct smpp_pdu pdu = wire(0);
    assert_int_equal(made.count, 1);
    assert_int_equal(pdu.data_coding, data_coding);
    assert_true(str_eq(pdu.short_message, octets));
}

static void texts_go_in_the_carriers_alphabet(void **state)
{
    check_text(SMPP_GSM, "@€", 0, STR("\0\x1b\x65"));
    check_text(SMPP_GSM_PACKED, "hellohello", 0, STR("\xe8\x32\x9b\xfd\x46\x97\xd9\xec\x37"));
    check_text(SMPP_LATIN1, "@\xc3\xa7", 3, STR("@\xe7"));
    check_text(SMPP_ASCII, "@{", 1, STR("@{"));
    check_text(SMPP_UCS2, "@", 8, STR("\0@"));
}

static void what_it_cannot_write_goes_as_ucs2(void **state)
{
    check_text(SMPP_GSM, "a\xd0\x9f", 8, STR("\0a\x04\x1f"));
    check_text(SMPP_GSM, "\xc3\xa7", 8, STR("\0\xe7"));
    check_text(SMPP_GSM_PACKED, "\xf0\x9f\x98\x80", 8, STR("\xd8\x3d\xde\0"));
    check_text(SMPP_LATIN1, "€", 8, STR("\x20\xac"));
    check_text(SMPP_ASCII, "\xc3\xa9", 8, STR("\0\xe9"));
}

/* Packed, it would be taken for the filling. */
static void a_carriage_return_at_the_very_end_goes_as_ucs2(void **state)
{
    check_text(SMPP_GSM_PACKED, "1234567\r", 8, STR("\0001\0002\0003\0004\0005\0006\0007\0\r"));
    check_text(SMPP_GSM_PACKED, "\r", 0, STR("\r"));
}

/* ---- long texts ---- */

static void check_long(enum smpp_alphabet alphabet, enum smpp_long_text way, struct str text,
                       unsigned parts, size_t first)
{
    struct smpp_manner manner = usual;

    manner.alphabet = alphabet;
    manner.long_text = way;
    make(&manner, message_of(text));
    assert_int_equal(made.count, parts);
    assert_int_equal(wire(0).short_message.n, first);
}

static void rooms_of_gsm(void **state)
{
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("a", 160), 1, 160);
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("a", 161), 2, 6 + 153);
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("a", 306), 2, 6 + 153);
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("a", 307), 3, 6 + 153);
    check_long(SMPP_GSM, SMPP_LONG_UDH16, repeated("a", 304), 2, 7 + 152);
    check_long(SMPP_GSM, SMPP_LONG_UDH16, repeated("a", 305), 3, 7 + 152);
    check_long(SMPP_GSM, SMPP_LONG_SAR, repeated("a", 306), 2, 153);
    check_long(SMPP_GSM_PACKED, SMPP_LONG_UDH8, repeated("a", 160), 1, 140);
    check_long(SMPP_GSM_PACKED, SMPP_LONG_UDH8, repeated("a", 306), 2, 140);
    check_long(SMPP_GSM_PACKED, SMPP_LONG_UDH16, repeated("a", 304), 2, 140);
    check_long(SMPP_GSM_PACKED, SMPP_LONG_SAR, repeated("a", 306), 2, 134);
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("€", 81), 2, 6 + 152); /* pairs stay whole */
}

static void rooms_of_octets(void **state)
{
    check_long(SMPP_LATIN1, SMPP_LONG_UDH8, repeated("\xc3\xa7", 140), 1, 140);
    check_long(SMPP_LATIN1, SMPP_LONG_UDH8, repeated("\xc3\xa7", 141), 2, 140);
    check_long(SMPP_LATIN1, SMPP_LONG_UDH8, repeated("\xc3\xa7", 268), 2, 140);
    check_long(SMPP_LATIN1, SMPP_LONG_UDH8, repeated("\xc3\xa7", 269), 3, 140);
    check_long(SMPP_ASCII, SMPP_LONG_UDH16, repeated("a", 266), 2, 140);
    check_long(SMPP_ASCII, SMPP_LONG_UDH16, repeated("a", 267), 3, 140);
    check_long(SMPP_ASCII, SMPP_LONG_SAR, repeated("a", 268), 2, 134);
}

static void rooms_of_ucs2(void **state)
{
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("\xd0\x9f", 70), 1, 140);
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("\xd0\x9f", 71), 2, 140);
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("\xd0\x9f", 134), 2, 140);
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("\xd0\x9f", 135), 3, 140);
    check_long(SMPP_UCS2, SMPP_LONG_UDH16, repeated("a", 132), 2, 7 + 132);
    check_long(SMPP_UCS2, SMPP_LONG_UDH16, repeated("a", 133), 3, 7 + 132);
    check_long(SMPP_UCS2, SMPP_LONG_SAR, repeated("a", 134), 2, 134);
    /* 67 units, and a pair stays whole */
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("\xf0\x9f\x98\x80", 36), 2, 6 + 132);
}

static void parts_with_a_narrow_header(void **state)
{
    check_long(SMPP_GSM, SMPP_LONG_UDH8, repeated("a", 320), 3, 159);
    for (unsigned i = 0; i < 3; i++) {
        struct smpp_pdu pdu = wire(i);
        char header[] = {5, 0, 3, 0x34, 3, (char)(i + 1)};
        assert_int_equal(pdu.esm_class, 0x40);
        assert_memory_equal(pdu.short_message.p, header, sizeof header);
        assert_false(has(&pdu, SMPP_TAG_SAR_REFERENCE));
        assert_int_equal(pdu.registered_delivery, 1); /* of every part */
    }
}

static void parts_with_a_wide_header(void **state)
{
    struct smpp_manner manner = usual;

    manner.long_text = SMPP_LONG_UDH16;
    manner.esm_class = 3;
    make(&manner, message_of(repeated("a", 161)));
    assert_int_equal(made.count, 2);
    struct smpp_pdu pdu = wire(1);
    assert_int_equal(pdu.esm_class, 0x43);
    assert_memory_equal(pdu.short_message.p, "\x06\x08\x04\x12\x34\x02\x02", 7);
}

static void parts_with_parameters(void **state)
{
    check_long(SMPP_GSM, SMPP_LONG_SAR, repeated("a", 161), 2, 153);
    for (unsigned i = 0; i < 2; i++) {
        struct smpp_pdu pdu = wire(i);
        assert_int_equal(pdu.esm_class, 0); /* never both */
        assert_int_equal(number(&pdu, SMPP_TAG_SAR_REFERENCE), 0x1234);
        assert_int_equal(number(&pdu, SMPP_TAG_SAR_TOTAL), 2);
        assert_int_equal(number(&pdu, SMPP_TAG_SAR_NUMBER), i + 1);
        assert_int_equal(pdu.short_message.p[0], 'a');
        assert_int_equal(pdu.registered_delivery, 1);
    }
}

static void all_but_the_last_say_that_more_follows(void **state)
{
    for (enum smpp_long_text way = SMPP_LONG_UDH8; way <= SMPP_LONG_SAR; way++) {
        struct smpp_manner manner = usual;
        manner.long_text = way;
        make(&manner, message_of(repeated("a", 320)));
        for (unsigned i = 0; i < 3; i++) {
            struct smpp_pdu pdu = wire(i);
            assert_int_equal(has(&pdu, SMPP_TAG_MORE_MESSAGES), i < 2);
            assert_true(i == 2 || number(&pdu, SMPP_TAG_MORE_MESSAGES) == 1);
        }
    }
}

static void a_long_text_in_one_payload(void **state)
{
    struct str payload;

    check_long(SMPP_GSM, SMPP_LONG_PAYLOAD, repeated("a", 400), 1, 0);
    struct smpp_pdu pdu = wire(0);
    assert_true(smpp_tlv_find(&pdu, SMPP_TAG_MESSAGE_PAYLOAD, &payload));
    assert_true(str_eq(payload, repeated("a", 400)));
    assert_int_equal(pdu.esm_class, 0);
    assert_false(has(&pdu, SMPP_TAG_SAR_REFERENCE));
    assert_false(has(&pdu, SMPP_TAG_MORE_MESSAGES));
    check_long(SMPP_GSM, SMPP_LONG_PAYLOAD, repeated("\xd0\x9f", 1600), 1, 0);
    pdu = wire(0);
    assert_true(smpp_tlv_find(&pdu, SMPP_TAG_MESSAGE_PAYLOAD, &payload));
    assert_int_equal(payload.n, 3200);
    assert_int_equal(pdu.data_coding, 8);
}

static void a_short_text_needs_no_payload(void **state)
{
    check_long(SMPP_GSM, SMPP_LONG_PAYLOAD, repeated("a", 160), 1, 160);
    assert_false(has(&made.pdus[0], SMPP_TAG_MESSAGE_PAYLOAD));
}

static void smpp_3_3_gets_no_parameters(void **state)
{
    for (enum smpp_long_text way = SMPP_LONG_UDH8; way <= SMPP_LONG_PAYLOAD; way++) {
        struct smpp_manner manner = usual;
        manner.long_text = way;
        manner.no_parameters = true;
        make(&manner, message_of(repeated("a", 320)));
        assert_int_equal(made.count, 3);
        for (unsigned i = 0; i < 3; i++) {
            struct smpp_pdu pdu = wire(i);
            assert_int_equal(pdu.tlvs.n, 0);
            assert_int_equal(pdu.esm_class, 0x40);
            assert_int_equal(pdu.short_message.p[0], way == SMPP_LONG_UDH16 ? 6 : 5);
        }
    }
}

/* A full part that ends with a carriage return leaves it to the next one. */
static void a_packed_part_does_not_end_like_filling(void **state)
{
    static char text[307];
    struct smpp_manner manner = usual;

    manner.alphabet = SMPP_GSM_PACKED;
    memset(text, 'a', sizeof text);
    text[152] = '\r';
    make(&manner, message_of((struct str){text, 200}));
    assert_int_equal(made.count, 2);
    assert_int_equal(wire(0).short_message.n, 140); /* 7 bits of it are filled */
    assert_int_equal(wire(0).data_coding, 0);
    assert_int_equal(wire(1).short_message.n, 6 + (1 + 48 * 7 + 7) / 8);
}

static void the_longest_text_has_a_way(void **state)
{
    for (enum smpp_long_text way = SMPP_LONG_UDH8; way <= SMPP_LONG_SAR; way++) {
        struct smpp_manner manner = usual;
        manner.long_text = way;
        make(&manner, message_of(repeated("\xf0\x9f\x98\x80", 1600)));
        assert_int_equal(made.count, 49);
    }
}

static void more_parts_than_there_may_be_are_refused(void **state)
{
    static char many[153 * SMPP_PARTS_MAX + 1], huge[70000];
    struct message m = message_of((struct str){many, sizeof many - 1});
    struct smpp_manner manner = usual;

    memset(many, 'a', sizeof many);
    make(&usual, m);
    assert_int_equal(made.count, SMPP_PARTS_MAX);
    m.text.n++;
    assert_int_equal(smpp_submit_make(&made, &usual, &m, 1), -EINVAL);
    assert_int_equal(made.count, 0);
    memset(huge, 'a', sizeof huge);
    m.text = (struct str){huge, sizeof huge};
    manner.long_text = SMPP_LONG_PAYLOAD;
    assert_int_equal(smpp_submit_make(&made, &manner, &m, 1), -EINVAL);
}

static void it_keeps_its_memory(void **state)
{
    make(&usual, message_of(repeated("a", 1600)));
    const char *before = made.bytes.p;
    make_text(&usual, "hello");
    assert_ptr_equal(made.bytes.p, before);
    assert_int_equal(made.count, 1);
    make(&usual, message_of(repeated("b", 1600)));
    assert_int_equal(made.count, 11);
    assert_int_equal(wire(10).short_message.p[6], 'b');
}

/* The vectors that segments are counted by (two other implementations agree on them). */
static void vectors_are_cut_as_they_are_counted(void **state)
{
    static char line[4096], text[2048];
    char path[512];
    unsigned rows = 0;

    snprintf(path, sizeof path, "%s/tests/data/segment_test_vectors.csv", getenv("SKYLARK_SOURCE"));
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the headings */
    for (; fgets(line, sizeof line, f); rows++) {
        struct str rest = str_trim(str_of(line)), name = str_cut(&rest, ',');
        struct str hex = str_cut(&rest, ','), encoding = str_cut(&rest, ',');
        uint64_t wanted;

        assert_true(str_to_u64(str_cut(&rest, ','), &wanted));
        for (size_t i = 0; i < hex.n / 2; i++)
            text[i] = (char)(hex_value(hex.p[2 * i]) << 4 | hex_value(hex.p[2 * i + 1]));
        make(&usual, message_of((struct str){text, hex.n / 2}));
        if (made.count != wanted || wire(0).data_coding != (str_is(encoding, "UCS-2") ? 8 : 0))
            fail_msg("%.*s: %u parts", STR_FMT(name), made.count);
    }
    fclose(f);
    assert_int_equal(rows, 30);
}

static int tear_down(void **state)
{
    smpp_submission_done(&made);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_go_without_their_plus),
        cmocka_unit_test(ton_and_npi_are_those_of_the_senders_kind),
        cmocka_unit_test(a_name_has_no_at_sign),
        cmocka_unit_test(addresses_that_are_too_long_are_refused),
        cmocka_unit_test(validity_is_absolute_and_in_utc),
        cmocka_unit_test(settings_of_the_carrier_are_followed),
        cmocka_unit_test(media_are_not_for_smpp),
        cmocka_unit_test(what_is_not_utf8_is_refused),
        cmocka_unit_test(texts_go_in_the_carriers_alphabet),
        cmocka_unit_test(what_it_cannot_write_goes_as_ucs2),
        cmocka_unit_test(a_carriage_return_at_the_very_end_goes_as_ucs2),
        cmocka_unit_test(rooms_of_gsm),
        cmocka_unit_test(rooms_of_octets),
        cmocka_unit_test(rooms_of_ucs2),
        cmocka_unit_test(parts_with_a_narrow_header),
        cmocka_unit_test(parts_with_a_wide_header),
        cmocka_unit_test(parts_with_parameters),
        cmocka_unit_test(all_but_the_last_say_that_more_follows),
        cmocka_unit_test(a_long_text_in_one_payload),
        cmocka_unit_test(a_short_text_needs_no_payload),
        cmocka_unit_test(smpp_3_3_gets_no_parameters),
        cmocka_unit_test(a_packed_part_does_not_end_like_filling),
        cmocka_unit_test(the_longest_text_has_a_way),
        cmocka_unit_test(more_parts_than_there_may_be_are_refused),
        cmocka_unit_test(it_keeps_its_memory),
        cmocka_unit_test(vectors_are_cut_as_they_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
