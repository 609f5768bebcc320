/* A quick MMSC: takes each SubmitReq over plain HTTP, answers 1000 with a MessageID, and then
 * brings a DeliveryReportReq (Retrieved) to where the server under test listens.
 *
 *   mmsc FILE PATH
 *
 * Prints its address. FILE holds the listener's address (DATA/mm7-address), which is read when the
 * first report is to go; PATH is the door there. One thread takes, one brings. At its end it prints
 * how many messages it took, their bytes, and how many reports were answered with 200. */
#include "base/buf.h"
#include "net/http_server.h"
#include "net/loop_http.h"
#include "net/mailbox.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECTIONS = 32, BODY_MAX = 16 << 20, ADDRESS_SIZE = 320, SOAP_SIZE = 1024 };

#define SOAP(header, body)                                                                         \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"                                                   \
    "<env:Envelope xmlns:env=\"http://schemas.xmlsoap.org/soap/envelope/\"><env:Header>"           \
    "<mm7:TransactionID xmlns:mm7=\"" MM7 "\" env:mustUnderstand=\"1\">" header                    \
    "</mm7:TransactionID></env:Header><env:Body>" body "</env:Body></env:Envelope>"
#define MM7 "http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/schema/REL-6-MM7-1-4"

struct report {
    struct letter letter;
    uint64_t number;
};

static const char *file, *path;
static char url[ADDRESS_SIZE + 256];
static uint64_t taken, bytes;
static _Atomic uint64_t brought;

static struct loop *loop;
static struct loop_http *http;
static struct loop_signal *signal_;
static struct mailbox box;

/* ---- bringing reports ---- */

static bool find_listener(void)
{
    char address[ADDRESS_SIZE];
    FILE *f = fopen(file, "re");
    bool found = f && fgets(address, sizeof address, f);

    if (f)
        fclose(f);
    if (found)
        snprintf(url, sizeof url, "%.*s%s", (int)strcspn(address, "\r\n"), address, path);
    return found;
}

static void on_brought(void *unused, const struct loop_http_reply *reply)
{
    if (reply->outcome == LOOP_HTTP_ANSWERED && reply->status == 200)
        brought++;
    else
        fprintf(stderr, "mmsc: a report was not taken: %u %s\n", reply->status, reply->why);
}

static void bring(uint64_t number)
{
    static const char *const headers[] = {"Content-Type: text/xml; charset=utf-8",
                                          "SOAPAction: \"\"", NULL};
    char body[SOAP_SIZE];
    struct loop_http_request *request;
    int n =
        snprintf(body, sizeof body,
                 SOAP("r%" PRIu64,
                      "<DeliveryReportReq xmlns=\"" MM7 "\"><MM7Version>6.8.0</MM7Version>"
                      "<MessageID>%" PRIu64 "</MessageID><Recipient><Number>+12125550100</Number>"
                      "</Recipient><Sender><Number>+18005550199</Number></Sender>"
                      "<Date>2026-01-01T00:00:00Z</Date><MMStatus>Retrieved</MMStatus>"
                      "</DeliveryReportReq>"),
                 number, number);
    struct loop_http_call call = {.method = "POST",
                                  .url = url,
                                  .headers = headers,
                                  .body = {body, (size_t)n},
                                  .body_max = 4096,
                                  .done = on_brought};

    if (loop_http_start(http, &call, &request) < 0)
        fprintf(stderr, "mmsc: a report cannot be sent\n");
}

static void bring_all(void *unused)
{
    struct letter *next;

    for (struct letter *l = mailbox_take(&box); l; l = next) {
        struct report *r = (struct report *)l;
        next = l->next;
        if (url[0] || find_listener())
            bring(r->number);
        free(r);
    }
}

static void wake(void *unused)
{
    loop_signal_raise(signal_);
}

/* ---- taking messages ---- */

static struct str transaction_of(struct str body)
{
    const char *at = body.n ? memmem(body.p, body.n, "TransactionID", 13) : NULL;
    const char *end = body.p + body.n;
    const char *begin = at ? memchr(at, '>', (size_t)(end - at)) : NULL;
    const char *stop = begin ? memchr(begin, '<', (size_t)(end - begin)) : NULL;

    return stop ? (struct str){begin + 1, (size_t)(stop - begin - 1)} : STR("");
}

static void take(struct http_request *r)
{
    struct str transaction = transaction_of(r->body);
    struct report *report = malloc(sizeof *report);

    r->status = report ? 200 : 500;
    if (!report)
        return;
    report->number = ++taken;
    bytes += r->body.n;
    r->content_type = "text/xml; charset=utf-8";
    buf_printf(&r->out,
               SOAP("%.*s", "<SubmitRsp xmlns=\"" MM7 "\"><MM7Version>6.8.0</MM7Version><Status>"
                            "<StatusCode>1000</StatusCode><StatusText>Success</StatusText></Status>"
                            "<MessageID>%" PRIu64 "</MessageID></SubmitRsp>"),
               STR_FMT(transaction), taken);
    mailbox_post(&box, &report->letter);
}

static int worker_open(void *context, void **ret)
{
    *ret = NULL;
    return 0;
}

static void worker_close(void *worker)
{
}

/* ---- life ---- */

static int start(struct http_server **ret, char why[HTTP_WHY_SIZE])
{
    struct loop_http_options client = {
        .max_connections = CONNECTIONS, .connect_ms = 10000, .total_ms = 60000, .http1 = true};
    struct http_server_options options = {.listen = "127.0.0.1:0",
                                          .workers = 1,
                                          .max_connections = 4096,
                                          .max_per_address = 4096,
                                          .request_timeout_us = 60000000,
                                          .idle_timeout_us = 600000000,
                                          .body_max = BODY_MAX,
                                          .handler = take,
                                          .worker_open = worker_open,
                                          .worker_close = worker_close};
    char client_why[LOOP_HTTP_WHY_SIZE];

    if (loop_new(&loop) < 0 || loop_http_new(&http, loop, &client, client_why) < 0)
        return -ENOMEM;
    signal_ = loop_signal_new(loop, bring_all, NULL);
    mailbox_init(&box, wake, NULL);
    int failed = signal_ ? loop_start(loop, "reports") : -ENOMEM;
    return failed ? failed : http_server_start(ret, &options, why);
}

int main(int argc, char **argv)
{
    struct http_server *server = NULL;
    char why[HTTP_WHY_SIZE] = "";
    sigset_t ends;
    int signal_number;

    if (argc != 3) {
        fprintf(stderr, "usage: mmsc FILE PATH\n");
        return 2;
    }
    file = argv[1];
    path = argv[2];
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (start(&server, why) < 0) {
        fprintf(stderr, "mmsc: %s\n", why);
        return 1;
    }
    printf("http://%s\n", http_server_address(server));
    fflush(stdout);
    sigwait(&ends, &signal_number);
    http_server_drain(server, 0);
    http_server_stop(server);
    loop_stop(loop);
    printf("%" PRIu64 " messages, %" PRIu64 " bytes, %" PRIu64 " reports\n", taken, bytes, brought);
    loop_http_free(http);
    loop_free(loop);
    return 0;
}
