/* What comes of what an MMSC brings; the captures of one are replayed. */
#include "carriers/test_inbox.h"

#include "base/file.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OLD_NAMESPACE "http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/schema/REL-5-MM7-1-3"
#define MESSAGE_ID    "z-sh-qf2016.1.x151.83@mmsc"

static int file_count;

/* The request of a capture: what is before the answer, with the end of line that HTTP wants. */
static int replay(const char *name)
{
    static const char *const passed[] = {"Content-Type", "SOAPAction", "MIME-Version"};
    char path[256];
    struct buf file BUF_CLEANUP;
    struct str fields[sizeof passed / sizeof *passed];
    char head[2000] = "";

    buf_init(&file, 1 << 20);
    snprintf(path, sizeof path, "%s/tests/data/mm7/%s", getenv("SKYLARK_SOURCE"), name);
    assert_int_equal(file_read(path, &file), 0);
    char *end = strstr(file.p, "\n\n\nHTTP/1.1 "), *body = strstr(file.p, "\n\n");
    assert_true(end && body);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        char *at = strstr(file.p, passed[i]);
        struct str rest = str_of(at && at < body ? at : "");
        fields[i] = str_cut(&rest, '\n');
        if (i > 0 && fields[i].n)
            snprintf(head + strlen(head), sizeof head - strlen(head), "%.*s\r\n",
                     STR_FMT(fields[i]));
    }
    fields[0] = str_skip(fields[0], sizeof "Content-Type: " - 1);
    snprintf(path, sizeof path, "%.*s", STR_FMT(fields[0]));
    return test_post_with("/mm7/acme", head, path,
                          (struct str){body + 2, (size_t)(end - body) - 2});
}

static struct message_page received(void)
{
    struct message_page p;

    assert_int_equal(
        store_message_page(test_reader, FIRST_ACCOUNT, MODE_LIVE, NULL, 0, 50, &test_arena, &p), 0);
    return p;
}

static int count_file(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    file_count += kind == FTW_F;
    return 0;
}

/* Media files on disk, whoever has them. */
static int files(void)
{
    char path[STORE_MEDIA_PATH_SIZE];
    int fd = store_media_temporary(test_store, path);

    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    *strrchr(path, '/') = '\0';
    *strrchr(path, '/') = '\0';
    file_count = 0;
    assert_int_equal(nftw(path, count_file, 4, FTW_PHYS), 0);
    return file_count;
}

/* ---- captures ---- */

static void test_a_captured_report(void **state)
{
    struct message m = test_take("+14155550100", MESSAGE_ID);

    assert_int_equal(replay("mbuni-deliveryreportreq-rsp.http.txt"), 200);
    assert_true(test_says("Content-Type: text/xml; charset=utf-8\r\n"));
    test_assert_answer(MM7_DELIVERY_REPORT_RSP, 1000, MESSAGE_ID);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(atomic_load(&test_noted), 1);
    assert_int_equal(atomic_load(&test_noted_strays), 0);
}

static void test_a_captured_message(void **state)
{
    assert_int_equal(replay("mbuni-deliverreq-rsp.http.txt"), 200);
    test_assert_answer(MM7_DELIVER_RSP, 1000, "7-qf2021.4.x151.36@mmsc");
    struct message_page p = received();
    assert_int_equal(p.count, 1);
    assert_true(str_is(p.messages[0].from, "+14155550100"));
    assert_true(str_is(p.messages[0].to, "111"));
    assert_true(str_is(p.messages[0].text, "hello from handset"));
    assert_true(str_is(p.messages[0].subject, "subj"));
    assert_int_equal(p.messages[0].kind, KIND_MMS);
    assert_int_equal(p.messages[0].carrier, ACME);
}

/* It is for MMSCs; we are none. */
static void test_a_captured_submit(void **state)
{
    assert_int_equal(replay("mbuni-submitreq-submitrsp.http.txt"), 400);
    test_assert_answer(MM7_VASP_ERROR_RSP, 4003, "s-h3-qf2016.1.x152.6");
    assert_int_equal(received().count, 0);
}

/* There is a trace of it, because it may be wrong: this MMSC gives the message no name. */
static void test_a_message_that_comes_again(void **state)
{
    struct str body = STR(DELIVER(""));

    test_log_begin();
    assert_int_equal(test_post_with("/mm7/acme", "", BOUNDARY, body), 200);
    assert_string_equal(test_log_end(), "");
    test_log_begin();
    assert_int_equal(test_post_with("/mm7/acme", "", BOUNDARY, body), 200);
    assert_non_null(strstr(test_log_end(), "acme: it brought a message from +1415***0100 again"));
    assert_int_equal(received().count, 1);
}

/* ---- reports ---- */

/* By MessageID, whatever else the report says of sender and recipient. */
static void test_whoever_it_names(void **state)
{
    struct message m = test_take("+14155550100", "id-1");

    assert_int_equal(test_post(REPORT(OLD_NAMESPACE, " id-1 ", "Expired")), 200);
    test_assert_answer(MM7_DELIVERY_REPORT_RSP, 1000, "tx-9");
    assert_int_equal(test_status(&m), STATUS_FAILED);
    assert_int_equal(test_look(m.id).failure, FAILURE_CARRIER_EXPIRED);
}

static void test_the_dialect_of_the_request(void **state)
{
    assert_int_equal(test_post(REPORT(OLD_NAMESPACE, "x", "Retrieved")), 200);
    struct mm7_heard h = test_heard();
    assert_true(str_is(h.namespace, OLD_NAMESPACE));
    assert_true(str_is(h.version, "5.3.0"));
}

static void test_an_unknown_id(void **state)
{
    assert_int_equal(test_post(REPORT(MM7_NAMESPACE, "nobody-knows", "Retrieved")), 200);
    test_assert_answer(MM7_DELIVERY_REPORT_RSP, 1000, "tx-9");
    assert_int_equal(test_stray_count(), 1);
    assert_int_equal(atomic_load(&test_noted_strays), 1);
}

static void test_a_read_reply(void **state)
{
    struct message m = test_take("+14155550100", "id-1");
    struct event_record *events;

    assert_int_equal(test_post(ENVELOPE(MM7_NAMESPACE, "tx-3",
                                        "<ReadReplyReq xmlns='" MM7_NAMESPACE
                                        "'><MessageID>id-1</MessageID><MMStatus>Deleted</MMStatus>"
                                        "</ReadReplyReq>")),
                     200);
    test_assert_answer(MM7_READ_REPLY_RSP, 1000, "tx-3");
    assert_int_equal(test_status(&m), STATUS_SENT);
    size_t count = test_events(&m, &events);
    assert_int_equal(count, 1);
    assert_int_equal(events[0].kind, EVENT_RECEIPT);
    assert_true(str_is(events[0].detail, "The handset's read report says Deleted."));
}

/* ---- messages ---- */

static void test_media(void **state)
{
    struct media_record media;

    assert_int_equal(
        test_post_with(
            "/mm7/acme", "", BOUNDARY,
            str_of(DELIVER("--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nLook\r\n"
                           "--b\r\nContent-Type: image/png\r\n"
                           "Content-Transfer-Encoding: base64\r\n\r\niVBORw==\r\n"))),
        200);
    test_assert_answer(MM7_DELIVER_RSP, 1000, "tx-7");
    struct message_page p = received();
    assert_int_equal(p.count, 1);
    assert_true(str_is(p.messages[0].text, "Look"));
    assert_true(str_is(p.messages[0].media, "image/png"));
    assert_int_equal(store_media_get(test_reader, p.messages[0].id, 1, &media), 0);
    assert_int_equal(media.size, 4);
    assert_string_equal(media.type, "image/png");
    assert_int_equal(files(), 1);
}

static void test_a_large_message(void **state)
{
    enum { SIZE = 3 << 20 };
    static char body[SIZE + 4096], head[] = DELIVER("--b\r\nContent-Type: video/mp4\r\n\r\n");
    size_t front = strlen(head) - strlen("--b--\r\n");
    struct media_record media;

    memcpy(body, head, front);
    memset(body + front, 'x', SIZE);
    strcpy(body + front + SIZE, "\r\n--b--\r\n");
    assert_int_equal(test_post_with("/mm7/acme", "", BOUNDARY, str_of(body)), 200);
    assert_int_equal(store_media_get(test_reader, received().messages[0].id, 1, &media), 0);
    assert_int_equal(media.size, SIZE);
}

static void test_the_store_is_down(void **state)
{
    struct message m = test_take("+14155550100", "id-1");
    const char *message = DELIVER("--b\r\nContent-Type: image/png\r\n\r\nx\r\n");

    test_fail_commits(2);
    assert_int_equal(test_post(REPORT(MM7_NAMESPACE, "id-1", "Retrieved")), 500);
    test_assert_answer(MM7_DELIVERY_REPORT_RSP, 3000, "tx-9");
    assert_int_equal(test_post_with("/mm7/acme", "", BOUNDARY, str_of(message)), 500);
    test_assert_answer(MM7_DELIVER_RSP, 3000, "tx-7");
    assert_int_equal(test_status(&m), STATUS_SENT);
    assert_int_equal(received().count, 1); /* the one that was sent */
    assert_int_equal(files(), 0);
    assert_int_equal(test_post(REPORT(MM7_NAMESPACE, "id-1", "Retrieved")), 200);
    assert_int_equal(test_post_with("/mm7/acme", "", BOUNDARY, str_of(message)), 200);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(received().count, 2);
}

/* ---- the end ---- */

static void *ask_later(void *result)
{
    *(int *)result = test_post(REPORT(MM7_NAMESPACE, "id-1", "Retrieved"));
    return NULL;
}

/* Whoever waits for an engine that has stopped is told to come again. */
static void test_the_end(void **state)
{
    pthread_t thread;
    int result = 0;

    loop_stop(test_loop);
    assert_int_equal(pthread_create(&thread, NULL, ask_later, &result), 0);
    usleep(20000); /* for either way: it waits, or comes when all is closed */
    mm7_inbox_close(test_inbox);
    pthread_join(thread, NULL);
    assert_int_equal(result, 500);
    test_assert_answer(MM7_DELIVERY_REPORT_RSP, 3000, "tx-9");
    assert_int_equal(test_post(REPORT(MM7_NAMESPACE, "id-1", "Retrieved")), 500);
    assert_int_equal(test_stray_count(), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, test_inbox_set_up, test_inbox_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_a_captured_report),
        CASE(test_a_captured_message),
        CASE(test_a_captured_submit),
        CASE(test_a_message_that_comes_again),
        CASE(test_whoever_it_names),
        CASE(test_the_dialect_of_the_request),
        CASE(test_an_unknown_id),
        CASE(test_a_read_reply),
        CASE(test_media),
        CASE(test_a_large_message),
        CASE(test_the_store_is_down),
        CASE(test_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
