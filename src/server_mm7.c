/* The MM7 listener in the server: where MMSCs bring reports and messages. It is opened when the
 * first MMSC is in the configuration, and stays; who comes in at which door changes with it. */
#include "server_internal.h"

#include "base/log.h"
#include "carriers/mm7_inbox.h"

#include <errno.h>

/* An MMSC keeps a few connections open. A message may have megabytes and come slowly. */
enum { WORKERS = 2, CONNECTIONS = 1024 }; /* all of them may come from one address */
enum { BODIES_MAX = 64 << 20 };           /* of all together: eight of the largest */
#define HEAD_US    INT64_C(10000000)
#define REQUEST_US INT64_C(60000000)
#define IDLE_US    INT64_C(120000000)

static const struct config_address *bound_to(const struct server *s)
{
    return s && s->mm7_http ? &s->mm7_at : NULL;
}

bool server_mm7_good(const struct server *s, const struct config *c, struct buf *faults)
{
    char why[MM7_DOOR_WHY_SIZE];
    struct mm7_doors *doors;

    if (mm7_doors_new(&doors, c, bound_to(s), NULL, NULL, why) < 0) {
        buf_printf(faults, "%s: %s\n", c->mmscs[0].place, why);
        return false;
    }
    mm7_doors_free(doors);
    return true;
}

static void count_receipt(void *server, unsigned carrier, int stray)
{
    struct server *s = server;
    live_count_receipt(s->live, carrier, stray);
}

int server_build_mm7(struct server *s)
{
    struct mm7_inbox_options options = {.loop = s->engine,
                                        .store = s->store,
                                        .clock = &clock_real,
                                        .receipts = live_receipts(s->live),
                                        .arrivals = live_arrivals(s->live),
                                        .noted = count_receipt,
                                        .context = s};

    return mm7_inbox_new(&s->mm7, &options);
}

/* ---- doors ---- */

static unsigned number_of(void *server, const char *name)
{
    return live_carrier_number(((struct server *)server)->live, name);
}

static int set_doors(struct server *s)
{
    char why[MM7_DOOR_WHY_SIZE];
    struct mm7_doors *doors;
    int failed = mm7_doors_new(&doors, s->config, bound_to(s), number_of, s, why);

    if (failed) {
        str_format(s->why, sizeof s->why, "%s", why);
        return failed;
    }
    mm7_inbox_set_doors(s->mm7, doors);
    return 0;
}

/* ---- the listener ---- */

static int listen_for(struct server *s)
{
    char listen_on[LISTEN_SIZE], why[HTTP_WHY_SIZE];
    struct http_server_options options = {.listen = listen_on,
                                          .workers = WORKERS,
                                          .max_connections = CONNECTIONS,
                                          .max_per_address = CONNECTIONS,
                                          .head_timeout_us = HEAD_US,
                                          .request_timeout_us = REQUEST_US,
                                          .idle_timeout_us = IDLE_US,
                                          .body_max_of = mm7_inbox_body_max,
                                          .bodies_max = BODIES_MAX,
                                          .admits = mm7_inbox_admits,
                                          .handler = mm7_inbox_handle,
                                          .context = s->mm7,
                                          .worker_open = mm7_inbox_worker_open,
                                          .worker_close = mm7_inbox_worker_close,
                                          .thread_name = "mm7"};

    server_format_listen(&s->config->mm7_listen, listen_on);
    int failed = s->config->mm7_tls ? server_load_identity(s, &options.identity) : 0;
    if (failed)
        return failed;
    failed = http_server_start(&s->mm7_http, &options, why);
    s->mm7_at = s->config->mm7_listen;
    if (failed)
        str_format(s->why, sizeof s->why, "mm7.listen: %s", why);
    return failed;
}

static int open_listener(struct server *s)
{
    char url[LISTEN_SIZE + 16];
    int failed = listen_for(s);

    if (failed)
        return server_fail(s, failed, "cannot listen for MMSCs");
    str_format(url, sizeof url, "%s://%s", s->config->mm7_tls ? "https" : "http",
               http_server_address(s->mm7_http));
    log_info("mm7", "MMSCs bring reports and messages to %s", url);
    failed = address_write(&s->data, MM7_ADDRESS_FILE, url);
    return failed ? server_fail(s, failed, "cannot write the file 'mm7-address'") : 0;
}

int server_start_mm7(struct server *s)
{
    int failed = set_doors(s);

    if (failed || s->mm7_http || !s->config->mmsc_count || !s->config->mm7_listen.host[0])
        return failed;
    return open_listener(s);
}

/* ---- the end ---- */

void server_drain_mm7(struct server *s)
{
    if (!s->mm7_http)
        return;
    address_remove(&s->data, MM7_ADDRESS_FILE);
    http_server_drain(s->mm7_http, s->config->server_drain_timeout_ms * 1000);
}

void server_close_mm7(struct server *s)
{
    if (s->mm7)
        mm7_inbox_close(s->mm7);
}

void server_free_mm7(struct server *s)
{
    if (s->mm7_http)
        http_server_stop(s->mm7_http);
    mm7_inbox_free(s->mm7);
}
