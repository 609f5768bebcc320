/* Every capture of tests/data/mm7, replayed. */
#include "mm7/mm7.h"

#include "mm7/test_mm7.h"

#include <stdio.h>
#include <stdlib.h>

static struct mm7_heard heard;
static struct mm7_part parts[MIME_PARTS_MAX];
static size_t count;

static struct str capture(const char *name)
{
    char path[512];

    snprintf(path, sizeof path, "%s/tests/data/mm7/%s", getenv("SKYLARK_SOURCE"), name);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    char *bytes = arena_bytes(&arena, 1 << 16);
    size_t n = fread(bytes, 1, 1 << 16, f);
    fclose(f);
    assert_true(n > 0 && n < 1 << 16);
    return (struct str){bytes, n};
}

/* What lies between two marks; up to the end when there is no second. */
static struct str between(struct str text, const char *from, const char *to)
{
    const char *start = memmem(text.p, text.n, from, strlen(from));

    assert_non_null(start);
    struct str rest = str_skip(text, (size_t)(start - text.p));
    const char *end = to ? memmem(rest.p + 1, rest.n - 1, to, strlen(to)) : NULL;
    return end ? (struct str){rest.p, (size_t)(end - rest.p)} : rest;
}

/* A request or answer of HTTP: its head tells the type. */
static void replay(struct str http)
{
    char why[MM7_WHY_SIZE] = "";
    struct str body = http;

    str_cut(&body, '\n');
    struct str head = mime_cut_head(&body);
    count = MIME_PARTS_MAX;
    if (mm7_read(&heard, &arena, mime_field(&arena, head, "Content-Type"), body, parts, &count,
                 why))
        fail_msg("%s", why);
    IS(heard.namespace, MM7_NAMESPACE);
    IS(heard.version, MM7_VERSION);
}

static void is_success(enum mm7_kind kind, const char *transaction)
{
    assert_int_equal(heard.kind, kind);
    assert_false(heard.is_fault);
    IS(heard.transaction, transaction);
    assert_int_equal(heard.code, 1000);
    IS(heard.status_text, "Success");
    assert_int_equal(count, 0);
}

static void deliver_req_and_rsp(void **state)
{
    struct str all = capture("mbuni-deliverreq-rsp.http.txt");

    replay(between(all, "POST ", "HTTP/1.1 200 OK"));
    assert_int_equal(heard.kind, MM7_DELIVER_REQ);
    IS(heard.transaction, "7-qf2021.4.x151.36@mmsc");
    IS(heard.linked_id, "7-qf2021.4.x151.36@mmsc");
    IS(heard.relay_id, "mmsc");
    IS(heard.subject, "subj");
    IS(heard.content, "c1794702022.1834049260.Nc.msg");
    assert_int_equal(heard.at_us, INT64_C(1794702021) * 1000000);
    assert_int_equal(heard.sender.form, MM7_FORM_NUMBER);
    IS(heard.sender.text, "+14155550100");
    assert_int_equal(heard.recipient_count, 1);
    assert_int_equal(heard.recipients[0].role, MM7_ROLE_TO);
    assert_int_equal(heard.recipients[0].address.form, MM7_FORM_SHORT_CODE);
    IS(heard.recipients[0].address.text, "111");
    assert_int_equal(count, 1);
    IS(parts[0].type, "text/plain");
    assert_int_equal(parts[0].depth, 2);
    IS(parts[0].bytes, "hello from handset");
    replay(between(all, "HTTP/1.1 200 OK", NULL));
    is_success(MM7_DELIVER_RSP, "7-qf2021.4.x151.36@mmsc");
}

static void delivery_report_req_and_rsp(void **state)
{
    struct str all = capture("mbuni-deliveryreportreq-rsp.http.txt");

    replay(between(all, "POST ", "HTTP/1.1 200 OK"));
    assert_int_equal(heard.kind, MM7_DELIVERY_REPORT_REQ);
    IS(heard.transaction, "z-sh-qf2016.1.x151.83@mmsc");
    IS(heard.message_id, "z-sh-qf2016.1.x151.83@mmsc");
    assert_int_equal(heard.mm, MM7_MM_RETRIEVED);
    IS(heard.mm_status, "Retrieved");
    assert_int_equal(heard.at_us, INT64_C(1794702021) * 1000000);
    IS(heard.recipient.text, "111"); /* Mbuni swaps them */
    IS(heard.sender.text, "+14155550100");
    assert_int_equal(count, 0);
    replay(between(all, "HTTP/1.1 200 OK", NULL));
    is_success(MM7_DELIVERY_REPORT_RSP, "z-sh-qf2016.1.x151.83@mmsc");
}

static void submit_req_and_rsp(void **state)
{
    struct str all = capture("mbuni-submitreq-submitrsp.http.txt");

    replay(between(all, "POST ", "HTTP/1.1 200 OK"));
    assert_int_equal(heard.kind, MM7_SUBMIT_REQ);
    IS(heard.transaction, "s-h3-qf2016.1.x152.6");
    IS(heard.vasp_id, "acme");
    IS(heard.vas_id, "vas1");
    IS(heard.sender.text, "111");
    IS(heard.recipients[0].address.text, "+14155550100");
    IS(heard.subject, "Hello");
    assert_true(heard.wants_report);
    assert_int_equal(heard.expiry_us, INT64_C(1795306816) * 1000000);
    assert_int_equal(count, 1);
    IS(parts[0].id, "c1794702016.782452674.Zj.msg");
    assert_true(str_eq(parts[0].id, heard.content));
    IS(parts[0].bytes, "Hi there");
    replay(between(all, "HTTP/1.1 200 OK", NULL));
    is_success(MM7_SUBMIT_RSP, "s-h3-qf2016.1.x152.6");
    IS(heard.message_id, "z-sh-qf2016.1.x151.83@mmsc");
}

static void answers_of_an_mmsc(void **state)
{
    struct str all = capture("mbuni-mm7-responses-ok-and-errors.http.txt");
    static const struct {
        const char *mark, *id;
    } taken[] = {
        {"== ok\n", "4-qf2080.3.x531.21@mmsc"},
        {"== no recipients\n", "h-qf2080.4.x531.72@mmsc"},
        {"== wrong short code\n", "u-r0-qf2080.5.x531.40@mmsc"},
    };

    for (size_t i = 0; i < 3; i++) {
        struct str one = between(all, taken[i].mark, "\n== ");
        str_cut(&one, '\n');
        replay(one);
        is_success(MM7_SUBMIT_RSP, "tx-1");
        IS(heard.message_id, taken[i].id);
    }
    struct str bad = between(all, "== bad xml\n", "\n== ");
    str_cut(&bad, '\n');
    replay(bad);
    assert_int_equal(heard.kind, MM7_RS_ERROR_RSP);
    assert_true(heard.is_fault);
    IS(heard.transaction, "0000");
    assert_int_equal(heard.code, MM7_FORMAT_CORRUPT);
    IS(heard.status_text, "Message format corrupt");
    IS(heard.fault_code, "SOAP-ENV:Server");
    IS(heard.fault_text, "Server error");
}

static void an_answer_without_body_is_no_soap(void **state)
{
    struct str all = capture("mbuni-mm7-responses-ok-and-errors.http.txt");
    struct str one = between(all, "HTTP/1.1 401", "\n== ");
    char why[MM7_WHY_SIZE];

    str_cut(&one, '\n');
    struct str head = mime_cut_head(&one);
    IS(mime_field(&arena, head, "WWW-Authenticate"), "Basic realm=\"Mbuni\"");
    count = MIME_PARTS_MAX;
    assert_int_not_equal(mm7_read(&heard, &arena, STR(""), one, parts, &count, why), 0);
    assert_string_equal(why, "The SOAP part cannot be read: it is empty.");
}

static const char smil[] = "<smil><head><layout><root-layout/><region id=\"Text\" top=\"0\" "
                           "left=\"0\" height=\"100%\" width=\"100%\"/></layout></head><body>"
                           "<par dur=\"5s\"><text src=\"cid:t1\" region=\"Text\"/></par></body>"
                           "</smil>";

static void are_smil_and_text(void)
{
    assert_int_equal(count, 2);
    IS(parts[0].type, "application/smil");
    IS(parts[0].id, "smil");
    IS(parts[0].bytes, smil);
    IS(parts[1].type, "text/plain");
    IS(parts[1].charset, "utf-8");
    IS(parts[1].id, "t1");
    IS(parts[1].bytes, "Hello MMS");
}

static void a_body_with_smil(void **state)
{
    struct str body = capture("submitreq-smil-multipart-body.txt");
    char why[MM7_WHY_SIZE];

    count = MIME_PARTS_MAX;
    assert_int_equal(mm7_read(&heard, &arena,
                              STR("multipart/related; boundary=\"B1\"; start=\"<soap-start>\""),
                              body, parts, &count, why),
                     0);
    assert_int_equal(heard.kind, MM7_SUBMIT_REQ);
    IS(heard.transaction, "tx-1");
    IS(heard.content, "mms");
    assert_true(heard.recipient_count > 0);
    are_smil_and_text();
    assert_int_equal(parts[1].depth, 2);
}

/* ---- MM4: mail, of which the first line is the envelope ---- */

static void mm4_forward_req(void **state)
{
    struct str body = capture("mbuni-mm4-forward-req.eml.txt");
    struct mime_type type;
    const char *why = "";

    str_cut(&body, '\n');
    struct str head = mime_cut_head(&body);
    IS(mime_field(&arena, head, "X-Mms-Message-Type"), "MM4_forward.REQ");
    IS(mime_field(&arena, head, "x-mms-transaction-id"),
       "\"+447700900123/TYPE=PLMN-mmsc-qf2177.1.x866.21\"");
    IS(mime_field(&arena, head, "To"), "+447700900123/TYPE=PLMN");
    IS(mime_id(mime_field(&arena, head, "Message-ID")), "qf2177.1.x866.21@mmsc");
    assert_int_equal(mime_type_read(&type, &arena, mime_field(&arena, head, "Content-Type")), 0);
    IS(type.start, "smil");
    count = MIME_PARTS_MAX;
    assert_int_equal(mime_read(&type, &arena, body, parts, &count, &why), 0);
    are_smil_and_text();
}

static void mm4_forward_res(void **state)
{
    struct str body = capture("mbuni-mm4-forward-res.eml.txt");

    str_cut(&body, '\n');
    struct str head = mime_cut_head(&body);
    IS(mime_field(&arena, head, "X-Mms-Message-Type"), "MM4_forward.RES");
    IS(mime_field(&arena, head, "X-Mms-Request-Status-Code"), "Ok");
    IS(mime_field(&arena, head, "X-Mms-Transaction-ID"), "tx-77");
    IS(mime_field(&arena, head, "Content-Type"), "");
    IS(body, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(deliver_req_and_rsp),
        CASE(delivery_report_req_and_rsp),
        CASE(submit_req_and_rsp),
        CASE(answers_of_an_mmsc),
        CASE(an_answer_without_body_is_no_soap),
        CASE(a_body_with_smil),
        CASE(mm4_forward_req),
        CASE(mm4_forward_res),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
