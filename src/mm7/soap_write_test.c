#include "mm7/mm7.h"
#include "mm7/xml.h"

#include "mm7/test_mm7.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const struct mm7_dialect usual;
static char why[MM7_WHY_SIZE];

static const struct mm7_recipient three[] = {
    {MM7_ROLE_BCC, {MM7_FORM_MAIL, {"a@b.c", 5}}, false},
    {MM7_ROLE_TO, {MM7_FORM_NUMBER, {"+14155550100", 12}}, false},
    {MM7_ROLE_TO, {MM7_FORM_SHORT_CODE, {"777", 3}}, false},
};

/* Everything that can be said. */
static struct mm7_submit full(void)
{
    return (struct mm7_submit){
        .transaction = STR("tx-1"),
        .vasp_id = STR("acme"),
        .vas_id = STR("vas"),
        .sender = {MM7_FORM_SHORT_CODE, STR("111")},
        .recipients = three,
        .recipient_count = 3,
        .service_code = STR("code"),
        .linked_id = STR("link"),
        .message_class = STR("Informational"),
        .timestamp_us = INT64_C(1794702016999999),
        .earliest_us = INT64_C(1794702020000000),
        .expiry_us = INT64_C(1795306816000000),
        .delivery_report = true,
        .priority = STR("High"),
        .subject = STR("Hello"),
        .content = STR("mms"),
    };
}

static void submit_is(const struct mm7_submit *s, const struct mm7_dialect *d, const char *want)
{
    BUF_CLEANUP struct buf out;

    buf_init(&out, 1 << 16);
    assert_int_equal(mm7_write_submit(&out, d, s), 0);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, want);
}

#define FRONT(ns)                                                                                  \
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"                                                 \
    "<env:Envelope xmlns:env=\"http://schemas.xmlsoap.org/soap/envelope/\"><env:Header>"           \
    "<mm7:TransactionID xmlns:mm7=\"" ns "\" env:mustUnderstand=\"1\">tx-1</mm7:TransactionID>"    \
    "</env:Header><env:Body>"
#define BACK "</env:Body></env:Envelope>\n"

/* ---- SubmitReq ---- */

static void everything_is_said_in_order(void **state)
{
    struct mm7_submit s = full();

    submit_is(
        &s, &usual,
        FRONT(MM7_NAMESPACE) "<SubmitReq xmlns=\"" MM7_NAMESPACE "\">"
                             "<MM7Version>6.8.0</MM7Version>"
                             "<SenderIdentification><VASPID>acme</VASPID><VASID>vas</VASID>"
                             "<SenderAddress><ShortCode>111</ShortCode></SenderAddress></"
                             "SenderIdentification>"
                             "<Recipients><To><Number>+14155550100</Number><ShortCode>777</"
                             "ShortCode></To>"
                             "<Bcc><RFC2822Address>a@b.c</RFC2822Address></Bcc></Recipients>"
                             "<ServiceCode>code</ServiceCode><LinkedID>link</LinkedID>"
                             "<MessageClass>Informational</MessageClass>"
                             "<TimeStamp>2026-11-15T00:20:16Z</TimeStamp>"
                             "<EarliestDeliveryTime>2026-11-15T00:20:20Z</EarliestDeliveryTime>"
                             "<ExpiryDate>2026-11-22T00:20:16Z</ExpiryDate>"
                             "<DeliveryReport>true</DeliveryReport><ReadReply>false</ReadReply>"
                             "<Priority>High</Priority><Subject>Hello</Subject>"
                             "<Content href=\"cid:mms\" "
                             "allowAdaptations=\"true\"/></SubmitReq>" BACK);
}

static void what_is_not_said_is_left_out(void **state)
{
    struct mm7_submit s = {
        .transaction = STR("tx-1"), .recipients = three + 1, .recipient_count = 1};
    struct mm7_dialect d = {STR("urn:a&b"), STR("5.3.0")};

    submit_is(&s, &d,
              FRONT("urn:a&amp;b") "<SubmitReq xmlns=\"urn:a&amp;b\"><MM7Version>5.3.0</MM7Version>"
                                   "<SenderIdentification></SenderIdentification>"
                                   "<Recipients><To><Number>+14155550100</Number></To></Recipients>"
                                   "<DeliveryReport>false</DeliveryReport><ReadReply>false</"
                                   "ReadReply></SubmitReq>" BACK);
}

/* The whole sequence of the schema, also what we never say (3GPP TS 23.140, annex L). */
static const char *const sequence[] = {
    "MM7Version",
    "SenderIdentification",
    "Recipients",
    "ServiceCode",
    "LinkedID",
    "MessageClass",
    "TimeStamp",
    "ReplyCharging",
    "EarliestDeliveryTime",
    "ExpiryDate",
    "DeliveryReport",
    "ReadReply",
    "Priority",
    "Subject",
    "ChargedParty",
    "ChargedPartyID",
    "DistributionIndicator",
    "DeliveryCondition",
    "ApplicID",
    "ReplyApplicID",
    "AuxApplicInfo",
    "ContentClass",
    "DRMContent",
    "Content",
};

static void elements_follow_the_sequence(void **state)
{
    BUF_CLEANUP struct buf out;
    struct mm7_submit s = full();
    struct xml_node *root;
    const char *reason;
    size_t at = 0, count = 0;

    buf_init(&out, 1 << 16);
    assert_int_equal(mm7_write_submit(&out, &usual, &s), 0);
    assert_int_equal(xml_read(&root, &arena, buf_str(&out), &reason), 0);
    const struct xml_node *said = xml_child(xml_child(root, "Body"), "SubmitReq");
    for (const struct xml_node *c = said->child; c; c = c->next, at++, count++) {
        while (at < sizeof sequence / sizeof *sequence && !str_is(c->name, sequence[at]))
            at++;
        if (at == sizeof sequence / sizeof *sequence)
            fail_msg("%.*s stands in the wrong place", STR_FMT(c->name));
        IS(c->namespace, MM7_NAMESPACE);
    }
    assert_int_equal(count, 14);
}

static void texts_are_escaped(void **state)
{
    struct mm7_submit s = {
        .transaction = STR("tx-1"), .recipients = three + 1, .recipient_count = 1};
    BUF_CLEANUP struct buf out;
    struct mm7_heard h;

    buf_init(&out, 1 << 16);
    s.subject = STR("<a b=\"c\">&'\r\n\t\xc3\xbc\xf0\x9f\x90\xa6]]>\x01|\xff|\xef\xbf\xbf|");
    s.transaction = STR("</mm7:TransactionID>");
    s.content = STR("\"/><x>");
    assert_int_equal(mm7_write_submit(&out, &usual, &s), 0);
    if (mm7_read_soap(&h, &arena, buf_str(&out), why))
        fail_msg("%s", why);
    IS(h.subject, "<a b=\"c\">&'\r\n\t\xc3\xbc\xf0\x9f\x90\xa6]]>"
                  "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd|");
    IS(h.transaction, "</mm7:TransactionID>");
    IS(h.content, "\"/><x");
}

static void what_was_said_is_heard(void **state)
{
    BUF_CLEANUP struct buf out;
    struct mm7_submit s = full();
    struct mm7_heard h;

    buf_init(&out, 1 << 16);
    assert_int_equal(mm7_write_submit(&out, &usual, &s), 0);
    assert_int_equal(mm7_read_soap(&h, &arena, buf_str(&out), why), 0);
    assert_int_equal(h.kind, MM7_SUBMIT_REQ);
    IS(h.transaction, "tx-1");
    IS(h.vasp_id, "acme");
    IS(h.sender.text, "111");
    assert_int_equal(h.recipient_count, 3);
    assert_int_equal(h.recipients[2].role, MM7_ROLE_BCC);
    assert_true(h.wants_report);
    assert_int_equal(h.at_us, INT64_C(1794702016000000));
    IS(h.content, "mms");
}

static void nobody_to_send_to_is_refused(void **state)
{
    BUF_CLEANUP struct buf out;
    struct mm7_submit s = full();
    struct mm7_recipient empty = {MM7_ROLE_TO, {MM7_FORM_NUMBER, STR("")}, false};

    buf_init(&out, 1 << 16);
    s.recipient_count = 0;
    assert_int_equal(mm7_write_submit(&out, &usual, &s), -EINVAL);
    s.recipients = &empty;
    s.recipient_count = 1;
    assert_int_equal(mm7_write_submit(&out, &usual, &s), -EINVAL);
    assert_int_equal(out.n, 0);
}

static void full_buffers_are_told(void **state)
{
    BUF_CLEANUP struct buf out;
    struct mm7_submit s = full();
    struct mm7_answer a = {.kind = MM7_DELIVER_RSP, .code = 1000};

    buf_init(&out, 500);
    assert_int_equal(mm7_write_submit(&out, &usual, &s), -ENOMEM);
    buf_clear(&out);
    buf_printf(&out, "%200s", "");
    assert_int_equal(mm7_write_answer(&out, &usual, &a), -ENOMEM);
}

/* ---- answers ---- */

static void answer_is(const struct mm7_answer *a, const char *want)
{
    BUF_CLEANUP struct buf out;

    buf_init(&out, 1 << 16);
    assert_int_equal(mm7_write_answer(&out, &usual, a), 0);
    buf_add_char(&out, '\0');
    assert_string_equal(out.p, want);
}

#define SAID(name)                                                                                 \
    FRONT(MM7_NAMESPACE) "<" name " xmlns=\"" MM7_NAMESPACE "\"><MM7Version>6.8.0</MM7Version>"

static void answers_are_said(void **state)
{
    struct mm7_answer a = {.kind = MM7_DELIVER_RSP, .transaction = STR("tx-1"), .code = 1000};
    const char *status =
        "<Status><StatusCode>1000</StatusCode><StatusText>Success</StatusText></Status>";

    answer_is(&a, arena_printf(&arena, SAID("DeliverRsp") "%s</DeliverRsp>" BACK, status));
    a.kind = MM7_DELIVERY_REPORT_RSP;
    answer_is(
        &a, arena_printf(&arena, SAID("DeliveryReportRsp") "%s</DeliveryReportRsp>" BACK, status));
    a.kind = MM7_READ_REPLY_RSP;
    answer_is(&a, arena_printf(&arena, SAID("ReadReplyRsp") "%s</ReadReplyRsp>" BACK, status));
    a.kind = MM7_SUBMIT_RSP;
    a.message_id = STR("id<1");
    answer_is(&a, arena_printf(
                      &arena, SAID("SubmitRsp") "%s<MessageID>id&lt;1</MessageID></SubmitRsp>" BACK,
                      status));
}

static void errors_are_said_in_faults(void **state)
{
    struct mm7_answer a = {.kind = MM7_VASP_ERROR_RSP,
                           .transaction = STR("tx-1"),
                           .code = 2007,
                           .details = STR("no & no")};

    answer_is(&a, FRONT(MM7_NAMESPACE) "<env:Fault><faultcode>env:Client</"
                                       "faultcode><faultstring>Client error</faultstring>"
                                       "<detail><VASPErrorRsp xmlns=\"" MM7_NAMESPACE
                                       "\"><MM7Version>6.8.0</MM7Version>"
                                       "<Status><StatusCode>2007</StatusCode><StatusText>Message "
                                       "format corrupt</StatusText>"
                                       "<Details><Reason>no &amp; "
                                       "no</Reason></Details></Status></VASPErrorRsp></detail>"
                                       "</env:Fault>" BACK);
    a.code = 3999;
    a.kind = MM7_RS_ERROR_RSP;
    a.details = STR("");
    answer_is(&a, FRONT(MM7_NAMESPACE) "<env:Fault><faultcode>env:Server</"
                                       "faultcode><faultstring>Server error</faultstring>"
                                       "<detail><RSErrorRsp xmlns=\"" MM7_NAMESPACE
                                       "\"><MM7Version>6.8.0</MM7Version>"
                                       "<Status><StatusCode>3999</StatusCode><StatusText>Error</"
                                       "StatusText></Status>"
                                       "</RSErrorRsp></detail></env:Fault>" BACK);
}

static void answers_are_heard(void **state)
{
    BUF_CLEANUP struct buf out;
    struct mm7_answer a = {.kind = MM7_VASP_ERROR_RSP, .code = 4003, .details = STR("what?")};
    struct mm7_heard h;

    buf_init(&out, 1 << 16);
    assert_int_equal(mm7_write_answer(&out, &usual, &a), 0);
    assert_int_equal(mm7_read_soap(&h, &arena, buf_str(&out), why), 0);
    assert_int_equal(h.kind, MM7_VASP_ERROR_RSP);
    assert_true(h.is_fault);
    assert_int_equal(h.code, 4003);
    IS(h.details, "what?");
    a.kind = MM7_DELIVER_REQ;
    assert_int_equal(mm7_write_answer(&out, &usual, &a), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(everything_is_said_in_order),  CASE(what_is_not_said_is_left_out),
        CASE(elements_follow_the_sequence), CASE(texts_are_escaped),
        CASE(what_was_said_is_heard),       CASE(nobody_to_send_to_is_refused),
        CASE(full_buffers_are_told),        CASE(answers_are_said),
        CASE(errors_are_said_in_faults),    CASE(answers_are_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
