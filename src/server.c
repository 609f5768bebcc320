#include "server_internal.h"

#include "base/log.h"
#include "carriers/simulator.h"
#include "net/address_guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    EXIT_FAILED = 1,
    EXIT_BAD_CONFIG = 78,
    SIMULATED_MAX = 262144,
    FILES_ENOUGH = 65536,
    LOOK_MS = 1000,    /* dispatch looks by itself, should a read of the store have failed */
    PATIENCE_US = 2000 /* changes of status go to disk with the next message, or so late */
};
#define RENEW_CHECK_US (INT64_C(3600) * 1000000)

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

/* There may be something new for the event streams. */
static void store_committed(void *server)
{
    struct server *s = server;
    struct http_server *http = atomic_load_explicit(&s->streams, memory_order_acquire);

    if (http)
        http_server_stir(http);
}

/* ---- starting, lowest layer first; each returns 0 or a negative errno with s->why set ---- */

static int build_guard(struct server *s)
{
    struct address_guard_options options = {.allow = s->config->webhooks_allow,
                                            .allow_localhost = s->config->webhooks_allow_localhost};
    char why[ADDRESS_WHY_SIZE] = "";
    int failed = address_guard_new(&s->guard, &options, why);

    if (failed && why[0])
        str_format(s->why, sizeof s->why, "webhooks.allow: %s", why);
    return failed ? server_fail(s, failed, "cannot read webhooks.allow") : 0;
}

static void set_retention(struct server *s)
{
    const struct config *c = s->config;
    struct store_retention retention = {.messages_us = c->retention_messages_ms * 1000,
                                        .notices_us = c->retention_events_ms * 1000,
                                        .deliveries_us = c->retention_deliveries_ms * 1000,
                                        .once_us = c->retention_idempotency_ms * 1000};

    store_set_retention(s->store, &retention);
}

static int start_store(struct server *s)
{
    char *path;
    int failed = data_dir_open(&s->data, s->config->server_data_dir, s->why);

    if (failed)
        return failed;
    if (asprintf(&path, "%s/skylark.db", s->data.path) < 0)
        return server_fail(s, -ENOMEM, "cannot open the store");
    failed = store_open_sqlite(&s->store, path, &clock_real, s->why);
    free(path);
    if (failed)
        return failed;
    set_retention(s);
    store_media_reserve(s->store, s->config->media_reserve);
    return first_key(s->store, &s->data, s->first_key, s->why);
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
    return failed ? server_fail(s, failed, "cannot read limits and opt-outs") : 0;
}

static int start_writer(struct server *s)
{
    struct writer_options options = {.store = s->store,
                                     .riders = {limiter_rider(s->limiter), usage_rider(s->usage)},
                                     .max_waiting = (size_t)s->config->queue_writes,
                                     .patience_us = PATIENCE_US,
                                     .given_up = store_gave_up,
                                     .health = store_health,
                                     .committed = store_committed,
                                     .context = s};
    int failed = writer_start(&s->writer, &options);

    return failed ? server_fail(s, failed, "cannot start the writer") : 0;
}

/* Test messages with media are meant for looking at, so all types are welcome, unless they are to
 * be treated like live ones. */
static struct media_profile simulated_media(const struct config *c)
{
    static const enum media_need needs[] = {[CONFIG_MEDIA_OFF] = MEDIA_NEVER,
                                            [CONFIG_MEDIA_LENIENT] = MEDIA_BESIDE,
                                            [CONFIG_MEDIA_STRICT] = MEDIA_FIRST};

    return (struct media_profile){.need = needs[c->simulator_media],
                                  .kinds =
                                      c->simulator_media == CONFIG_MEDIA_STRICT ? 0 : UINT32_MAX};
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
                                          .max_pending = SIMULATED_MAX,
                                          .media = simulated_media(s->config)};
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

static int build_live(struct server *s)
{
    struct live_options options = {.store = s->store,
                                   .writer = s->writer,
                                   .loop = s->engine,
                                   .dispatch = s->dispatch,
                                   .optouts = s->optouts,
                                   .clock = &clock_real,
                                   .wire = s->mms.wire};

    return live_new(&s->live, &options, s->config, s->why);
}

static int start_engine(struct server *s)
{
    int failed = build_engine(s);

    if (!failed)
        failed = server_build_mms(s);
    if (!failed)
        failed = build_live(s);
    if (!failed)
        failed = server_build_mm7(s);
    if (!failed)
        failed = server_start_mms(s);
    if (!failed)
        failed = loop_start(s->engine, "engine");
    if (!failed)
        loop_signal_raise(s->work); /* take up what an earlier run left */
    return failed ? server_fail(s, failed, "cannot start the engine") : 0;
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
                                  .guard = s->guard,
                                  .docs_url = s->config->server_docs_url,
                                  .public_url = s->config->server_public_url,
                                  .failed_keys = (unsigned)s->config->server_failed_keys};
    int failed = api_new(&s->api, &options);

    if (failed)
        return server_fail(s, failed, "cannot start the API");
    server_set_maintenance(s);
    api_set_logged_requests(s->api, s->config->log_requests);
    live_serve(s->live, s->api);
    return 0;
}

static unsigned worker_count(const struct config *c)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    if (c->server_workers > 0)
        return (unsigned)c->server_workers;
    return cores > 0 ? (unsigned)cores : 1;
}

void server_format_listen(const struct config_address *a, char out[LISTEN_SIZE])
{
    snprintf(out, LISTEN_SIZE, strchr(a->host, ':') ? "[%s]:%u" : "%s:%u", a->host, a->port);
}

static int start_http(struct server *s)
{
    const struct config *c = s->config;
    char listen_on[LISTEN_SIZE];
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
                                          .answered = api_answered,
                                          .context = s->api,
                                          .bound = api_bound,
                                          .worker_open = api_worker_open,
                                          .worker_close = api_worker_close,
                                          .worker_rest = api_worker_rest,
                                          .worker_tell = api_worker_tell};

    server_format_listen(&c->server_listen, listen_on);
    int failed = server_load_identity(s, &options.identity);
    if (!failed)
        failed = http_server_start(&s->http, &options, s->why);
    if (failed)
        return failed;
    atomic_store_explicit(&s->streams, s->http, memory_order_release);
    snprintf(s->url, sizeof s->url, "https://%s", http_server_address(s->http));
    return 0;
}

static int start_all(struct server *s)
{
    static int (*const steps[])(struct server *) = {
        server_set_plans,   build_guard,  start_store,          start_memory,
        server_build_hooks, start_writer, start_engine,         server_start_hooks,
        start_api,          start_http,   server_start_metrics, server_start_mm7};
    int failed = 0;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && !failed; i++)
        failed = steps[i](s);
    if (failed)
        return failed;
    failed = address_write(&s->data, ADDRESS_FILE, s->url);
    return failed ? server_fail(s, failed, "cannot write the file 'address'") : 0;
}

/* ---- stopping, in reverse; also what a failed start has built so far ---- */

static void stop_all(struct server *s)
{
    if (s->http) {
        address_remove(&s->data, ADDRESS_FILE);
        http_server_drain(s->http, s->config->server_drain_timeout_ms * 1000);
    }
    server_drain_mm7(s);
    if (s->live)
        live_stop(s->live);
    if (s->engine)
        loop_stop(s->engine);
    server_stop_mms(s);
    server_stop_hooks(s);
    if (s->api)
        api_stop(s->api);
    if (s->writer)
        writer_stop(s->writer); /* all that waited is written and answered */
    if (s->dispatch)
        dispatch_close(s->dispatch);
    server_close_mm7(s);
    server_free_mm7(s);
    server_stop_metrics(s);
    if (s->http)
        http_server_stop(s->http);
    if (s->api)
        api_free(s->api);
    live_free(s->live);
    if (s->simulator)
        simulator_free(s->simulator);
    if (s->dispatch)
        dispatch_free(s->dispatch);
    server_free_mms(s);
    if (s->engine)
        loop_free(s->engine);
    server_free_hooks(s);
    if (s->writer)
        writer_free(s->writer);
    limiter_free(s->limiter);
    usage_free(s->usage);
    optouts_free(s->optouts);
    if (s->store)
        store_close(s->store);
    data_dir_close(&s->data);
    address_guard_free(s->guard);
    server_free_plans(s);
}

/* ---- running ---- */

/* Until SIGTERM or SIGINT. */
static void wait_for_signals(struct server *s, int signals)
{
    int64_t renew_us = clock_monotonic_us() + RENEW_CHECK_US;

    for (;;) {
        struct pollfd wait = {.fd = signals, .events = POLLIN};
        struct signalfd_siginfo signal;
        if (poll(&wait, 1, LIVE_POLL_MS) == 0) {
            live_poll(s->live);
            if (clock_monotonic_us() >= renew_us) {
                renew_us += RENEW_CHECK_US;
                server_refresh_identity(s);
            }
            continue;
        }
        if (read(signals, &signal, sizeof signal) != sizeof signal)
            continue;
        if (signal.ssi_signo != SIGHUP)
            return;
        server_reload(s);
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

/* Connections and media files take more than the few that a process may have open at first. */
static void raise_file_limit(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= FILES_ENOUGH)
        return;
    files.rlim_cur = files.rlim_max < FILES_ENOUGH ? files.rlim_max : FILES_ENOUGH;
    setrlimit(RLIMIT_NOFILE, &files);
}

static void greet(const struct server *s)
{
    const struct config *c = s->config;
    bool usual = strcmp(c->origins[CONFIG_server_data_dir], "default") == 0;
    struct buf carriers BUF_CLEANUP;

    buf_init(&carriers, 1 << 12);
    for (size_t i = 0; i < c->carrier_count; i++)
        buf_printf(&carriers, "%s%s", i ? ", " : "", c->carriers[i].name);
    for (size_t i = 0; i < c->mmsc_count; i++)
        buf_printf(&carriers, "%s%s", i > 0 || c->carrier_count ? ", " : "", c->mmscs[i].name);
    greeting_print(&s->data, &(struct greeting){.url = s->url,
                                                .key = s->first_key,
                                                .metrics = s->metrics_url,
                                                .usual = usual,
                                                .file = s->source->file,
                                                .carriers = buf_str(&carriers)});
}

bool server_reach_good(const struct config *c, struct buf *faults)
{
    bool webhooks = server_webhooks_good(c, faults), media = server_media_good(c, faults);
    bool mm7 = server_mm7_good(NULL, c, faults);
    return webhooks && media && mm7;
}

static bool is_good(const struct config *c)
{
    struct buf faults BUF_CLEANUP;

    buf_init(&faults, 1 << 12);
    bool good = server_reach_good(c, &faults);
    if (!good)
        fprintf(stderr, "%.*s", STR_FMT(buf_str(&faults)));
    return good;
}

int server_run(struct config *config, const struct config_source *source)
{
    if (!is_good(config)) {
        config_free(config);
        return EXIT_BAD_CONFIG;
    }
    struct server s = {.config = config, .source = source, .data.lock = -1};
    int signals = open_signals();

    server_set_log(config);
    raise_file_limit();
    int failed = signals < 0 ? -errno : start_all(&s);
    if (failed) {
        fprintf(stderr, "skylark: %s\n", s.why[0] ? s.why : strerror(-failed));
    } else {
        greet(&s);
        wait_for_signals(&s, signals);
        log_info("server", "stopping");
    }
    stop_all(&s);
    config_free(s.config);
    if (signals >= 0)
        close(signals);
    return failed ? EXIT_FAILED : 0;
}
