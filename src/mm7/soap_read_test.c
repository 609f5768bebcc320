#include "mm7/mm7.h"

#include "mm7/test_mm7.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static char why[MM7_WHY_SIZE];

/* What stands in the Body, heard. */
static struct mm7_heard hear(const char *said)
{
    char *text =
        arena_printf(&arena,
                     "<e:Envelope xmlns:e='urn:e'><e:Header><t:TransactionID xmlns:t='t'>"
                     "\n tx 1 </t:TransactionID></e:Header><e:Body>%s</e:Body></e:Envelope>",
                     said);
    struct mm7_heard heard;

    if (mm7_read_soap(&heard, &arena, str_of(text), why))
        fail_msg("%s", why);
    IS(heard.transaction, "tx 1");
    return heard;
}

static void refused(const char *text, int code, const char *reason)
{
    struct mm7_heard heard;

    memset(why, 0, sizeof why);
    assert_int_equal(mm7_read_soap(&heard, &arena, str_of(text), why), code);
    if (!strstr(why, reason))
        fail_msg("'%s' is not '%s'", why, reason);
}

static void address_is(const struct mm7_address *a, enum mm7_form form, const char *text)
{
    assert_int_equal(a->form, form);
    if (!str_is(a->text, text))
        fail_msg("'%.*s' is not '%s'", STR_FMT(a->text), text);
}

/* ---- answers ---- */

static void submit_rsp_is_heard(void **state)
{
    struct mm7_heard h = hear("<m:SubmitRsp xmlns:m='urn:any'><m:MessageID>\n id-7 </m:MessageID>"
                              "<m:Status><m:Details><x>two of three</x></m:Details>"
                              "<m:StatusText> Partial </m:StatusText>"
                              "<m:StatusCode> 1100\n</m:StatusCode></m:Status>"
                              "<m:MM7Version>5.3.0</m:MM7Version></m:SubmitRsp>");

    assert_int_equal(h.kind, MM7_SUBMIT_RSP);
    assert_false(h.is_fault);
    IS(h.element, "SubmitRsp");
    IS(h.namespace, "urn:any");
    IS(h.version, "5.3.0");
    IS(h.message_id, "id-7");
    assert_int_equal(h.code, 1100);
    IS(h.status_text, "Partial");
    IS(h.details, "two of three");
    assert_int_equal(h.mm, MM7_MM_STRANGE);
}

static void codes_may_stand_without_status(void **state)
{
    assert_int_equal(hear("<SubmitRsp><StatusCode>2002</StatusCode></SubmitRsp>").code, 2002);
    assert_int_equal(hear("<SubmitRsp/>").code, 0);
    assert_int_equal(hear("<SubmitRsp><StatusCode>-1</StatusCode></SubmitRsp>").code, 0);
    assert_int_equal(hear("<SubmitRsp><StatusCode>4294968296</StatusCode></SubmitRsp>").code, 0);
    IS(hear("<SubmitRsp><Status><Details>plain</Details></Status></SubmitRsp>").details, "plain");
}

static void faults_hold_answers(void **state)
{
    struct mm7_heard h =
        hear("<e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring>"
             "<detail><note/><RSErrorRsp xmlns='urn:7'><Status>"
             "<StatusCode>4001</StatusCode><StatusText>who?</StatusText></Status>"
             "</RSErrorRsp></detail></e:Fault>");

    assert_int_equal(h.kind, MM7_RS_ERROR_RSP);
    assert_true(h.is_fault);
    assert_int_equal(h.code, 4001);
    IS(h.status_text, "who?");
    IS(h.fault_code, "e:Client");
    IS(h.fault_text, "no");
    IS(h.namespace, "urn:7");
}

static void faults_may_be_bare(void **state)
{
    struct mm7_heard h = hear("<e:Fault><faultcode>e:Server</faultcode></e:Fault>");

    assert_int_equal(h.kind, MM7_FAULT);
    assert_true(h.is_fault);
    assert_int_equal(h.code, 0);
    h = hear("<Fault><Code><Value>e:Sender</Value></Code><Reason><Text>bad</Text></Reason>"
             "<Detail><SubmitRsp><StatusCode>2004</StatusCode></SubmitRsp></Detail></Fault>");
    assert_int_equal(h.kind, MM7_SUBMIT_RSP);
    assert_true(h.is_fault);
    assert_int_equal(h.code, 2004);
    IS(h.fault_code, "e:Sender");
    IS(h.fault_text, "bad");
    assert_int_equal(hear("<Fault><detail><x/></detail></Fault>").kind, MM7_FAULT);
    h = hear("<RSErrorRsp><Status><StatusCode>3000</StatusCode></Status></RSErrorRsp>");
    assert_int_equal(h.kind, MM7_RS_ERROR_RSP);
    assert_false(h.is_fault);
}

/* ---- requests ---- */

static void reports_are_heard_in_any_order(void **state)
{
    struct mm7_heard h =
        hear("<DeliveryReportReq><MMStatus> Unrecognized </MMStatus>"
             "<MMStatusExtension>RejectionByOtherRS</MMStatusExtension>"
             "<Date>2026-11-15T00:20:21+01:00</Date><StatusText>why not</StatusText>"
             "<Sender><Number>+385 91/TYPE=PLMN</Number></Sender>"
             "<Recipient>\n<ShortCode> 111 </ShortCode></Recipient>"
             "<MessageID> id-1\t</MessageID></DeliveryReportReq>");

    assert_int_equal(h.kind, MM7_DELIVERY_REPORT_REQ);
    IS(h.message_id, "id-1");
    IS(h.mm_status, "Unrecognized");
    assert_int_equal(h.mm, MM7_MM_UNRECOGNISED);
    IS(h.mm_extension, "RejectionByOtherRS");
    IS(h.status_text, "why not");
    address_is(&h.sender, MM7_FORM_NUMBER, "+385 91");
    address_is(&h.recipient, MM7_FORM_SHORT_CODE, "111");
    assert_int_equal(h.at_us, INT64_C(1794698421) * 1000000);
}

static void read_replies_are_heard(void **state)
{
    struct mm7_heard h = hear("<ReadReplyReq><MessageID>i</MessageID><MMStatus>Read</MMStatus>"
                              "<TimeStamp>2026-11-15T00:20:21</TimeStamp></ReadReplyReq>");

    assert_int_equal(h.kind, MM7_READ_REPLY_REQ);
    assert_int_equal(h.mm, MM7_MM_READ);
    assert_int_equal(h.at_us, INT64_C(1794702021) * 1000000); /* without a zone it is UTC */
    assert_int_equal(hear("<ReadReplyReq><Date>yesterday</Date></ReadReplyReq>").at_us, 0);
}

static void deliveries_are_heard(void **state)
{
    struct mm7_heard h =
        hear("<DeliverReq><Content allowAdaptations='true' href=' CID:&lt;c1&gt; '/>"
             "<Recipients><Cc><Number "
             "displayOnly='true'>2</Number><RFC2822Address>a@b.c</RFC2822Address></Cc>"
             "<Other><Number>9</Number></Other><To><ShortCode>111</ShortCode></To>"
             "<Bcc>+4915112345678/type=plmn</Bcc></Recipients>"
             "<Subject>a &amp; b</Subject><Priority>High</Priority><LinkedID>l</LinkedID>"
             "<MMSRelayServerID>r</MMSRelayServerID><VASPID>p</VASPID><VASID>v</VASID>"
             "<ServiceCode>s</ServiceCode><Sender>+14155550100/TYPE=PLMN</Sender></DeliverReq>");

    assert_int_equal(h.kind, MM7_DELIVER_REQ);
    assert_true(h.recipients[0].display_only);
    assert_false(h.recipients[1].display_only || h.recipients[2].display_only);
    IS(h.content, "c1");
    IS(h.subject, "a & b");
    IS(h.priority, "High");
    IS(h.linked_id, "l");
    IS(h.relay_id, "r");
    IS(h.vasp_id, "p");
    IS(h.vas_id, "v");
    IS(h.service_code, "s");
    address_is(&h.sender, MM7_FORM_NUMBER, "+14155550100");
    assert_int_equal(h.recipient_count, 4);
    assert_int_equal(h.recipients[0].role, MM7_ROLE_CC);
    address_is(&h.recipients[0].address, MM7_FORM_NUMBER, "2");
    address_is(&h.recipients[1].address, MM7_FORM_MAIL, "a@b.c");
    assert_int_equal(h.recipients[2].role, MM7_ROLE_TO);
    address_is(&h.recipients[2].address, MM7_FORM_SHORT_CODE, "111");
    assert_int_equal(h.recipients[3].role, MM7_ROLE_BCC);
    address_is(&h.recipients[3].address, MM7_FORM_NUMBER, "+4915112345678");
}

static void addresses_have_many_forms(void **state)
{
    static const struct {
        const char *xml;
        enum mm7_form form;
        const char *text;
    } rows[] = {
        {"<Number> +38591/TYPE=PLMN </Number>", MM7_FORM_NUMBER, "+38591"},
        {"<RFC2822Address>+38591/TYPE=PLMN@mms.hr</RFC2822Address>", MM7_FORM_NUMBER, "+38591"},
        {"<RFC2822Address>me@mms.hr</RFC2822Address>", MM7_FORM_MAIL, "me@mms.hr"},
        {"<Number/><ShortCode>7</ShortCode>", MM7_FORM_SHORT_CODE, "7"},
        {"12345", MM7_FORM_SHORT_CODE, "12345"},
        {"12345/TYPE=PLMN", MM7_FORM_SHORT_CODE, "12345"},
        {"4915112345678", MM7_FORM_NUMBER, "4915112345678"},
        {"me@mms.hr", MM7_FORM_MAIL, "me@mms.hr"},
        {"<x>1</x>", MM7_FORM_NUMBER, ""},
        {"", MM7_FORM_NUMBER, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *xml =
            arena_printf(&arena, "<DeliverReq><Sender>%s</Sender></DeliverReq>", rows[i].xml);
        struct mm7_heard h = hear(xml);
        address_is(&h.sender, rows[i].form, rows[i].text);
    }
}

static void submits_are_heard(void **state)
{
    struct mm7_heard h =
        hear("<SubmitReq><SenderIdentification><VASPID>p</VASPID><VASID>v</VASID>"
             "<SenderAddress><ShortCode>111</ShortCode></SenderAddress></SenderIdentification>"
             "<ExpiryDate>2026-11-15T00:20:21Z</ExpiryDate><DeliveryReport>true</DeliveryReport>"
             "<MessageClass>Auto</MessageClass></SubmitReq>");

    assert_int_equal(h.kind, MM7_SUBMIT_REQ);
    IS(h.vasp_id, "p");
    IS(h.vas_id, "v");
    address_is(&h.sender, MM7_FORM_SHORT_CODE, "111");
    assert_true(h.wants_report);
    assert_int_equal(h.expiry_us, INT64_C(1794702021) * 1000000);
    IS(h.message_class, "Auto");
    assert_false(hear("<SubmitReq><DeliveryReport>0</DeliveryReport></SubmitReq>").wants_report);
}

/* ---- what is not said well ---- */

static void unknown_elements_are_other(void **state)
{
    struct mm7_heard h = hear("<CancelReq><MessageID>i</MessageID></CancelReq>");

    assert_int_equal(h.kind, MM7_OTHER);
    IS(h.element, "CancelReq");
    assert_int_equal(hear("<Strange/><SubmitRsp/>").kind, MM7_SUBMIT_RSP);
}

static void what_is_no_envelope_is_refused(void **state)
{
    refused("<html><body>Bad gateway</body></html>", -EBADMSG, "no SOAP envelope");
    refused("<Envelope/>", -EBADMSG, "no SOAP envelope");
    refused("<Envelope><Body/></Envelope>", -EBADMSG, "no SOAP envelope");
    refused("<Envelope><Body>text</Body></Envelope>", -EBADMSG, "no SOAP envelope");
    refused("<SubmitRsp/>", -EBADMSG, "no SOAP envelope");
    refused("<!DOCTYPE a><Envelope/>", -EBADMSG,
            "The SOAP part cannot be read: it has a document type, which SOAP forbids.");
    refused("", -EBADMSG, "it is empty.");
}

static void recipients_are_limited(void **state)
{
    for (int n = MM7_RECIPIENTS_MAX; n <= MM7_RECIPIENTS_MAX + 1; n++) {
        BUF_CLEANUP struct buf text;
        buf_init(&text, 1 << 20);
        buf_text(&text, "<Envelope><Body><DeliverReq><Recipients><To>");
        for (int i = 0; i < n; i++)
            buf_printf(&text, "<Number>%d</Number>", i);
        buf_text(&text, "</To></Recipients></DeliverReq></Body></Envelope>");
        buf_add_char(&text, '\0');
        struct mm7_heard h;
        if (n > MM7_RECIPIENTS_MAX)
            refused(text.p, -E2BIG, "256 recipients");
        else
            assert_int_equal(mm7_read_soap(&h, &arena, str_of(text.p), why), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(submit_rsp_is_heard),
        CASE(codes_may_stand_without_status),
        CASE(faults_hold_answers),
        CASE(faults_may_be_bare),
        CASE(reports_are_heard_in_any_order),
        CASE(read_replies_are_heard),
        CASE(deliveries_are_heard),
        CASE(addresses_have_many_forms),
        CASE(submits_are_heard),
        CASE(unknown_elements_are_other),
        CASE(what_is_no_envelope_is_refused),
        CASE(recipients_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
