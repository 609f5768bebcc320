/* What an MMSC is told that brings what is not right, or too much; and who may not come in. */
#include "carriers/test_inbox.h"

#include <stdlib.h>

static void test_not_understood(void **state)
{
    static const char *const bodies[] = {
        "",
        "nonsense",
        "<?xml version='1.0'?><html/>",
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>",
        XML "<!DOCTYPE x [<!ENTITY a 'b'>]>" BARE(MM7_NAMESPACE, "tx",
                                                  "<ReadReplyReq xmlns='" MM7_NAMESPACE
                                                  "'><MessageID>&a;</MessageID></ReadReplyReq>"),
    };

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        assert_int_equal(test_post(bodies[i]), 400);
        test_assert_answer(MM7_VASP_ERROR_RSP, 2007, "");
    }
    assert_int_equal(test_stray_count(), 0);
}

static void test_something_is_missing(void **state)
{
    assert_int_equal(test_post(REPORT(MM7_NAMESPACE, "", "Retrieved")), 400);
    test_assert_answer(MM7_DELIVERY_REPORT_RSP, 4004, "tx-9");
    assert_true(test_says("MessageID is missing."));
    assert_int_equal(test_post(ENVELOPE(MM7_NAMESPACE, "tx-1",
                                        "<DeliverReq xmlns='" MM7_NAMESPACE "'></DeliverReq>")),
                     400);
    test_assert_answer(MM7_DELIVER_RSP, 4004, "tx-1");
    assert_true(test_says("Sender is missing."));
}

static void test_who_comes_in(void **state)
{
    struct str report = STR(REPORT(MM7_NAMESPACE, "x", "Retrieved"));

    test_use("[mmsc acme]\nurl = http://a/\nlisten_username = user\nlisten_password = pass\n"
             "[mmsc far]\nurl = http://b/\nallow = 192.0.2.0/24\n");
    assert_int_equal(test_post_with("/mm7/nobody", "", "text/xml", report), 404);
    assert_int_equal(test_post_with("/mm7/far", "", "text/xml", report), 403);
    assert_int_equal(test_post_with("/mm7/acme", "", "text/xml", report), 401);
    assert_true(test_says("WWW-Authenticate: Basic realm=\"MM7\"\r\n"));
    assert_int_equal(test_stray_count(), 0);
    const char *right = "Authorization: Basic dXNlcjpwYXNz\r\n";
    assert_int_equal(test_post_with("/mm7/acme", right, "text/xml", report), 200);
    buf_clear(&test_request);
    buf_printf(&test_request, "GET /mm7/acme HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n",
               right);
    assert_int_equal(test_ask(), 405);
    assert_true(test_says("Allow: POST\r\n"));
    test_use(""); /* the configuration was read again, and the MMSC is gone */
    assert_int_equal(test_post_with("/mm7/acme", right, "text/xml", report), 404);
}

static void test_whose_large_bodies_are_kept(void **state)
{
    struct http_peer peer = {.address = IN6ADDR_LOOPBACK_INIT};
    struct http_request r = {.worker_context = test_inbox, .peer = &peer};

    r.head.path = STR("/mm7/acme");
    assert_int_equal(mm7_inbox_body_max(&r), MM7_INBOX_BODY_MAX);
    r.head.path = STR("/mm7/nobody");
    assert_int_equal(mm7_inbox_body_max(&r), 0);
    test_use("[mmsc acme]\nurl = http://a/\nlisten_username = user\nlisten_password = pass\n");
    r.head.path = STR("/mm7/acme");
    assert_int_equal(mm7_inbox_body_max(&r), 0);
    r.head.fields[r.head.field_count++] =
        (struct http_field){STR("Authorization"), STR("Basic dXNlcjpwYXNz")};
    assert_int_equal(mm7_inbox_body_max(&r), MM7_INBOX_BODY_MAX);
}

/* A stranger cannot make us keep megabytes, and nobody more than there are to be. */
static void test_large_bodies(void **state)
{
    enum { LARGE = 1 << 20 };
    char *body = malloc(LARGE);

    assert_non_null(body);
    memset(body, 'x', LARGE);
    buf_clear(&test_request); /* the head alone is enough for the answer */
    buf_printf(&test_request,
               "POST /mm7/acme HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
               "Content-Length: %d\r\n\r\n",
               MM7_INBOX_BODY_MAX + 1);
    assert_int_equal(test_ask(), 400);
    assert_true(test_says("The body is larger than 8 MiB."));
    assert_int_equal(test_post_with("/mm7/acme", "", "text/xml", (struct str){body, LARGE}), 400);
    test_assert_answer(MM7_VASP_ERROR_RSP, 2007, "");
    test_use("[mmsc acme]\nurl = http://a/\nlisten_username = user\nlisten_password = pass\n");
    assert_int_equal(test_post_with("/mm7/acme", "", "text/xml", (struct str){body, LARGE}), 401);
    free(body);
}

/* There is room for less than the largest message here. */
static void test_too_much_at_once(void **state)
{
    enum { LARGE = TEST_BODIES_MAX + (1 << 20) };
    char *body = calloc(1, LARGE);

    assert_non_null(body);
    assert_int_equal(test_post_with("/mm7/acme", "", "text/xml", (struct str){body, LARGE}), 503);
    test_assert_answer(MM7_VASP_ERROR_RSP, 3000, "");
    assert_true(test_says("Retry-After: "));
    free(body);
}

static void test_strangers(void **state)
{
    struct http_peer near = {.text = "127.0.0.1"}, far = {.text = "192.0.2.7"};

    near.address.s6_addr[10] = near.address.s6_addr[11] = 0xff;
    far.address = near.address;
    memcpy(near.address.s6_addr + 12, "\x7f\0\0\1", 4);
    memcpy(far.address.s6_addr + 12, "\xc0\0\2\7", 4);
    assert_true(mm7_inbox_admits(test_inbox, &near) && mm7_inbox_admits(test_inbox, &far));
    test_use("[mmsc acme]\nurl = http://a/\nallow = 192.0.2.0/24\n");
    assert_true(mm7_inbox_admits(test_inbox, &far));
    assert_false(mm7_inbox_admits(test_inbox, &near));
}

/* However many knock, what an MMSC does wrong is in the log; and what is not logged takes no line
 * from what is. The clock stands still here. */
static void test_strangers_leave_room_in_the_log(void **state)
{
    struct str report = STR(REPORT(MM7_NAMESPACE, "x", "Retrieved"));
    struct http_peer far = {.text = "198.51.100.8", .address = IN6ADDR_LOOPBACK_INIT};

    test_use("[mmsc acme]\nurl = http://a/\nallow = 127.0.0.1\n"
             "[mmsc far]\nurl = http://b/\nallow = 192.0.2.0/24\n");
    test_log_begin();
    assert_int_equal(test_post_with("/mm7/nobody", "", "text/xml", report), 404);
    assert_int_equal(test_post_with("/mm7/far", "", "text/xml", report), 403);
    assert_false(mm7_inbox_admits(test_inbox, &far));
    assert_int_equal(test_post("nonsense"), 400);
    const char *log = test_log_end();
    assert_non_null(strstr(log, "far: refused, because"));
    assert_null(strstr(log, "a connection is refused")); /* one line of strangers */
    assert_non_null(strstr(log, "acme: what it brought cannot be read"));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, test_inbox_set_up, test_inbox_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_not_understood), CASE(test_something_is_missing),
        CASE(test_who_comes_in),   CASE(test_whose_large_bodies_are_kept),
        CASE(test_large_bodies),   CASE(test_too_much_at_once),
        CASE(test_strangers),      CASE(test_strangers_leave_room_in_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
