#include "smpp/receipt.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* ---- texts ---- */

struct dialect {
    const char *name, *text;
    const char *id, *stat, *error;
    enum smpp_state state;
};

static const struct dialect dialects[] = {
    {"appendix B",
     "id:1234567890 sub:001 dlvrd:001 submit date:2610150015 done date:2610150016 stat:DELIVRD "
     "err:000 text:Hello",
     "1234567890", "DELIVRD", "000", SMPP_STATE_DELIVERED},
    {"dates with seconds",
     "id:7 sub:001 dlvrd:000 submit date:261015001530 done date:261015001631 stat:UNDELIV err:034 "
     "text:",
     "7", "UNDELIV", "034", SMPP_STATE_UNDELIVERABLE},
    {"dates with century and seconds",
     "id:7 sub:001 dlvrd:000 submit date:20261015001530 done date:20261015001631 stat:EXPIRED "
     "err:027",
     "7", "EXPIRED", "027", SMPP_STATE_EXPIRED},
    {"dates with spaces and colons",
     "id:7 submit date:2026-10-15 00:15:30 done date:2026-10-15 00:16:31 stat:DELETED err:1", "7",
     "DELETED", "1", SMPP_STATE_DELETED},
    {"no sub, dlvrd, text", "id:0a submit date:2610150015 done date:2610150016 stat:REJECTD err:4",
     "0a", "REJECTD", "4", SMPP_STATE_REJECTED},
    {"only what is needed", "id:9 stat:UNKNOWN", "9", "UNKNOWN", "", SMPP_STATE_UNKNOWN},
    {"one digit for counts and err",
     "id:1234 sub:001 dlvrd:1 submit date:2610150015 done date:2610150015 stat:DELIVRD err:0 "
     "text:xxx",
     "1234", "DELIVRD", "0", SMPP_STATE_DELIVERED},
    {"another order", "stat:ACCEPTD err:000 done date:2610150016 id:77 text:x sub:001", "77",
     "ACCEPTD", "000", SMPP_STATE_ON_ITS_WAY},
    {"text first", "text:Hello you sub:001 id:5 stat:ENROUTE err:0", "5", "ENROUTE", "0",
     SMPP_STATE_ON_ITS_WAY},
    {"upper case", "ID:AB12 SUB:001 DLVRD:001 SUBMIT DATE:1 DONE DATE:2 STAT:DELIVRD ERR:000 TEXT:",
     "AB12", "DELIVRD", "000", SMPP_STATE_DELIVERED},
    {"mixed case", "Id:AB12 Stat:delivrd Err:000 Text:foo", "AB12", "delivrd", "000",
     SMPP_STATE_DELIVERED},
    {"err in hexadecimal", "id:1 stat:UNDELIV err:0x1F", "1", "UNDELIV", "0x1F",
     SMPP_STATE_UNDELIVERABLE},
    {"long err", "id:1 stat:UNDELIV err:0000000451 text:", "1", "UNDELIV", "0000000451",
     SMPP_STATE_UNDELIVERABLE},
    {"negative err", "id:1 stat:REJECTD err:-12 text:", "1", "REJECTD", "-12", SMPP_STATE_REJECTED},
    {"empty err", "id:1 stat:DELIVRD err: text:hi", "1", "DELIVRD", "", SMPP_STATE_DELIVERED},
    {"UUID", "id:0f8fad5b-d9cb-469f-a165-70867728950e sub:001 stat:DELIVRD err:000",
     "0f8fad5b-d9cb-469f-a165-70867728950e", "DELIVRD", "000", SMPP_STATE_DELIVERED},
    {"dash and underscore", "id:smsc_2-0017 stat:DELIVRD err:000", "smsc_2-0017", "DELIVRD", "000",
     SMPP_STATE_DELIVERED},
    {"spaces behind colons", "id: 12  sub: 001 stat: DELIVRD  err: 000 text: x", "12", "DELIVRD",
     "000", SMPP_STATE_DELIVERED},
    {"commas", "id:12,sub:001,stat:DELIVRD,err:000,text:x", "12", "DELIVRD", "000",
     SMPP_STATE_DELIVERED},
    {"lines", "id:12\r\nsub:001\r\nstat:DELIVRD\r\nerr:000\r\n", "12", "DELIVRD", "000",
     SMPP_STATE_DELIVERED},
    {"foreign fields between", "id:12 smsc:east queue:3 stat:DELIVRD imsi:1234 err:000 text:x",
     "12", "DELIVRD", "000", SMPP_STATE_DELIVERED},
    {"a NUL of GSM at the end", "id:12 stat:DELIVRD err:000@", "12", "DELIVRD", "000",
     SMPP_STATE_DELIVERED},
    {"buffered, Kannel's words", "id:1 stat:BUFFRED", "1", "BUFFRED", "", SMPP_STATE_ON_ITS_WAY},
    {"buffered, the other spelling", "id:1 stat:BUFFERD", "1", "BUFFERD", "",
     SMPP_STATE_ON_ITS_WAY},
    {"acknowledged", "id:1 stat:ACKED", "1", "ACKED", "", SMPP_STATE_ON_ITS_WAY},
    {"words spelled out", "id:1 stat:Delivered", "1", "Delivered", "", SMPP_STATE_DELIVERED},
    {"a word nobody knows", "id:1 stat:LOSTFWD err:9", "1", "LOSTFWD", "9", SMPP_STATE_STRANGE},
    {"no stat", "id:1 err:9", "1", "", "9", SMPP_STATE_NONE},
    {"no id", "stat:DELIVRD", "", "DELIVRD", "", SMPP_STATE_DELIVERED},
    {"empty id", "id: sub:001 stat:DELIVRD", "", "DELIVRD", "", SMPP_STATE_DELIVERED},
    {"no receipt at all", "Hello, I paid:5 and void:7", "", "", "", SMPP_STATE_NONE},
    {"nothing", "", "", "", "", SMPP_STATE_NONE},
    {"our own text has labels", "id:1 stat:UNDELIV text:your id:99 stat:DELIVRD err:5", "1",
     "UNDELIV", "", SMPP_STATE_UNDELIVERABLE},
    {"labels inside words", "id:1 substat:X stat:EXPIRED suberr:7 err:8", "1", "EXPIRED", "8",
     SMPP_STATE_EXPIRED},
    {"a message's name in front", "message id:41 stat:DELIVRD", "41", "DELIVRD", "",
     SMPP_STATE_DELIVERED},
};

static void check_view(const struct dialect *d, const char *what, struct str got,
                       const char *wanted)
{
    if (!str_is(got, wanted))
        fail_msg("%s: %s is '%.*s', not '%s'", d->name, what, STR_FMT(got), wanted);
}

static void each_dialect_is_read(void **state)
{
    struct smpp_pdu pdu = {.command = SMPP_DELIVER_SM, .esm_class = 0x04};

    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++) {
        const struct dialect *d = &dialects[i];
        struct smpp_receipt r;
        smpp_receipt_read(&pdu, str_of(d->text), &r);
        check_view(d, "id", r.id, d->id);
        check_view(d, "stat", r.stat, d->stat);
        check_view(d, "err", r.error, d->error);
        check_view(d, "text", r.text, d->text);
        if (r.state != d->state)
            fail_msg("%s: state %d, not %d", d->name, (int)r.state, (int)d->state);
        assert_int_equal(r.network_type, -1);
        assert_int_equal(r.network_error, -1);
    }
}

/* ---- optional parameters ---- */

static struct smpp_receipt read_with(struct buf *tlvs, const char *text)
{
    struct smpp_pdu pdu = {.command = SMPP_DELIVER_SM, .esm_class = 4, .tlvs = buf_str(tlvs)};
    struct smpp_receipt r;

    smpp_receipt_read(&pdu, str_of(text), &r);
    return r;
}

static void parameters_come_before_the_text(void **state)
{
    struct buf BUF_CLEANUP tlvs;

    buf_init(&tlvs, 1000);
    smpp_tlv_put(&tlvs, SMPP_TAG_RECEIPTED_MESSAGE_ID, STR("A001\0"));
    smpp_tlv_put_u8(&tlvs, SMPP_TAG_MESSAGE_STATE, 5);
    struct smpp_receipt r = read_with(&tlvs, "id:40961 stat:DELIVRD err:017");
    assert_true(str_is(r.id, "A001"));
    assert_int_equal(r.state, SMPP_STATE_UNDELIVERABLE);
    assert_true(str_is(r.stat, "DELIVRD"));
    assert_true(str_is(r.error, "017"));
}

static void an_id_has_its_nul_or_not(void **state)
{
    struct buf BUF_CLEANUP tlvs;

    buf_init(&tlvs, 1000);
    smpp_tlv_put(&tlvs, SMPP_TAG_RECEIPTED_MESSAGE_ID, STR("A001"));
    assert_true(str_is(read_with(&tlvs, "").id, "A001"));
}

static void an_empty_id_gives_way_to_the_text(void **state)
{
    struct buf BUF_CLEANUP tlvs;

    buf_init(&tlvs, 1000);
    smpp_tlv_put(&tlvs, SMPP_TAG_RECEIPTED_MESSAGE_ID, STR("\0"));
    assert_true(str_is(read_with(&tlvs, "id:5 stat:DELIVRD").id, "5"));
    assert_true(str_is(read_with(&tlvs, "").id, ""));
}

static enum smpp_state state_of_number(uint8_t number, const char *text)
{
    struct buf BUF_CLEANUP tlvs;

    buf_init(&tlvs, 1000);
    smpp_tlv_put_u8(&tlvs, SMPP_TAG_MESSAGE_STATE, number);
    return read_with(&tlvs, text).state;
}

static void every_message_state_is_known(void **state)
{
    static const enum smpp_state wanted[] = {
        SMPP_STATE_ON_ITS_WAY, SMPP_STATE_ON_ITS_WAY,    SMPP_STATE_DELIVERED,  SMPP_STATE_EXPIRED,
        SMPP_STATE_DELETED,    SMPP_STATE_UNDELIVERABLE, SMPP_STATE_ON_ITS_WAY, SMPP_STATE_UNKNOWN,
        SMPP_STATE_REJECTED,   SMPP_STATE_REJECTED,
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(state_of_number((uint8_t)i, ""), wanted[i]);
}

static void an_unknown_message_state_gives_way_to_the_word(void **state)
{
    assert_int_equal(state_of_number(10, ""), SMPP_STATE_STRANGE);
    assert_int_equal(state_of_number('2', "id:1 stat:DELIVRD"), SMPP_STATE_DELIVERED);
}

static void check_network(struct str value, int type, int error)
{
    struct buf BUF_CLEANUP tlvs;

    buf_init(&tlvs, 1000);
    smpp_tlv_put(&tlvs, SMPP_TAG_NETWORK_ERROR_CODE, value);
    struct smpp_receipt r = read_with(&tlvs, "");
    assert_int_equal(r.network_type, type);
    assert_int_equal(r.network_error, error);
}

static void network_error_codes(void **state)
{
    check_network(STR("\x03\x01\x1b"), 3, 0x11b);
    check_network(STR("\x03\x00\x00"), 3, 0);
    check_network(STR("\xff\xff\xff"), 255, 0xffff);
    check_network(STR("034"), -1, 34); /* three digits instead */
    check_network(STR("\x03\x01"), -1, -1);
    check_network(STR("\x03\x01\x01\x01"), -1, -1);
    check_network(STR(""), -1, -1);
}

/* ---- what a delivery is ---- */

static enum smpp_delivery kind_of(uint8_t esm_class, struct str text, bool by_content)
{
    struct smpp_pdu pdu = {
        .command = SMPP_DELIVER_SM, .esm_class = esm_class, .short_message = text};

    return smpp_delivery_kind(&pdu, by_content);
}

static void kinds_by_esm_class(void **state)
{
    assert_int_equal(kind_of(0x00, STR("hello"), false), SMPP_MESSAGE);
    assert_int_equal(kind_of(0x03, STR("hello"), false), SMPP_MESSAGE);
    assert_int_equal(kind_of(0x40, STR("hello"), false), SMPP_MESSAGE);
    assert_int_equal(kind_of(0x80, STR("hello"), false), SMPP_MESSAGE);
    assert_int_equal(kind_of(0x04, STR(""), false), SMPP_RECEIPT);
    assert_int_equal(kind_of(0x44, STR(""), false), SMPP_RECEIPT);
    assert_int_equal(kind_of(0x07, STR(""), false), SMPP_RECEIPT);
    assert_int_equal(kind_of(0x08, STR(""), false), SMPP_USER_ACK);
    assert_int_equal(kind_of(0x10, STR(""), false), SMPP_USER_ACK);
    assert_int_equal(kind_of(0x20, STR(""), false), SMPP_NOTIFICATION);
    assert_int_equal(kind_of(0x60, STR(""), false), SMPP_NOTIFICATION);
}

static void a_text_alone_makes_no_receipt(void **state)
{
    assert_int_equal(kind_of(0, STR("id:1 stat:DELIVRD"), false), SMPP_MESSAGE);
}

static void by_content_a_text_makes_a_receipt(void **state)
{
    assert_int_equal(kind_of(0, STR("id:1 stat:DELIVRD"), true), SMPP_RECEIPT);
    assert_int_equal(kind_of(0x40, STR("\x05\x00\x03\x01\x02\x01id:1 stat:DELIVRD"), true),
                     SMPP_RECEIPT);
    assert_int_equal(kind_of(0, STR("id:1"), true), SMPP_MESSAGE);
    assert_int_equal(kind_of(0, STR("stat:DELIVRD"), true), SMPP_MESSAGE);
    assert_int_equal(kind_of(0, STR(""), true), SMPP_MESSAGE);
    assert_int_equal(kind_of(0x20, STR("id:1 stat:ENROUTE"), true), SMPP_NOTIFICATION);
}

static void by_content_looks_into_ucs2_and_payload(void **state)
{
    struct buf BUF_CLEANUP tlvs;
    struct smpp_pdu pdu = {.command = SMPP_DELIVER_SM, .data_coding = 8};

    pdu.short_message = STR("\0i\0d\0:\0001\0 \0s\0t\0a\0t\0:\0X");
    assert_int_equal(smpp_delivery_kind(&pdu, true), SMPP_RECEIPT);
    buf_init(&tlvs, 1000);
    smpp_tlv_put(&tlvs, SMPP_TAG_MESSAGE_PAYLOAD, STR("id:1 stat:DELIVRD"));
    pdu = (struct smpp_pdu){.command = SMPP_DATA_SM, .tlvs = buf_str(&tlvs)};
    assert_int_equal(smpp_delivery_kind(&pdu, true), SMPP_RECEIPT);
    pdu.data_coding = 4; /* data */
    assert_int_equal(smpp_delivery_kind(&pdu, true), SMPP_MESSAGE);
}

/* drive_smpp puts a receipted_message_id into ordinary messages. */
static void a_parameter_alone_makes_no_receipt(void **state)
{
    struct buf BUF_CLEANUP tlvs;

    buf_init(&tlvs, 1000);
    smpp_tlv_put(&tlvs, SMPP_TAG_RECEIPTED_MESSAGE_ID, STR("17\0"));
    struct smpp_pdu pdu = {.command = SMPP_DELIVER_SM, .tlvs = buf_str(&tlvs)};
    assert_int_equal(smpp_delivery_kind(&pdu, false), SMPP_MESSAGE);
    assert_int_equal(smpp_delivery_kind(&pdu, true), SMPP_RECEIPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_dialect_is_read),
        cmocka_unit_test(parameters_come_before_the_text),
        cmocka_unit_test(an_id_has_its_nul_or_not),
        cmocka_unit_test(an_empty_id_gives_way_to_the_text),
        cmocka_unit_test(every_message_state_is_known),
        cmocka_unit_test(an_unknown_message_state_gives_way_to_the_word),
        cmocka_unit_test(network_error_codes),
        cmocka_unit_test(kinds_by_esm_class),
        cmocka_unit_test(a_text_alone_makes_no_receipt),
        cmocka_unit_test(by_content_a_text_makes_a_receipt),
        cmocka_unit_test(by_content_looks_into_ucs2_and_payload),
        cmocka_unit_test(a_parameter_alone_makes_no_receipt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
