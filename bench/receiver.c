/* A fast receiver of webhooks: answers each POST with 200 and notes when it came. One thread; over
 * our own HTTPS server, with a local authority made in DIR (trust DIR/ca.pem).
 *
 *   receiver DIR LOG
 *
 * Prints its address. A line of LOG per request: arrival (unix time, us), how long after the
 * event's own timestamp (us), path. Only POST is noted. */
#include "base/clock.h"
#include "net/http_server.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *notes;

/* When the event says it happened; 0 when the body has no timestamp. */
static int64_t event_time_us(struct str body)
{
    static const char key[] = "\"timestamp\":\"";
    const char *at = memmem(body.p, body.n, key, sizeof key - 1);
    int64_t us = 0;

    if (!at)
        return 0;
    at += sizeof key - 1;
    struct str text = {at, body.n - (size_t)(at - body.p)};
    return rfc3339_parse(str_cut(&text, '"'), &us) ? us : 0;
}

static void receive(struct http_request *r)
{
    int64_t now_us = clock_now_us(&clock_real);
    int64_t event_us = event_time_us(r->body);

    r->status = 200;
    if (r->method != HTTP_POST)
        return;
    fprintf(notes, "%" PRId64 " %" PRId64 " %.*s\n", now_us, event_us ? now_us - event_us : -1,
            (int)r->head.path.n, r->head.path.p);
}

static void rest(void *worker)
{
    fflush(notes);
}

static int worker_open(void *context, void **ret)
{
    *ret = NULL;
    return 0;
}

static void worker_close(void *worker)
{
}

static int start(struct http_server **ret, const char *dir, char why[HTTP_WHY_SIZE])
{
    char certificate[4096], key[4096];
    struct http_server_options options = {.listen = "127.0.0.1:0",
                                          .workers = 1,
                                          .max_connections = 4096,
                                          .max_per_address = 4096,
                                          .request_timeout_us = 60000000,
                                          .idle_timeout_us = 600000000,
                                          .body_max = 1 << 20,
                                          .handler = receive,
                                          .worker_open = worker_open,
                                          .worker_close = worker_close,
                                          .worker_rest = rest};

    snprintf(certificate, sizeof certificate, "%s/server.pem", dir);
    snprintf(key, sizeof key, "%s/server.key", dir);
    int failed = tls_local_prepare(dir, clock_now_us(&clock_real), why);
    if (failed >= 0)
        failed = tls_identity_load(&options.identity, certificate, key, why);
    return failed < 0 ? failed : http_server_start(ret, &options, why);
}

int main(int argc, char **argv)
{
    struct http_server *server = NULL;
    char why[HTTP_WHY_SIZE] = "";
    sigset_t ends;
    int signal_number;

    if (argc != 3 || !(notes = fopen(argv[2], "a"))) {
        fprintf(stderr, "usage: receiver DIR LOG\n");
        return 2;
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (start(&server, argv[1], why) < 0) {
        fprintf(stderr, "receiver: %s\n", why);
        return 1;
    }
    printf("https://%s\n", http_server_address(server));
    fflush(stdout);
    sigwait(&ends, &signal_number);
    http_server_drain(server, 0);
    http_server_stop(server);
    fclose(notes);
    return 0;
}
