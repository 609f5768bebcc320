#include "mm7/mm7.h"

#include "mm7/test_mm7.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct mm7_heard heard;
static struct mm7_part parts[MIME_PARTS_MAX];
static size_t count;
static char why[MM7_WHY_SIZE];

#define SOAP "<Envelope><Body><SubmitRsp><MessageID>i</MessageID></SubmitRsp></Body></Envelope>"

static int read_as(const char *type, const char *body, size_t room)
{
    count = room;
    memset(&heard, 0, sizeof heard);
    memset(why, 0, sizeof why);
    return mm7_read(&heard, &arena, str_of(type), str_of(body), parts, &count, why);
}

static void good(const char *type, const char *body, size_t want)
{
    if (read_as(type, body, MIME_PARTS_MAX))
        fail_msg("%s", why);
    IS(heard.message_id, "i");
    assert_int_equal(count, want);
}

static void refused(const char *type, const char *body, int code, const char *sentence)
{
    assert_int_equal(read_as(type, body, MIME_PARTS_MAX), code);
    assert_string_equal(why, sentence);
    assert_int_equal(count, MIME_PARTS_MAX);
    assert_null(heard.message_id.p);
}

static void soap_may_stand_alone(void **state)
{
    good("text/xml; charset=utf-8", SOAP, 0);
    good("application/soap+xml", "\r\n" SOAP, 0);
    good("", SOAP, 0);
    good("text/html", SOAP, 0);
}

static void soap_is_what_start_names(void **state)
{
    good("multipart/related; start=\"<s>\"; boundary=B",
         "--B\r\nContent-Type: text/xml\r\n\r\n<other/>\r\n"
         "--B\r\nContent-ID: s\r\nContent-Type: application/octet-stream\r\n\r\n" SOAP "\r\n"
         "--B\r\nContent-Type: image/gif\r\n\r\nG\r\n--B--",
         2);
    IS(parts[0].bytes, "<other/>");
    IS(parts[1].type, "image/gif");
    IS(parts[1].bytes, "G");
}

static void soap_is_else_the_first_xml(void **state)
{
    good("multipart/related; start=\"<nobody>\"; boundary=B",
         "--B\r\n\r\nx\r\n--B\r\nContent-Type: TEXT/XML; charset=utf-8\r\n"
         "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
         "<Envelope><Body><SubmitRsp><MessageID>=69</MessageID></SubmitRsp></Body></Env=\r\nelope>"
         "\r\n--B--",
         1);
    IS(parts[0].bytes, "x");
    good("multipart/mixed; boundary=B", "--B\r\n\r\n" SOAP "\r\n--B\r\n\r\ny\r\n--B--", 1);
    IS(parts[0].bytes, "y");
}

static void faults_are_told_in_a_sentence(void **state)
{
    refused("multipart/related", SOAP, -EBADMSG,
            "The multipart body cannot be read: the Content-Type of a multipart has no boundary.");
    refused("multipart/related; boundary=B", "--B--", -EBADMSG,
            "The multipart body cannot be read: it has no parts.");
    refused("multipart/related; boundary=B", "--B\r\n\r\nhello\r\n--B--", -EBADMSG,
            "The SOAP part cannot be read: it is not XML in UTF-8.");
    refused("text/xml", "<html/>", -EBADMSG,
            "The SOAP part cannot be read: it is no SOAP envelope with something in its Body.");
}

static void room_is_limited(void **state)
{
    const char *body = "--B\r\n\r\n" SOAP "\r\n--B\r\n\r\n1\r\n--B\r\n\r\n2\r\n--B--";

    assert_int_equal(read_as("multipart/mixed; boundary=B", body, 2), 0);
    assert_int_equal(count, 2);
    assert_int_equal(read_as("multipart/mixed; boundary=B", body, 1), -E2BIG);
    assert_string_equal(why, "The multipart body has more than 1 parts.");
    struct arena small;
    arena_init(&small, 1);
    count = 1;
    assert_int_equal(mm7_read(&heard, &small, STR("text/xml"), STR(SOAP), parts, &count, why),
                     -ENOMEM);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(soap_may_stand_alone),
        CASE(soap_is_what_start_names),
        CASE(soap_is_else_the_first_xml),
        CASE(faults_are_told_in_a_sentence),
        CASE(room_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
