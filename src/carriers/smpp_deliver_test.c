#include "carriers/smpp_deliver.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { NUMBER = 7 };

static struct smpp_settings settings;
static struct smpp_delivered delivered;
static struct buf tlvs;

static int set_up(void **state)
{
    settings = (struct smpp_settings){0};
    smpp_delivered_init(&delivered);
    buf_init(&tlvs, 8192);
    return 0;
}

static int tear_down(void **state)
{
    smpp_delivered_done(&delivered);
    buf_done(&tlvs);
    return 0;
}

static struct smpp_pdu deliver_sm(uint8_t esm_class, struct str text)
{
    return (struct smpp_pdu){.command = SMPP_DELIVER_SM,
                             .esm_class = esm_class,
                             .source = {1, 1, STR("15551234567")},
                             .destination = {1, 1, STR("18005551234")},
                             .short_message = text};
}

static void read_pdu(struct smpp_pdu pdu)
{
    pdu.tlvs = buf_str(&tlvs);
    assert_true(smpp_deliver_read(&delivered, &settings, NUMBER, &pdu));
}

static void assert_str(struct str is, const char *wanted)
{
    if (!str_is(is, wanted))
        fail_msg("'%.*s' is not '%s'", STR_FMT(is), wanted);
}

/* ---- receipts ---- */

static void a_receipt_in_text(void **state)
{
    read_pdu(deliver_sm(0x04, STR("id:A001 sub:001 dlvrd:001 submit date:2610150015 done "
                                  "date:2610150016 stat:DELIVRD err:000 text:Hello")));
    const struct carrier_receipt *r = &delivered.receipt;
    assert_true(delivered.is_receipt);
    assert_int_equal(r->carrier, NUMBER);
    assert_true(r->id_count >= 1);
    assert_str(r->ids[0], "a001");
    assert_int_equal(r->word, RECEIPT_DELIVERED);
    assert_int_equal(r->failure, FAILURE_NONE);
    assert_str(r->source, "15551234567");
    assert_str(r->destination, "18005551234");
    assert_str(r->detail, "The carrier's receipt says DELIVRD.");
    assert_true(str_starts(r->raw, STR("id:A001 sub:001")));
}

static void a_receipt_in_parameters_alone(void **state)
{
    smpp_tlv_put(&tlvs, SMPP_TAG_RECEIPTED_MESSAGE_ID, STR("77\0"));
    smpp_tlv_put_u8(&tlvs, SMPP_TAG_MESSAGE_STATE, 5);
    smpp_tlv_put(&tlvs, SMPP_TAG_NETWORK_ERROR_CODE, STR("\x03\x00\x08"));
    read_pdu(deliver_sm(0x04, STR("")));
    assert_str(delivered.receipt.ids[0], "77");
    assert_int_equal(delivered.receipt.word, RECEIPT_FAILED);
    assert_int_equal(delivered.receipt.failure, FAILURE_UNDELIVERABLE);
    assert_str(delivered.receipt.detail,
               "The carrier's receipt says undeliverable, network error 8 of type 3.");
    assert_str(delivered.receipt.raw, "id:77 stat:undeliverable");
}

static void the_words_of_receipts(void **state)
{
    static const struct {
        const char *stat;
        enum receipt_word word;
        enum failure failure;
    } cases[] = {
        {"DELIVRD", RECEIPT_DELIVERED, FAILURE_NONE},
        {"ACCEPTD", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"ENROUTE", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"BUFFERD", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"UNKNOWN", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"EXPIRED", RECEIPT_FAILED, FAILURE_CARRIER_EXPIRED},
        {"UNDELIV", RECEIPT_FAILED, FAILURE_UNDELIVERABLE},
        {"DELETED", RECEIPT_FAILED, FAILURE_CARRIER_DELETED},
        {"REJECTD", RECEIPT_FAILED, FAILURE_CARRIER_REJECTED},
        {"NODICE", RECEIPT_FAILED, FAILURE_UNKNOWN},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64], wanted[80];
        str_format(text, sizeof text, "id:1 stat:%s err:034", cases[i].stat);
        str_format(wanted, sizeof wanted, "The carrier's receipt says %s, error 034.",
                   cases[i].stat);
        read_pdu(deliver_sm(0x04, str_of(text)));
        assert_int_equal(delivered.receipt.word, cases[i].word);
        assert_int_equal(delivered.receipt.failure, cases[i].failure);
        assert_str(delivered.receipt.detail, wanted);
    }
}

static void a_receipt_that_tells_no_state_changes_nothing(void **state)
{
    read_pdu(deliver_sm(0x04, STR("id:1")));
    assert_int_equal(delivered.receipt.word, RECEIPT_ON_ITS_WAY);
    assert_str(delivered.receipt.detail, "The carrier's receipt says nothing of its state.");
}

static void a_receipt_without_an_id_is_kept(void **state)
{
    read_pdu(deliver_sm(0x04, STR("stat:DELIVRD")));
    assert_true(delivered.is_receipt);
    assert_int_equal(delivered.receipt.id_count, 0);
    assert_str(delivered.receipt.raw, "stat:DELIVRD");
}

static void an_intermediate_notice_changes_nothing(void **state)
{
    read_pdu(deliver_sm(0x20, STR("id:1 stat:UNDELIV err:001")));
    assert_true(delivered.is_receipt);
    assert_int_equal(delivered.receipt.word, RECEIPT_ON_ITS_WAY);
    assert_int_equal(delivered.receipt.failure, FAILURE_NONE);
    assert_str(delivered.receipt.detail,
               "An intermediate notice of the carrier says UNDELIV, error 001.");
}

static void an_acknowledgement_is_noted_or_is_a_message(void **state)
{
    read_pdu(deliver_sm(0x08, STR("id:1 stat:DELIVRD err:000")));
    assert_true(delivered.is_receipt);
    assert_int_equal(delivered.receipt.word, RECEIPT_ON_ITS_WAY);
    read_pdu(deliver_sm(0x08, STR("Read it, thanks")));
    assert_false(delivered.is_receipt);
    assert_str(delivered.arrival.text, "Read it, thanks");
}

static void a_parameter_alone_makes_no_receipt(void **state)
{
    smpp_tlv_put(&tlvs, SMPP_TAG_RECEIPTED_MESSAGE_ID, STR("77"));
    read_pdu(deliver_sm(0, STR("Hello")));
    assert_false(delivered.is_receipt);
    assert_int_equal(delivered.arrival.carrier, NUMBER);
}

static void by_content_when_the_carrier_says_so(void **state)
{
    struct smpp_pdu pdu = deliver_sm(0, STR("id:1 stat:DELIVRD err:000"));

    read_pdu(pdu);
    assert_false(delivered.is_receipt);
    settings.receipts_by_content = true;
    read_pdu(pdu);
    assert_true(delivered.is_receipt);
}

static void a_receipt_in_the_payload(void **state)
{
    smpp_tlv_put(&tlvs, SMPP_TAG_MESSAGE_PAYLOAD, STR("id:9 stat:DELIVRD err:000"));
    read_pdu(deliver_sm(0x04, STR("")));
    assert_str(delivered.receipt.ids[0], "9");
    assert_int_equal(delivered.receipt.word, RECEIPT_DELIVERED);
}

static void a_receipt_with_a_header_and_the_receipt_bit(void **state)
{
    read_pdu(deliver_sm(0x44, STR("\x05\x00\x03\x07\x01\x01id:9 stat:DELIVRD err:000")));
    assert_true(delivered.is_receipt);
    assert_str(delivered.receipt.ids[0], "9");
}

static void ids_in_the_carriers_own_form(void **state)
{
    settings.ids = SMPP_ID_HEX_ANSWER;
    read_pdu(deliver_sm(0x04, STR("id:0000040961 stat:DELIVRD")));
    struct smpp_id answered;
    smpp_id_of_answer(SMPP_ID_HEX_ANSWER, STR("A001"), &answered);
    assert_str(delivered.receipt.ids[0], answered.text);
}

static void receipts_are_ascii_whatever_they_say(void **state)
{
    static const struct {
        enum smpp_alphabet alphabet;
        uint8_t data_coding;
    } cases[] = {
        {SMPP_GSM, 0}, {SMPP_GSM_PACKED, 0}, {SMPP_GSM, 0xf0}, {SMPP_GSM, 8}, {SMPP_GSM, 4}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smpp_pdu pdu = deliver_sm(0x04, STR("id:m_1$[x] stat:DELIVRD err:000"));
        settings.manner.alphabet = cases[i].alphabet;
        pdu.data_coding = cases[i].data_coding;
        read_pdu(pdu);
        assert_str(delivered.receipt.ids[0], "m_1$[x]");
        assert_int_equal(delivered.receipt.word, RECEIPT_DELIVERED);
    }
}

static void a_receipt_in_gsm_is_read_as_such(void **state)
{
    read_pdu(deliver_sm(0x04, STR("id:m\x11"
                                  "1 stat:DELIVRD err:000 text:\x00 \x1b\x65")));
    assert_str(delivered.receipt.ids[0], "m_1");
}

static void a_receipt_in_ucs2(void **state)
{
    struct smpp_pdu pdu =
        deliver_sm(0x04, STR("\0i\0d\0:\0a\0_\0b\0 \0s\0t\0a\0t\0:\0D\0E\0L\0I\0V\0R\0D"));

    pdu.data_coding = 8;
    read_pdu(pdu);
    assert_str(delivered.receipt.ids[0], "a_b");
    assert_int_equal(delivered.receipt.word, RECEIPT_DELIVERED);
}

static void a_long_raw_text_ends_with_a_whole_character(void **state)
{
    char text[2100] = "id:1 stat:DELIVRD text:";

    for (size_t i = strlen(text); i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\x04\x16", 2); /* U+0416, two bytes of UTF-8 */
    smpp_tlv_put(&tlvs, SMPP_TAG_MESSAGE_PAYLOAD, (struct str){text, sizeof text});
    struct smpp_pdu pdu = deliver_sm(0x04, STR(""));
    pdu.data_coding = 8;
    read_pdu(pdu);
    assert_in_range(delivered.receipt.raw.n, 900, 1000);
}

static void plus_signs_are_no_digits(void **state)
{
    struct smpp_pdu pdu = deliver_sm(0x04, STR("id:1 stat:DELIVRD"));

    pdu.source.digits = STR("+15551234567");
    read_pdu(pdu);
    assert_str(delivered.receipt.source, "15551234567");
}

/* ---- messages from handsets ---- */

static void a_message(void **state)
{
    read_pdu(deliver_sm(0, STR("Hello")));
    const struct arrival *a = &delivered.arrival;
    assert_false(delivered.is_receipt);
    assert_int_equal(a->carrier, NUMBER);
    assert_str(a->from, "+15551234567");
    assert_str(a->to, "+18005551234");
    assert_str(a->text, "Hello");
    assert_int_equal(a->total, 0);
}

static void addresses_as_carriers_write_them(void **state)
{
    static const struct {
        uint8_t ton;
        const char *digits, *wanted;
    } cases[] = {
        {1, "15551234567", "+15551234567"},
        {1, "1555", "+1555"},
        {0, "15551234567", "+15551234567"},
        {2, "447911123456", "+447911123456"},
        {2, "07911123456", "07911123456"}, /* none of E.164 begins with 0 */
        {2, "4155550123", "4155550123"},   /* 41 is the code of another country */
        {0, "72404", "72404"},
        {3, "72404", "72404"},
        {0, "+15551234567", "+15551234567"},
        {5, "1234567890", "1234567890"},
        {5, "ACME", "ACME"},
        {5, "Caf\xe9\x01", "Caf??"},
        {0, "", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smpp_pdu pdu = deliver_sm(0, STR("Hello"));
        pdu.source = (struct smpp_address){cases[i].ton, 1, str_of(cases[i].digits)};
        read_pdu(pdu);
        assert_str(delivered.arrival.from, cases[i].wanted);
    }
}

static void texts_in_their_alphabets(void **state)
{
    static const struct {
        uint8_t data_coding;
        enum smpp_alphabet own;
        struct str octets;
        const char *wanted;
    } cases[] = {
        {0, SMPP_GSM, {"\x00 1\x1b\x65", 5}, "@ 1€"},
        {0, SMPP_LATIN1, {"\xe9t\xe9", 3}, "été"},
        {3, SMPP_GSM, {"\xe9t\xe9", 3}, "été"},
        {8, SMPP_GSM, {"\x04\x16\xd8\x3d\xde\x00", 6}, "Ж😀"},
        {0xf0, SMPP_GSM, {"Flash", 5}, "Flash"},
        {4, SMPP_GSM, {"plain", 5}, "plain"},
        {4, SMPP_GSM, {"\x00\x01\xff", 3}, "[data] 0001ff"},
        {0, SMPP_GSM_PACKED, {"\xe8\x32\x9b\xfd\x06", 5}, "hello"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smpp_pdu pdu = deliver_sm(0, cases[i].octets);
        pdu.data_coding = cases[i].data_coding;
        settings.manner.alphabet = cases[i].own;
        read_pdu(pdu);
        assert_str(delivered.arrival.text, cases[i].wanted);
    }
}

static void parts_by_their_header(void **state)
{
    read_pdu(deliver_sm(0x40, STR("\x06\x08\x04\x12\x34\x03\x02middle")));
    assert_str(delivered.arrival.text, "middle");
    assert_int_equal(delivered.arrival.reference, 0x1234);
    assert_int_equal(delivered.arrival.total, 3);
    assert_int_equal(delivered.arrival.number, 2);
}

static void packed_text_behind_a_header(void **state)
{
    BUF_CLEANUP struct buf octets;

    buf_init(&octets, 200);
    buf_add(&octets, STR("\x05\x00\x03\x07\x02\x01"));
    assert_true(smpp_text_encode(SMPP_GSM_PACKED, STR("hello"), 1, &octets));
    settings.manner.alphabet = SMPP_GSM_PACKED;
    read_pdu(deliver_sm(0x40, buf_str(&octets)));
    assert_str(delivered.arrival.text, "hello");
    assert_int_equal(delivered.arrival.total, 2);
}

static void parts_by_parameters(void **state)
{
    smpp_tlv_put_u16(&tlvs, SMPP_TAG_SAR_REFERENCE, 0x0102);
    smpp_tlv_put_u8(&tlvs, SMPP_TAG_SAR_TOTAL, 2);
    smpp_tlv_put_u8(&tlvs, SMPP_TAG_SAR_NUMBER, 1);
    read_pdu(deliver_sm(0, STR("first")));
    assert_int_equal(delivered.arrival.reference, 0x0102);
    assert_int_equal(delivered.arrival.total, 2);
    assert_int_equal(delivered.arrival.number, 1);
}

static void a_part_that_cannot_be_is_a_whole_message(void **state)
{
    smpp_tlv_put_u16(&tlvs, SMPP_TAG_SAR_REFERENCE, 7);
    smpp_tlv_put_u8(&tlvs, SMPP_TAG_SAR_TOTAL, 2);
    smpp_tlv_put_u8(&tlvs, SMPP_TAG_SAR_NUMBER, 3);
    read_pdu(deliver_sm(0, STR("third of two")));
    assert_int_equal(delivered.arrival.total, 0);
}

static void a_header_that_lies_is_text(void **state)
{
    read_pdu(deliver_sm(0x40, STR("zebra")));
    assert_str(delivered.arrival.text, "zebra");
}

#define T(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_receipt_in_text),
        T(a_receipt_in_parameters_alone),
        T(the_words_of_receipts),
        T(a_receipt_that_tells_no_state_changes_nothing),
        T(a_receipt_without_an_id_is_kept),
        T(an_intermediate_notice_changes_nothing),
        T(an_acknowledgement_is_noted_or_is_a_message),
        T(a_parameter_alone_makes_no_receipt),
        T(by_content_when_the_carrier_says_so),
        T(a_receipt_in_the_payload),
        T(a_receipt_with_a_header_and_the_receipt_bit),
        T(ids_in_the_carriers_own_form),
        T(receipts_are_ascii_whatever_they_say),
        T(a_receipt_in_gsm_is_read_as_such),
        T(a_receipt_in_ucs2),
        T(a_long_raw_text_ends_with_a_whole_character),
        T(plus_signs_are_no_digits),
        T(a_message),
        T(addresses_as_carriers_write_them),
        T(texts_in_their_alphabets),
        T(parts_by_their_header),
        T(packed_text_behind_a_header),
        T(parts_by_parameters),
        T(a_part_that_cannot_be_is_a_whole_message),
        T(a_header_that_lies_is_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
