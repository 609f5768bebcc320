#include "cli/raw_request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct raw_request request;
static size_t line;

static enum raw_request_fault parse(const char *text)
{
    return raw_request_parse(str_of(text), &request, &line);
}

#define check_text(view, text) assert_true(str_is(view, text))

static void test_whole_request(void **state)
{
    assert_int_equal(parse("POST /hook HTTP/1.1\r\nHost: a.example:80\r\n"
                           "X-Service-Signature:  sha256=ab \r\nWEBHOOK-ID: evt_1\r\n"
                           "webhook-timestamp:17\r\nwebhook-signature: v1,x v1,y\r\n"
                           "content-length: 4\r\n\r\n{}\r\n"),
                     RAW_REQUEST_GOOD);
    check_text(request.signature, "sha256=ab");
    check_text(request.webhook_id, "evt_1");
    check_text(request.webhook_time, "17");
    check_text(request.webhook_signature, "v1,x v1,y");
    check_text(request.content_length, "4");
    check_text(request.body, "{}\r\n");
}

static void test_without_request_line(void **state)
{
    assert_int_equal(parse("webhook-id: a:b\nOther: x\n\none\n\ntwo"), RAW_REQUEST_GOOD);
    check_text(request.webhook_id, "a:b");
    check_text(request.body, "one\n\ntwo");
    assert_null(request.signature.p);
    assert_int_equal(parse("POST http://a.example:80/hook HTTP/1.1\nwebhook-id: 1\n\n"),
                     RAW_REQUEST_GOOD);
    check_text(request.webhook_id, "1");
    check_text(request.body, "");
    assert_int_equal(parse("\nbody"), RAW_REQUEST_GOOD);
    check_text(request.body, "body");
}

static void check_fault(const char *text, enum raw_request_fault fault, size_t at)
{
    assert_int_equal(parse(text), fault);
    assert_int_equal(line, at);
}

static void test_faults(void **state)
{
    check_fault("", RAW_REQUEST_NO_BODY, 1);
    check_fault("webhook-id: 1\nOther: x", RAW_REQUEST_NO_BODY, 2);
    check_fault("webhook-id: 1\n", RAW_REQUEST_NO_BODY, 2);
    check_fault("POST / HTTP/1.1\nwebhook-id: 1\n{\"a\": 1}\n\n", RAW_REQUEST_GOOD, 4);
    check_fault("POST / HTTP/1.1\nno header\n\n", RAW_REQUEST_NO_HEADER, 2);
    check_fault("POST / HTTP/1.1\n: x\n\n", RAW_REQUEST_NO_HEADER, 2);
    check_fault("POST / HTTP/1.1\na: x\n b: y\n\n", RAW_REQUEST_NO_HEADER, 3);
    check_fault("webhook-id: 1\nX: y\nWebhook-Id: 1\n\n", RAW_REQUEST_TWICE, 3);
    check_fault("Transfer-Encoding: chunked\n\n0\r\n", RAW_REQUEST_CHUNKED, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_request),
        cmocka_unit_test(test_without_request_line),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
