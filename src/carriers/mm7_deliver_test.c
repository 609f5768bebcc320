#include "carriers/mm7_deliver.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ACME = 7 };

static struct arena arena;
static struct mm7_delivered delivered;
static enum mm7_bringing brings;

static int set_up(void **state)
{
    arena_init(&arena, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static void read_heard(const struct mm7_heard *heard, const struct mm7_part *parts, size_t count)
{
    delivered = (struct mm7_delivered){0};
    assert_int_equal(mm7_deliver_read(&delivered, &brings, &arena, ACME, heard, parts, count), 0);
}

/* ---- reports ---- */

static struct mm7_heard report(const char *word)
{
    return (struct mm7_heard){.kind = MM7_DELIVERY_REPORT_REQ,
                              .message_id = STR("z-sh-qf2016.1.x151.83@mmsc"),
                              .sender = {MM7_FORM_NUMBER, STR("+14155550100")},
                              .recipient = {MM7_FORM_SHORT_CODE, STR("111")},
                              .mm_status = str_of(word),
                              .mm = mm7_mm_status_of(str_of(word))};
}

static void test_words(void **state)
{
    static const struct {
        const char *word;
        enum receipt_word means;
        enum failure failure;
    } cases[] = {
        {"Retrieved", RECEIPT_DELIVERED, FAILURE_NONE},
        {"Forwarded", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"Deferred", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"Indeterminate", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"Expired", RECEIPT_FAILED, FAILURE_CARRIER_EXPIRED},
        {"Rejected", RECEIPT_FAILED, FAILURE_CARRIER_REJECTED},
        {"Unrecognised", RECEIPT_FAILED, FAILURE_UNDELIVERABLE},
        {"Unrecognized", RECEIPT_FAILED, FAILURE_UNDELIVERABLE},
        {"NotSupported", RECEIPT_FAILED, FAILURE_UNDELIVERABLE},
        {"DeliveryConditionNotMet", RECEIPT_FAILED, FAILURE_UNDELIVERABLE},
        {"Unreachable", RECEIPT_FAILED, FAILURE_UNREACHABLE},
        {"Read", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"Deleted", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"Frobnicated", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
        {"", RECEIPT_ON_ITS_WAY, FAILURE_NONE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mm7_heard heard = report(cases[i].word);
        read_heard(&heard, NULL, 0);
        assert_int_equal(brings, MM7_BRINGS_RECEIPT);
        assert_int_equal(delivered.receipt.word, cases[i].means);
        assert_int_equal(delivered.receipt.failure, cases[i].failure);
    }
}

static void test_a_report(void **state)
{
    struct mm7_heard heard = report("Rejected");
    const struct carrier_receipt *r = &delivered.receipt;

    heard.status_text = STR("blocked by the recipient");
    heard.mm_extension = STR("RejectedByRecipient");
    read_heard(&heard, NULL, 0);
    assert_int_equal(r->carrier, ACME);
    assert_int_equal(r->id_count, 1);
    assert_true(str_is(r->ids[0], "z-sh-qf2016.1.x151.83@mmsc"));
    assert_true(str_is(r->source, "14155550100"));
    assert_true(str_is(r->destination, "111"));
    assert_true(str_is(r->detail, "The MMSC's report says Rejected, RejectedByRecipient: blocked "
                                  "by the recipient."));
    assert_true(str_is(r->raw, "DeliveryReportReq MessageID:z-sh-qf2016.1.x151.83@mmsc "
                               "MMStatus:Rejected Sender:+14155550100 Recipient:111"));
    heard = report("");
    read_heard(&heard, NULL, 0);
    assert_true(str_is(r->detail, "The MMSC's report says nothing of its state."));
}

/* Whatever is read, and even if it was deleted: the message was delivered, or it was not. */
static void test_a_read_reply_changes_nothing(void **state)
{
    static const char *const words[] = {"Read", "Deleted", "Retrieved", "Rejected"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct mm7_heard heard = report(words[i]);
        heard.kind = MM7_READ_REPLY_REQ;
        read_heard(&heard, NULL, 0);
        assert_int_equal(brings, MM7_BRINGS_RECEIPT);
        assert_int_equal(delivered.receipt.word, RECEIPT_ON_ITS_WAY);
    }
    assert_true(str_is(delivered.receipt.detail, "The handset's read report says Rejected."));
}

static void test_too_little(void **state)
{
    struct mm7_heard heard = report("Retrieved");

    heard.message_id = STR("");
    read_heard(&heard, NULL, 0);
    assert_int_equal(brings, MM7_BRINGS_TOO_LITTLE);
    heard = (struct mm7_heard){.kind = MM7_DELIVER_REQ};
    read_heard(&heard, NULL, 0);
    assert_int_equal(brings, MM7_BRINGS_TOO_LITTLE);
}

static void test_nothing_for_us(void **state)
{
    static const enum mm7_kind kinds[] = {MM7_SUBMIT_REQ,   MM7_SUBMIT_RSP, MM7_DELIVER_RSP,
                                          MM7_RS_ERROR_RSP, MM7_FAULT,      MM7_OTHER};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct mm7_heard heard = report("Retrieved");
        heard.kind = kinds[i];
        read_heard(&heard, NULL, 0);
        assert_int_equal(brings, MM7_BRINGS_NOTHING);
    }
}

/* ---- messages ---- */

static struct mm7_recipient to_111 = {MM7_ROLE_TO, {MM7_FORM_SHORT_CODE, STR("111")}, false};

static struct mm7_heard message(void)
{
    return (struct mm7_heard){.kind = MM7_DELIVER_REQ,
                              .sender = {MM7_FORM_NUMBER, STR("14155550100")},
                              .recipients = &to_111,
                              .recipient_count = 1,
                              .transaction = STR("7-qf@mmsc"),
                              .subject = STR("subj")};
}

static struct mm7_part part(const char *type, const char *bytes)
{
    return (struct mm7_part){.type = str_of(type),
                             .charset = STR(""),
                             .name = STR(""),
                             .id = STR(""),
                             .location = STR(""),
                             .bytes = str_of(bytes)};
}

static void test_a_message(void **state)
{
    struct mm7_part parts[] = {part("application/smil", "<smil/>"), part("text/plain", "one"),
                               part("image/jpeg", "\xff\xd8"),      part("text/plain", "two"),
                               part("text/x-vcard", "BEGIN:VCARD"), part("image/png", "")};
    struct mm7_heard heard = message();
    const struct arrival *a = &delivered.arrival;

    read_heard(&heard, parts, 6);
    assert_int_equal(brings, MM7_BRINGS_MESSAGE);
    assert_true(a->mms);
    assert_int_equal(a->carrier, ACME);
    assert_true(str_is(a->from, "+14155550100"));
    assert_true(str_is(a->to, "111"));
    assert_true(str_is(a->text, "one\ntwo"));
    assert_true(str_is(a->subject, "subj"));
    assert_true(str_is(a->transaction, "7-qf@mmsc"));
    assert_int_equal(delivered.file_count, 2); /* no layout, no text, nothing that is empty */
    assert_ptr_equal(delivered.files[0], &parts[2]);
    assert_ptr_equal(delivered.files[1], &parts[4]);
    assert_int_equal(a->media_dropped, 0);
}

static void test_addresses(void **state)
{
    static const struct {
        struct mm7_address address;
        const char *shown;
    } cases[] = {
        {{MM7_FORM_NUMBER, STR("+14155550100")}, "+14155550100"},
        {{MM7_FORM_NUMBER, STR("14155550100")}, "+14155550100"},
        {{MM7_FORM_NUMBER, STR("4155550100")}, "4155550100"}, /* of which country? */
        {{MM7_FORM_NUMBER, STR("00385915550100")}, "00385915550100"},
        {{MM7_FORM_SHORT_CODE, STR("14155550100")}, "14155550100"},
        {{MM7_FORM_SHORT_CODE, STR("111")}, "111"},
        {{MM7_FORM_MAIL, STR("+14155550100@mmsc.example")}, "+14155550100"},
        {{MM7_FORM_MAIL, STR("ada@example.com")}, "ada@example.com"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mm7_heard heard = message();
        struct mm7_recipient to = {MM7_ROLE_TO, cases[i].address, false};
        heard.sender = cases[i].address;
        heard.recipients = &to;
        read_heard(&heard, NULL, 0);
        assert_true(str_is(delivered.arrival.from, cases[i].shown));
        assert_true(str_is(delivered.arrival.to, cases[i].shown));
    }
}

static void test_whom_it_is_to(void **state)
{
    struct mm7_recipient several[] = {{MM7_ROLE_CC, {MM7_FORM_SHORT_CODE, STR("222")}, false},
                                      {MM7_ROLE_TO, {MM7_FORM_SHORT_CODE, STR("333")}, false},
                                      {MM7_ROLE_TO, {MM7_FORM_SHORT_CODE, STR("444")}, false}};
    struct mm7_heard heard = message();

    heard.recipients = several;
    heard.recipient_count = 3;
    read_heard(&heard, NULL, 0);
    assert_true(str_is(delivered.arrival.to, "333"));
    assert_int_equal(delivered.arrival.other_count, 2);
    assert_true(str_is(delivered.arrival.others[0], "222"));
    assert_true(str_is(delivered.arrival.others[1], "444"));
    heard.recipient_count = 1;
    read_heard(&heard, NULL, 0);
    assert_true(str_is(delivered.arrival.to, "222"));
    assert_int_equal(delivered.arrival.other_count, 0);
    several[1].display_only = true;
    heard.recipient_count = 3;
    read_heard(&heard, NULL, 0);
    assert_true(str_is(delivered.arrival.to, "444"));
    assert_int_equal(delivered.arrival.other_count, 1);
    heard.recipient_count = 0;
    heard.vasp_id = STR("acme");
    read_heard(&heard, NULL, 0);
    assert_true(str_is(delivered.arrival.to, "acme"));
    heard.vas_id = STR("111");
    read_heard(&heard, NULL, 0);
    assert_true(str_is(delivered.arrival.to, "111"));
    heard.vas_id = heard.vasp_id = STR("");
    read_heard(&heard, NULL, 0);
    assert_true(str_is(delivered.arrival.to, "unknown"));
}

static void test_what_it_is_called(void **state)
{
    struct mm7_heard heard = message();

    heard.message_id = STR("m-1@mmsc");
    read_heard(&heard, NULL, 0);
    assert_true(str_is(delivered.arrival.transaction, "m-1@mmsc"));
    assert_int_equal(delivered.arrival.within_us, 0);
    heard.at_us = 77; /* of this request, maybe: the name is enough */
    read_heard(&heard, NULL, 0);
    assert_int_equal(delivered.arrival.stamp_us, 0);
    heard.message_id = STR("");
    read_heard(&heard, NULL, 0);
    assert_true(str_is(delivered.arrival.transaction, "7-qf@mmsc"));
    assert_int_equal(delivered.arrival.stamp_us, 77);
    assert_int_equal(delivered.arrival.within_us, 0);
    heard.at_us = 0;
    read_heard(&heard, NULL, 0);
    assert_int_equal(delivered.arrival.stamp_us, 0);
    assert_int_equal(delivered.arrival.within_us, INT64_C(600000000));
    heard.message_id = heard.transaction = STR("");
    read_heard(&heard, NULL, 0);
    assert_int_equal(delivered.arrival.transaction.n, 0);
}

/* One that nobody here can read stays a file. */
static void test_texts(void **state)
{
    struct mm7_part parts[] = {part("text/plain", "caf\xe9"), part("text/plain", "caf\xc3\xa9")};
    struct mm7_heard heard = message();

    heard.subject = STR("one\ntwo\tthree\xc2\x85");
    read_heard(&heard, parts, 2);
    assert_true(str_is(delivered.arrival.text, "caf\xc3\xa9"));
    assert_true(str_is(delivered.arrival.subject, "one two three "));
    assert_int_equal(delivered.file_count, 1);
    assert_ptr_equal(delivered.files[0], &parts[0]);
}

/* What is shown of it is bounded; all of it is the last file. */
static void test_a_long_text(void **state)
{
    struct mm7_part parts[MEDIA_MAX + 1];
    struct mm7_heard heard = message();
    static char text[16003];

    memset(text, 'x', 16001);
    parts[0] = part("text/plain", text);
    parts[0].bytes.n = 16000;
    for (size_t i = 1; i <= MEDIA_MAX; i++)
        parts[i] = part("image/gif", "x");
    read_heard(&heard, parts, MEDIA_MAX + 1);
    assert_int_equal(delivered.arrival.text.n, 16000);
    assert_false(delivered.arrival.text_cut);
    assert_int_equal(delivered.file_count, MEDIA_MAX);
    assert_int_equal(delivered.arrival.media_dropped, 0);

    memcpy(text + 15999, "\xc3\xa9", 2);
    parts[0] = part("text/plain", text);
    read_heard(&heard, parts, MEDIA_MAX + 1);
    assert_int_equal(delivered.arrival.text.n, 15999);
    assert_true(delivered.arrival.text_cut);
    assert_int_equal(delivered.file_count, MEDIA_MAX);
    assert_int_equal(delivered.arrival.media_dropped, 1);
    const struct mm7_part *file = delivered.files[MEDIA_MAX - 1];
    assert_true(str_is(file->type, "text/plain"));
    assert_true(str_is(file->bytes, text));
}

static void test_types(void **state)
{
    static const char *const cases[][2] = {
        {"image/jpeg", "image/jpeg"},
        {"image/jpg", "image/jpeg"},
        {"application/vnd.wap.multipart.mixed", "application/vnd.wap.multipart.mixed"},
        {"image/svg+xml", "image/svg+xml"},
        {"image", "application/octet-stream"},
        {"image/", "application/octet-stream"},
        {"/jpeg", "application/octet-stream"},
        {"", "application/octet-stream"},
        {"image/jpeg\r\nx: y", "application/octet-stream"},
        {"image/a/b", "application/octet-stream"},
        {"application/a-type-that-has-a-name-of-more-than-sixty-three-characters",
         "application/octet-stream"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mm7_part p = part(cases[i][0], "x");
        char type[MEDIA_TYPE_MAX + 1];
        mm7_deliver_type(&p, type);
        assert_string_equal(type, cases[i][1]);
    }
}

static void test_many_files(void **state)
{
    struct mm7_part parts[MEDIA_MAX + 3];
    struct mm7_heard heard = message();

    for (size_t i = 0; i < MEDIA_MAX + 3; i++)
        parts[i] = part("image/gif", "x");
    read_heard(&heard, parts, MEDIA_MAX + 3);
    assert_int_equal(delivered.file_count, MEDIA_MAX);
    assert_int_equal(delivered.arrival.media_dropped, 3);
}

static void test_short_of_memory(void **state)
{
    struct mm7_heard heard = message();
    struct arena tiny;

    arena_init(&tiny, 1);
    assert_int_equal(mm7_deliver_read(&delivered, &brings, &tiny, ACME, &heard, NULL, 0), -ENOMEM);
    arena_done(&tiny);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_words),
        CASE(test_a_report),
        CASE(test_a_read_reply_changes_nothing),
        CASE(test_too_little),
        CASE(test_nothing_for_us),
        CASE(test_a_message),
        CASE(test_addresses),
        CASE(test_whom_it_is_to),
        CASE(test_texts),
        CASE(test_a_long_text),
        CASE(test_what_it_is_called),
        CASE(test_types),
        CASE(test_many_files),
        CASE(test_short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
