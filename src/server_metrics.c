/* The metrics in the server: a listener of their own. On loopback it speaks plain HTTP; elsewhere
 * HTTPS with the server's certificate, and asks for a token. */
#include "server_internal.h"

#include "base/log.h"
#include "metrics/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* One who scrapes needs one connection; a few more for people who look. No address has all of them:
 * a stranger who holds what he gets open, without a token, must not blind whoever watches. */
enum { CONNECTIONS = 64, PER_ADDRESS = 16, REQUEST_US = 10000000, IDLE_US = 120000000 };

static int build(struct server *s)
{
    char *database;

    if (asprintf(&database, "%s/skylark.db", s->data.path) < 0)
        return -ENOMEM;
    struct metrics_options options = {.sources = {.store = s->store,
                                                  .database = database,
                                                  .clock = &clock_real,
                                                  .writer = s->writer,
                                                  .http = s->http},
                                      .token = s->config->metrics_token};
    int failed = metrics_new(&s->metrics, &options);
    free(database);
    return failed;
}

static int listen_for(struct server *s, bool plain)
{
    char listen_on[LISTEN_SIZE], why[HTTP_WHY_SIZE];
    struct http_server_options options = {.listen = listen_on,
                                          .workers = 1,
                                          .max_connections = CONNECTIONS,
                                          .max_per_address = PER_ADDRESS,
                                          .request_timeout_us = REQUEST_US,
                                          .idle_timeout_us = IDLE_US,
                                          .handler = metrics_handle,
                                          .context = s->metrics,
                                          .worker_open = metrics_worker_open,
                                          .worker_close = metrics_worker_close,
                                          .thread_name = "metrics"};

    server_format_listen(&s->config->metrics_listen, listen_on);
    int failed = plain ? 0 : server_load_identity(s, &options.identity);
    if (failed)
        return failed;
    failed = http_server_start(&s->metrics_http, &options, why);
    if (failed)
        str_format(s->why, sizeof s->why, "metrics: %s", why);
    return failed;
}

/* Nobody asked for the usual port: when it is taken, by another server say, the messages go on. */
static bool can_do_without(const struct server *s, int failed)
{
    return failed == -EADDRINUSE &&
           strcmp(s->config->origins[CONFIG_metrics_listen], "default") == 0;
}

int server_start_metrics(struct server *s)
{
    const struct config_address *at = &s->config->metrics_listen;
    bool plain = config_address_is_loopback(at);

    if (!at->host[0])
        return 0;
    int failed = build(s);
    if (!failed)
        failed = listen_for(s, plain);
    if (can_do_without(s, failed)) {
        log_warning("metrics", "%s; there are none. Set metrics.listen to another port, or to off",
                    s->why);
        s->why[0] = '\0';
        return 0;
    }
    if (failed)
        return server_fail(s, failed, "cannot show metrics");
    str_format(s->metrics_url, sizeof s->metrics_url, "%s://%s/metrics", plain ? "http" : "https",
               http_server_address(s->metrics_http));
    failed = address_write(&s->data, METRICS_ADDRESS_FILE, s->metrics_url);
    return failed ? server_fail(s, failed, "cannot write the file 'metrics-address'") : 0;
}

void server_stop_metrics(struct server *s)
{
    if (s->metrics_http) {
        address_remove(&s->data, METRICS_ADDRESS_FILE);
        http_server_drain(s->metrics_http, 0);
        http_server_stop(s->metrics_http);
    }
    metrics_free(s->metrics);
}
