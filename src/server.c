#include "server.h"

#include "api/api.h"
#include "base/log.h"
#include "carriers/simulator.h"
#include "first_run.h"
#include "messaging/plan.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    EXIT_FAILED = 1,
    BODY_MAX = 256 << 10,
    TICK_MS = 250,
    SIMULATED_MAX = 262144,
    RENEW_CHECK_MS = 3600 * 1000
};

struct server {
    struct config *config;
    const struct config_source *source;
    char why[STORE_WHY_SIZE]; /* one line for the operator when starting fails */
    char url[320];
    struct plan *plans;
    struct store *store;
    struct writer *writer;
    struct loop *engine;
    struct loop_signal *work;
    struct dispatch *dispatch;
    struct simulator *simulator;
    struct api *api;
    struct http_server *http;
    struct first_run first;
};

/* ---- wires between the objects ---- */

static void raise_signal(void *server)
{
    struct server *s = server;
    loop_signal_raise(s->work);
}

static void run_dispatch(void *server)
{
    struct server *s = server;
    dispatch_run(s->dispatch);
}

static void tick_dispatch(void *server)
{
    struct server *s = server;
    dispatch_tick(s->dispatch);
}

static void store_health(void *server, const char *why)
{
    struct server *s = server;

    api_set_trouble(s->api, why);
    if (why)
        log_error("store", "messages cannot be stored: %s; clients are told to come back", why);
    else
        log_info("store", "messages can be stored again");
}

/* ---- starting, lowest layer first; each returns 0 or a negative errno with s->why set ---- */

static int fail(struct server *s, int error, const char *what)
{
    if (!s->why[0])
        snprintf(s->why, sizeof s->why, "%s: %s", what, strerror(-error));
    return error;
}

static int start_store(struct server *s)
{
    char *path;

    if (asprintf(&path, "%s/skylark.db", s->config->server_data_dir) < 0)
        return fail(s, -ENOMEM, "cannot open the store");
    int failed = store_open_sqlite(&s->store, path, &clock_real, s->why);
    free(path);
    return failed;
}

static int start_writer(struct server *s)
{
    struct writer_options options = {.store = s->store,
                                     .max_waiting = (size_t)s->config->queue_writes,
                                     .health = store_health,
                                     .context = s};
    int failed = writer_start(&s->writer, &options);

    return failed ? fail(s, failed, "cannot start the writer") : 0;
}

static int build_engine(struct server *s)
{
    struct dispatch_options dispatch = {.store = s->store,
                                        .writer = s->writer,
                                        .clock = &clock_real,
                                        .window = (size_t)s->config->queue_memory,
                                        .wake = raise_signal,
                                        .wake_context = s};
    struct simulator_options simulator = {.clock = &clock_real,
                                          .answer_us = s->config->simulator_answer_ms * 1000,
                                          .delivery_us = s->config->simulator_delivery_ms * 1000,
                                          .max_pending = SIMULATED_MAX};
    int failed = loop_new(&s->engine);

    if (failed)
        return failed;
    s->work = loop_signal_new(s->engine, run_dispatch, s);
    struct loop_timer *tick = loop_timer_new(s->engine, tick_dispatch, s);
    if (!s->work || !tick)
        return -ENOMEM;
    loop_timer_start(tick, TICK_MS, TICK_MS);
    failed = dispatch_new(&s->dispatch, &dispatch);
    if (failed)
        return failed;
    simulator.dispatch = s->dispatch;
    simulator.loop = s->engine;
    failed = simulator_new(&s->simulator, &simulator);
    if (!failed)
        dispatch_set_carrier(s->dispatch, MODE_TEST, simulator_carrier(s->simulator));
    return failed;
}

static int start_engine(struct server *s)
{
    int failed = build_engine(s);

    if (!failed)
        failed = loop_start(s->engine, "engine");
    if (!failed)
        loop_signal_raise(s->work); /* take up what an earlier run left */
    return failed ? fail(s, failed, "cannot start the engine") : 0;
}

static int start_api(struct server *s)
{
    struct api_options options = {.store = s->store,
                                  .writer = s->writer,
                                  .dispatch = s->dispatch,
                                  .clock = &clock_real};
    int failed = api_new(&s->api, &options);

    return failed ? fail(s, failed, "cannot start the API") : 0;
}

static int load_identity(struct server *s, struct tls_identity **ret)
{
    const struct config *c = s->config;
    const char *dir = c->server_data_dir;
    char *certificate = NULL, *key = NULL;
    int failed;

    if (c->tls_certificate[0])
        return tls_identity_load(ret, c->tls_certificate, c->tls_key, s->why);
    failed = tls_local_prepare(dir, clock_now_us(&clock_real), s->why);
    if (failed < 0)
        return failed;
    if (asprintf(&certificate, "%s/server.pem", dir) < 0)
        certificate = NULL;
    if (asprintf(&key, "%s/server.key", dir) < 0)
        key = NULL;
    failed = certificate && key ? tls_identity_load(ret, certificate, key, s->why) : -ENOMEM;
    free(certificate);
    free(key);
    return failed;
}

static unsigned worker_count(const struct config *c)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (c->server_workers > 0)
        return (unsigned)c->server_workers;
    return cores > 0 ? (unsigned)cores : 1;
}

static int start_http(struct server *s)
{
    const struct config *c = s->config;
    char listen_on[CONFIG_HOST_MAX + 16];
    struct http_server_options options = {
        .listen = listen_on,
        .workers = worker_count(c),
        .max_connections = (unsigned)c->server_max_connections,
        .max_per_address = (unsigned)c->server_max_connections_per_address,
        .request_timeout_us = c->server_request_timeout_ms * 1000,
        .idle_timeout_us = c->server_idle_timeout_ms * 1000,
        .body_max = BODY_MAX,
        .handler = api_handle,
        .context = s->api,
        .worker_open = api_worker_open,
        .worker_close = api_worker_close};

    snprintf(listen_on, sizeof listen_on,
             strchr(c->server_listen.host, ':') ? "[%s]:%u" : "%s:%u", c->server_listen.host,
             c->server_listen.port);
    int failed = load_identity(s, &options.identity);
    if (!failed)
        failed = http_server_start(&s->http, &options, s->why);
    if (failed)
        return failed;
    snprintf(s->url, sizeof s->url, "https://%s", http_server_address(s->http));
    return 0;
}

/* Configured plans take the place of built-in ones of the same name. The array in force before is
 * left alone: workers may be reading it. */
static int set_plans(struct server *s)
{
    const struct config *c = s->config;
    struct plan *plans = calloc(c->plan_count + 1, sizeof *plans);

    if (!plans)
        return fail(s, -ENOMEM, "cannot set the plans");
    for (size_t i = 0; i < c->plan_count; i++) {
        snprintf(plans[i].name, sizeof plans[i].name, "%s", c->plans[i].name);
        plans[i].limits = (struct limit_plan){(uint32_t)c->plans[i].per_minute,
                                              (uint32_t)c->plans[i].per_hour};
    }
    plans_set(plans);
    return 0;
}

static void set_docs_url(struct server *s)
{
    char own[sizeof s->url + 8];

    snprintf(own, sizeof own, "%s/docs", s->url);
    api_set_docs_url(s->api, s->config->server_docs_url[0] ? s->config->server_docs_url : own);
}
