/* The inbox over a real listener, with a real engine's loop, store and writer behind it; the
 * captures of an MMSC are replayed to it. */
#include "carriers/mm7_inbox.h"

#include "base/file.h"
#include "base/test_config.h"
#include "messaging/errand.h"
#include "messaging/test_receipts.h"
#include "mm7/mm7.h"

#include <arpa/inet.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define OLD_NAMESPACE "http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/schema/REL-5-MM7-1-3"
#define MESSAGE_ID    "z-sh-qf2016.1.x151.83@mmsc"

static struct loop *loop;
static struct loop_signal *homecoming;
static struct mailbox home;
static struct receipts *receipts;
static struct arrivals *arrivals;
static struct optouts *optouts;
static struct mm7_inbox *inbox;
static struct http_server *http;
static struct buf request, answer;
static _Atomic int noted, noted_strays;
static int file_count;

/* ---- the engine ---- */

static void bring_home(void *context)
{
    errands_back(mailbox_take(&home));
}

static void wake_engine(void *context)
{
    loop_signal_raise(homecoming);
}

static void note(void *context, unsigned carrier, int stray)
{
    assert_int_equal(carrier, ACME);
    atomic_fetch_add(&noted, 1);
    atomic_fetch_add(&noted_strays, stray);
}

static void start_engine(void)
{
    struct receipts_options to_receipts = {
        .store = test_store, .writer = test_writer, .clock = &test_clock, .home = &home};
    struct arrivals_options to_arrivals = {.store = test_store,
                                           .writer = test_writer,
                                           .clock = &test_clock,
                                           .optouts = optouts,
                                           .home = &home};

    assert_int_equal(loop_new(&loop), 0);
    homecoming = loop_signal_new(loop, bring_home, NULL);
    mailbox_init(&home, wake_engine, NULL);
    assert_int_equal(receipts_new(&receipts, &to_receipts), 0);
    assert_int_equal(arrivals_new(&arrivals, &to_arrivals), 0);
    struct mm7_inbox_options options = {.loop = loop,
                                        .store = test_store,
                                        .clock = &test_clock,
                                        .receipts = receipts,
                                        .arrivals = arrivals,
                                        .noted = note};
    assert_int_equal(mm7_inbox_new(&inbox, &options), 0);
    assert_int_equal(loop_start(loop, "engine"), 0);
}

static void start_http(void)
{
    struct http_server_options options = {.listen = "127.0.0.1:0",
                                          .workers = 2,
                                          .max_connections = 16,
                                          .max_per_address = 16,
                                          .request_timeout_us = 10000000,
                                          .idle_timeout_us = 10000000,
                                          .body_max = MM7_INBOX_SMALL,
                                          .body_max_of = mm7_inbox_body_max,
                                          .handler = mm7_inbox_handle,
                                          .context = inbox,
                                          .worker_open = mm7_inbox_worker_open,
                                          .worker_close = mm7_inbox_worker_close};
    char why[HTTP_WHY_SIZE];

    assert_int_equal(http_server_start(&http, &options, why), 0);
}

static unsigned number_of(void *context, const char *name)
{
    return strcmp(name, "acme") == 0 ? ACME : OTHER;
}

/* The doors of this configuration from now on. */
static void use(const char *sections)
{
    static char text[2000];
    struct mm7_doors *doors;
    char why[MM7_DOOR_WHY_SIZE];

    snprintf(text, sizeof text,
             "[carrier sms]\naddress = 127.0.0.1:2775\nsystem_id = x\npassword = y\n"
             "[sender +18005551234]\n%s",
             sections);
    load_good(text);
    assert_int_equal(mm7_doors_new(&doors, config, number_of, NULL, why), 0);
    mm7_inbox_set_doors(inbox, doors);
}

static int set_up(void **state)
{
    test_set_up(state);
    optouts = optouts_new(store_secret(test_store));
    atomic_store(&noted, 0);
    atomic_store(&noted_strays, 0);
    buf_init(&request, 16 << 20);
    buf_init(&answer, 1 << 20);
    start_engine();
    start_http();
    if (config_setup(state) < 0)
        return -1;
    use("[mmsc acme]\nurl = http://127.0.0.1:1/\n");
    return 0;
}

static int tear_down(void **state)
{
    http_server_drain(http, 1000000);
    loop_stop(loop);
    mm7_inbox_close(inbox);
    test_settle();
    bring_home(NULL);
    http_server_stop(http);
    mm7_inbox_free(inbox);
    arrivals_free(arrivals);
    receipts_free(receipts);
    loop_free(loop);
    optouts_free(optouts);
    test_tear_down(state);
    mailbox_done(&home);
    buf_done(&request);
    buf_done(&answer);
    return config_teardown(state);
}

/* ---- the MMSC ---- */

static int connect_to(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};

    to.sin_port = htons((uint16_t)atoi(strrchr(address, ':') + 1));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void write_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n <= 0)
            return; /* the answer came before all was said */
        bytes = str_skip(bytes, (size_t)n);
    }
}

/* Says what `request` holds, and has the answer in `answer`, with a NUL behind it; its status. */
static int ask(void)
{
    int fd = connect_to(http_server_address(http));
    char piece[4096];
    ssize_t got;

    write_all(fd, buf_str(&request));
    buf_clear(&answer);
    while ((got = read(fd, piece, sizeof piece)) > 0)
        buf_add(&answer, (struct str){piece, (size_t)got});
    close(fd);
    buf_add_char(&answer, '\0');
    assert_true(answer.n > 13);
    return atoi(answer.p + 9);
}

static int post_with(const char *path, const char *fields, const char *type, struct str body)
{
    buf_clear(&request);
    buf_printf(&request,
               "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sContent-Type: %s\r\n"
               "Content-Length: %zu\r\n\r\n",
               path, fields, type, body.n);
    buf_add(&request, body);
    return ask();
}

static int post(const char *body)
{
    return post_with("/mm7/acme", "", "text/xml", str_of(body));
}

static bool says(const char *text)
{
    return strstr(answer.p, text) != NULL;
}

/* What the answer means to a reader of MM7. */
static struct mm7_heard heard(void)
{
    const char *body = strstr(answer.p, "\r\n\r\n") + 4;
    char why[MM7_WHY_SIZE];
    struct mm7_heard h;

    assert_int_equal(mm7_read_soap(&h, &test_arena, str_of(body), why), 0);
    return h;
}

static void assert_answer(enum mm7_kind kind, unsigned code, const char *transaction)
{
    struct mm7_heard h = heard();

    assert_int_equal(h.kind, kind);
    assert_int_equal(h.code, code);
    assert_true(str_is(h.transaction, transaction));
}

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
    return post_with("/mm7/acme", head, path, (struct str){body + 2, (size_t)(end - body) - 2});
}

#define XML "<?xml version='1.0'?>"
#define BARE(space, transaction, inside)                                                           \
    "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'>"                             \
    "<e:Header><TransactionID xmlns='" space "'>" transaction "</TransactionID></e:Header>"        \
    "<e:Body>" inside "</e:Body></e:Envelope>"
#define ENVELOPE(space, transaction, inside) XML BARE(space, transaction, inside)

#define REPORT(space, id, status)                                                                  \
    ENVELOPE(space, "tx-9",                                                                        \
             "<DeliveryReportReq xmlns='" space "'><MM7Version>5.3.0</MM7Version>"                 \
             "<MessageID>" id "</MessageID><Recipient><Number>1</Number></Recipient>"              \
             "<Sender><Number>2</Number></Sender><MMStatus>" status                                \
             "</MMStatus></DeliveryReportReq>")

#define BOUNDARY "multipart/related; type=\"text/xml\"; start=\"<s>\"; boundary=b"
#define DELIVER(parts)                                                                             \
    "--b\r\nContent-Type: text/xml\r\nContent-ID: <s>\r\n\r\n" ENVELOPE(                           \
        MM7_NAMESPACE, "tx-7",                                                                     \
        "<DeliverReq xmlns='" MM7_NAMESPACE "'><Sender><Number>+14155550100</Number></Sender>"     \
        "<Recipients><To><Number>+18005551234</Number></To></Recipients>"                          \
        "<Content href='cid:c'/></DeliverReq>") "\r\n" parts "--b--\r\n"

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
    assert_true(says("Content-Type: text/xml; charset=utf-8\r\n"));
    assert_answer(MM7_DELIVERY_REPORT_RSP, 1000, MESSAGE_ID);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(atomic_load(&noted), 1);
    assert_int_equal(atomic_load(&noted_strays), 0);
}

static void test_a_captured_message(void **state)
{
    assert_int_equal(replay("mbuni-deliverreq-rsp.http.txt"), 200);
    assert_answer(MM7_DELIVER_RSP, 1000, "7-qf2021.4.x151.36@mmsc");
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
    assert_answer(MM7_VASP_ERROR_RSP, 4003, "s-h3-qf2016.1.x152.6");
    assert_int_equal(received().count, 0);
}

/* ---- reports ---- */

/* By MessageID, whatever else the report says of sender and recipient. */
static void test_whoever_it_names(void **state)
{
    struct message m = test_take("+14155550100", "id-1");

    assert_int_equal(post(REPORT(OLD_NAMESPACE, " id-1 ", "Expired")), 200);
    assert_answer(MM7_DELIVERY_REPORT_RSP, 1000, "tx-9");
    assert_int_equal(test_status(&m), STATUS_FAILED);
    assert_int_equal(test_look(m.id).failure, FAILURE_CARRIER_EXPIRED);
}

static void test_the_dialect_of_the_request(void **state)
{
    assert_int_equal(post(REPORT(OLD_NAMESPACE, "x", "Retrieved")), 200);
    struct mm7_heard h = heard();
    assert_true(str_is(h.namespace, OLD_NAMESPACE));
    assert_true(str_is(h.version, "5.3.0"));
}

static void test_an_unknown_id(void **state)
{
    assert_int_equal(post(REPORT(MM7_NAMESPACE, "nobody-knows", "Retrieved")), 200);
    assert_answer(MM7_DELIVERY_REPORT_RSP, 1000, "tx-9");
    assert_int_equal(test_stray_count(), 1);
    assert_int_equal(atomic_load(&noted_strays), 1);
}

static void test_a_read_reply(void **state)
{
    struct message m = test_take("+14155550100", "id-1");
    struct event_record *events;

    assert_int_equal(post(ENVELOPE(MM7_NAMESPACE, "tx-3",
                                   "<ReadReplyReq xmlns='" MM7_NAMESPACE
                                   "'><MessageID>id-1</MessageID><MMStatus>Deleted</MMStatus>"
                                   "</ReadReplyReq>")),
                     200);
    assert_answer(MM7_READ_REPLY_RSP, 1000, "tx-3");
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
        post_with("/mm7/acme", "", BOUNDARY,
                  str_of(DELIVER("--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nLook\r\n"
                                 "--b\r\nContent-Type: image/png\r\n"
                                 "Content-Transfer-Encoding: base64\r\n\r\niVBORw==\r\n"))),
        200);
    assert_answer(MM7_DELIVER_RSP, 1000, "tx-7");
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
    enum { SIZE = 5 << 20 };
    static char body[SIZE + 4096], head[] = DELIVER("--b\r\nContent-Type: video/mp4\r\n\r\n");
    size_t front = strlen(head) - strlen("--b--\r\n");
    struct media_record media;

    memcpy(body, head, front);
    memset(body + front, 'x', SIZE);
    strcpy(body + front + SIZE, "\r\n--b--\r\n");
    assert_int_equal(post_with("/mm7/acme", "", BOUNDARY, str_of(body)), 200);
    assert_int_equal(store_media_get(test_reader, received().messages[0].id, 1, &media), 0);
    assert_int_equal(media.size, SIZE);
}

static void test_the_store_is_down(void **state)
{
    struct message m = test_take("+14155550100", "id-1");
    const char *message = DELIVER("--b\r\nContent-Type: image/png\r\n\r\nx\r\n");

    test_fail_commits(2);
    assert_int_equal(post(REPORT(MM7_NAMESPACE, "id-1", "Retrieved")), 500);
    assert_answer(MM7_DELIVERY_REPORT_RSP, 3000, "tx-9");
    assert_int_equal(post_with("/mm7/acme", "", BOUNDARY, str_of(message)), 500);
    assert_answer(MM7_DELIVER_RSP, 3000, "tx-7");
    assert_int_equal(test_status(&m), STATUS_SENT);
    assert_int_equal(received().count, 1); /* the one that was sent */
    assert_int_equal(files(), 0);
    assert_int_equal(post(REPORT(MM7_NAMESPACE, "id-1", "Retrieved")), 200);
    assert_int_equal(post_with("/mm7/acme", "", BOUNDARY, str_of(message)), 200);
    assert_int_equal(test_status(&m), STATUS_DELIVERED);
    assert_int_equal(received().count, 2);
}

/* ---- what is not right ---- */

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
        assert_int_equal(post(bodies[i]), 400);
        assert_answer(MM7_VASP_ERROR_RSP, 2007, "");
    }
    assert_int_equal(test_stray_count(), 0);
}

static void test_something_is_missing(void **state)
{
    assert_int_equal(post(REPORT(MM7_NAMESPACE, "", "Retrieved")), 400);
    assert_answer(MM7_DELIVERY_REPORT_RSP, 4004, "tx-9");
    assert_true(says("MessageID is missing."));
    assert_int_equal(post(ENVELOPE(MM7_NAMESPACE, "tx-1",
                                   "<DeliverReq xmlns='" MM7_NAMESPACE "'></DeliverReq>")),
                     400);
    assert_answer(MM7_DELIVER_RSP, 4004, "tx-1");
    assert_true(says("Sender is missing."));
}

static void test_who_comes_in(void **state)
{
    struct str report = STR(REPORT(MM7_NAMESPACE, "x", "Retrieved"));

    use("[mmsc acme]\nurl = http://a/\nlisten_username = user\nlisten_password = pass\n"
        "[mmsc far]\nurl = http://b/\nallow = 192.0.2.0/24\n");
    assert_int_equal(post_with("/mm7/nobody", "", "text/xml", report), 404);
    assert_int_equal(post_with("/mm7/far", "", "text/xml", report), 403);
    assert_int_equal(post_with("/mm7/acme", "", "text/xml", report), 401);
    assert_true(says("WWW-Authenticate: Basic realm=\"MM7\"\r\n"));
    assert_int_equal(test_stray_count(), 0);
    const char *right = "Authorization: Basic dXNlcjpwYXNz\r\n";
    assert_int_equal(post_with("/mm7/acme", right, "text/xml", report), 200);
    buf_clear(&request);
    buf_printf(&request, "GET /mm7/acme HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n", right);
    assert_int_equal(ask(), 405);
    assert_true(says("Allow: POST\r\n"));
    use(""); /* the configuration was read again, and the MMSC is gone */
    assert_int_equal(post_with("/mm7/acme", right, "text/xml", report), 404);
}

static void test_whose_large_bodies_are_kept(void **state)
{
    struct http_peer peer = {.address = IN6ADDR_LOOPBACK_INIT};
    struct http_request r = {.worker_context = inbox, .peer = &peer};

    r.head.path = STR("/mm7/acme");
    assert_int_equal(mm7_inbox_body_max(&r), MM7_INBOX_BODY_MAX);
    r.head.path = STR("/mm7/nobody");
    assert_int_equal(mm7_inbox_body_max(&r), MM7_INBOX_SMALL);
    use("[mmsc acme]\nurl = http://a/\nlisten_username = user\nlisten_password = pass\n");
    r.head.path = STR("/mm7/acme");
    assert_int_equal(mm7_inbox_body_max(&r), MM7_INBOX_SMALL);
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
    buf_clear(&request); /* the head alone is enough for the answer */
    buf_printf(&request,
               "POST /mm7/acme HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
               "Content-Length: %d\r\n\r\n",
               MM7_INBOX_BODY_MAX + 1);
    assert_int_equal(ask(), 400);
    assert_true(says("The body is larger than 8 MiB."));
    assert_int_equal(post_with("/mm7/acme", "", "text/xml", (struct str){body, LARGE}), 400);
    assert_answer(MM7_VASP_ERROR_RSP, 2007, "");
    use("[mmsc acme]\nurl = http://a/\nlisten_username = user\nlisten_password = pass\n");
    assert_int_equal(post_with("/mm7/acme", "", "text/xml", (struct str){body, LARGE}), 401);
    free(body);
}

/* ---- the end ---- */

static void *ask_later(void *result)
{
    *(int *)result = post(REPORT(MM7_NAMESPACE, "id-1", "Retrieved"));
    return NULL;
}

/* Whoever waits for an engine that has stopped is told to come again. */
static void test_the_end(void **state)
{
    pthread_t thread;
    int result = 0;

    loop_stop(loop);
    assert_int_equal(pthread_create(&thread, NULL, ask_later, &result), 0);
    usleep(20000); /* for either way: it waits, or comes when all is closed */
    mm7_inbox_close(inbox);
    pthread_join(thread, NULL);
    assert_int_equal(result, 500);
    assert_answer(MM7_DELIVERY_REPORT_RSP, 3000, "tx-9");
    assert_int_equal(post(REPORT(MM7_NAMESPACE, "id-1", "Retrieved")), 500);
    assert_int_equal(test_stray_count(), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_a_captured_report),
        CASE(test_a_captured_message),
        CASE(test_a_captured_submit),
        CASE(test_whoever_it_names),
        CASE(test_the_dialect_of_the_request),
        CASE(test_an_unknown_id),
        CASE(test_a_read_reply),
        CASE(test_media),
        CASE(test_a_large_message),
        CASE(test_the_store_is_down),
        CASE(test_not_understood),
        CASE(test_something_is_missing),
        CASE(test_who_comes_in),
        CASE(test_whose_large_bodies_are_kept),
        CASE(test_large_bodies),
        CASE(test_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
