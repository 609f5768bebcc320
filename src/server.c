#include "server.h"

#include "api/api.h"
#include "base/log.h"
#include "carriers/simulator.h"
#include "first_run.h"
#include "messaging/key.h"
#include "messaging/plan.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    EXIT_FAILED = 1,
    SIMULATED_MAX = 262144,
    LOOK_MS = 1000, /* dispatch looks by itself, should a read of the store have failed */
    RENEW_CHECK_MS = 3600 * 1000
};

/* Plans of the configuration. Those of an earlier reading stay until the end: workers may be
 * looking at them. */
struct plan_array {
    struct plan_array *earlier;
    struct plan plans[]; /* ended by one without a name */
};

struct server {
    struct config *config;
    const struct config_source *source;
    char why[STORE_WHY_SIZE]; /* one line for the operator when starting fails */
    char url[320];
    struct plan_array *plans;
    struct store *store;
    struct limiter *limiter;
    struct usage *usage;
    struct optouts *optouts;
    struct writer *writer;
    struct loop *engine;
    struct loop_signal *work;
    struct dispatch *dispatch;
    struct simulator *simulator;
    struct api *api;
    struct http_server *http;
    struct data_dir data;
    char first_key[KEY_CHARS + 1]; /* "" unless this is the first start */
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

static void store_health(void *server, const char *why)
{
    struct server *s = server;

    api_set_trouble(s->api, why);
    if (why)
        log_error("store", "messages cannot be stored: %s; clients are told to come back", why);
    else
        log_info("store", "messages can be stored again");
}

static void store_gave_up(void *server, const char *why)
{
    log_error("store",
              "a change of a message is faulty and was given up: %s; the message stays as it was",
              why);
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
    int failed = data_dir_open(&s->data, s->config->server_data_dir, s->why);

    if (failed)
        return failed;
    if (asprintf(&path, "%s/skylark.db", s->data.path) < 0)
        return fail(s, -ENOMEM, "cannot open the store");
    failed = store_open_sqlite(&s->store, path, &clock_real, s->why);
    free(path);
    return failed ? failed : first_key(s->store, &s->data, s->first_key, s->why);
}

/* What is kept in memory of keys and people goes on where an earlier run stopped. */
static int load_memory(struct server *s)
{
    struct store_reader *reader;
    int failed = store_reader_open(s->store, &reader);

    if (failed)
        return failed;
    s->limiter = limiter_new();
    s->usage = usage_new(&clock_real);
    s->optouts = optouts_new(store_secret(s->store));
    if (!s->limiter || !s->usage || !s->optouts)
        failed = -ENOMEM;
    if (!failed)
        failed = limiter_load(s->limiter, reader, clock_now_us(&clock_real));
    if (!failed)
        failed = optouts_load(s->optouts, reader);
    store_reader_close(reader);
    return failed;
}

static int start_memory(struct server *s)
{
    int failed = load_memory(s);
    return failed ? fail(s, failed, "cannot read limits and opt-outs") : 0;
}

static int start_writer(struct server *s)
{
    struct writer_options options = {.store = s->store,
                                     .riders = {limiter_rider(s->limiter), usage_rider(s->usage)},
                                     .max_waiting = (size_t)s->config->queue_writes,
                                     .given_up = store_gave_up,
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
    struct loop_timer *look = loop_timer_new(s->engine, run_dispatch, s);
    if (!s->work || !look)
        return -ENOMEM;
    loop_timer_start(look, LOOK_MS, LOOK_MS);
    dispatch.loop = s->engine;
    dispatch.optouts = s->optouts;
    failed = dispatch_new(&s->dispatch, &dispatch);
    if (failed)
        return failed;
    simulator.dispatch = s->dispatch;
    simulator.loop = s->engine;
    failed = simulator_new(&s->simulator, &simulator);
    if (!failed)
        dispatch_add_carrier(s->dispatch, simulator_carrier(s->simulator));
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

static void set_maintenance(struct server *s)
{
    bool on = s->config->server_maintenance;

    api_set_maintenance(s->api, on);
    if (on)
        log_warning("server", "in maintenance: calls are refused until server.maintenance is off");
}

static int start_api(struct server *s)
{
    struct api_options options = {.store = s->store,
                                  .writer = s->writer,
                                  .dispatch = s->dispatch,
                                  .limiter = s->limiter,
                                  .usage = s->usage,
                                  .optouts = s->optouts,
                                  .clock = &clock_real,
                                  .docs_url = s->config->server_docs_url,
                                  .failed_keys = (unsigned)s->config->server_failed_keys};
    int failed = api_new(&s->api, &options);

    if (failed)
        return fail(s, failed, "cannot start the API");
    set_maintenance(s);
    return 0;
}

static int load_identity(struct server *s, struct tls_identity **ret)
{
    const struct config *c = s->config;
    const char *dir = s->data.path; /* of the start, whatever the configuration says by now */
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
    struct http_server_options options = {.listen = listen_on,
                                          .workers = worker_count(c),
                                          .max_connections = (unsigned)c->server_max_connections,
                                          .max_per_address =
                                              (unsigned)c->server_max_connections_per_address,
                                          .request_timeout_us = c->server_request_timeout_ms * 1000,
                                          .idle_timeout_us = c->server_idle_timeout_ms * 1000,
                                          .body_max = API_BODY_MAX,
                                          .body_max_of = api_body_max,
                                          .handler = api_handle,
                                          .context = s->api,
                                          .bound = api_bound,
                                          .worker_open = api_worker_open,
                                          .worker_close = api_worker_close,
                                          .worker_rest = api_worker_rest};

    snprintf(listen_on, sizeof listen_on, strchr(c->server_listen.host, ':') ? "[%s]:%u" : "%s:%u",
             c->server_listen.host, c->server_listen.port);
    int failed = load_identity(s, &options.identity);
    if (!failed)
        failed = http_server_start(&s->http, &options, s->why);
    if (failed)
        return failed;
    snprintf(s->url, sizeof s->url, "https://%s", http_server_address(s->http));
    return 0;
}

/* Configured plans take the place of built-in ones of the same name. */
static int set_plans(struct server *s)
{
    const struct config *c = s->config;
    struct plan_array *array = calloc(1, sizeof *array + (c->plan_count + 1) * sizeof(struct plan));

    if (!array)
        return fail(s, -ENOMEM, "cannot set the plans");
    array->earlier = s->plans;
    s->plans = array;
    for (size_t i = 0; i < c->plan_count; i++) {
        struct plan *p = &array->plans[i];
        snprintf(p->name, sizeof p->name, "%s", c->plans[i].name);
        p->limits =
            (struct limit_plan){(uint32_t)c->plans[i].per_minute, (uint32_t)c->plans[i].per_hour};
    }
    plans_set(array->plans);
    return 0;
}

static void free_plans(struct server *s)
{
    plans_set(NULL);
    while (s->plans) {
        struct plan_array *earlier = s->plans->earlier;
        free(s->plans);
        s->plans = earlier;
    }
}

static int start_all(struct server *s)
{
    static int (*const steps[])(struct server *) = {
        set_plans, start_store, start_memory, start_writer, start_engine, start_api, start_http};
    int failed = 0;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && !failed; i++)
        failed = steps[i](s);
    if (failed)
        return failed;
    failed = address_write(&s->data, s->url);
    return failed ? fail(s, failed, "cannot write the file 'address'") : 0;
}

/* ---- stopping, in reverse; also what a failed start has built so far ---- */

static void stop_all(struct server *s)
{
    if (s->http) {
        address_remove(&s->data);
        http_server_drain(s->http, s->config->server_drain_timeout_ms * 1000);
    }
    if (s->engine)
        loop_stop(s->engine);
    if (s->writer)
        writer_stop(s->writer); /* all that waited is written and answered */
    if (s->dispatch)
        dispatch_close(s->dispatch);
    if (s->http)
        http_server_stop(s->http);
    if (s->api)
        api_free(s->api);
    if (s->simulator)
        simulator_free(s->simulator);
    if (s->dispatch)
        dispatch_free(s->dispatch);
    if (s->engine)
        loop_free(s->engine);
    if (s->writer)
        writer_free(s->writer);
    limiter_free(s->limiter);
    usage_free(s->usage);
    optouts_free(s->optouts);
    if (s->store)
        store_close(s->store);
    data_dir_close(&s->data);
    free_plans(s);
}

/* ---- running ---- */

/* A certificate of the operator's own is read again; the local one is renewed when it is time. */
static void refresh_identity(struct server *s)
{
    struct tls_identity *identity;

    s->why[0] = '\0';
    if (load_identity(s, &identity) < 0)
        log_error("tls", "the certificate in use stays: %s", s->why);
    else
        http_server_set_identity(s->http, identity);
}

/* Settings that hold until the next start are named when they change. */
static void warn_of_fixed(const struct config *was, const struct config *now)
{
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++) {
        const struct config_row *row = &config_rows[i];
        bool live = strcmp(row->section, "tls") == 0 || strcmp(row->section, "log") == 0 ||
                    i == CONFIG_server_maintenance;
        if (!live && strcmp(was->texts[i], now->texts[i]) != 0)
            log_warning("config", "%s.%s has changed; that takes effect at the next start",
                        row->section, row->key);
    }
}

static void set_log(const struct config *c)
{
    bool json = c->log_format == CONFIG_LOG_JSON ||
                (c->log_format == CONFIG_LOG_AUTO && !isatty(STDERR_FILENO));
    log_init((enum log_level)c->log_level, json);
}

static void log_faults(struct str lines)
{
    log_error("config", "the configuration in use stays:");
    while (lines.n) {
        struct str line = str_cut(&lines, '\n');
        log_error("config", "%.*s", STR_FMT(line));
    }
}

static void reload(struct server *s)
{
    struct config_report report;
    struct config *config;

    config_report_init(&report);
    if (config_load(&config, s->source, &report) < 0) {
        log_faults(buf_str(&report.errors));
    } else {
        warn_of_fixed(s->config, config);
        config_free(s->config);
        s->config = config;
        set_log(config);
        set_plans(s);
        set_maintenance(s);
        refresh_identity(s);
        log_info("config", "the configuration was read again");
    }
    config_report_done(&report);
}

/* Until SIGTERM or SIGINT. */
static void wait_for_signals(struct server *s, int signals)
{
    for (;;) {
        struct pollfd wait = {.fd = signals, .events = POLLIN};
        struct signalfd_siginfo signal;
        if (poll(&wait, 1, RENEW_CHECK_MS) == 0) {
            refresh_identity(s);
            continue;
        }
        if (read(signals, &signal, sizeof signal) != sizeof signal)
            continue;
        if (signal.ssi_signo != SIGHUP)
            return;
        reload(s);
    }
}

/* Blocked before any thread starts, so that only signalfd sees them. */
static int open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is an error of the write, not the end */
    return signalfd(-1, &set, SFD_CLOEXEC);
}

int server_run(struct config *config, const struct config_source *source)
{
    struct server s = {.config = config, .source = source, .data.lock = -1};
    int signals = open_signals();

    set_log(config);
    int failed = signals < 0 ? -errno : start_all(&s);
    if (failed) {
        fprintf(stderr, "skylark: %s\n", s.why[0] ? s.why : strerror(-failed));
    } else {
        bool usual = strcmp(config->origins[CONFIG_server_data_dir], "default") == 0;
        greeting_print(&s.data, usual, s.url, s.first_key);
        wait_for_signals(&s, signals);
        log_info("server", "stopping");
    }
    stop_all(&s);
    config_free(s.config);
    if (signals >= 0)
        close(signals);
    return failed ? EXIT_FAILED : 0;
}
