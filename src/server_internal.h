/* What the files of the server share: server.c starts and stops, server_hooks.c has webhooks,
 * server_mms.c what MMS needs, server_mm7.c the listener of MMSCs, server_metrics.c that of the
 * metrics, server_settings.c what a configuration says while it runs. */
#pragma once

#include "base/retired.h"
#include "first_run.h"
#include "live.h"
#include "messaging/key.h"
#include "messaging/plan.h"
#include "net/http_server.h"
#include "net/tls.h"
#include "server.h"
#include "server_mms.h"

struct server {
    struct config *config;
    const struct config_source *source;
    char why[LIVE_WHY_SIZE]; /* one line for the operator when starting fails */
    char url[320];
    struct plan *plans; /* of the configuration; ended by one without a name */
    struct retired *earlier_plans;
    struct address_guard *guard; /* where webhooks may lead */
    struct store *store;
    struct limiter *limiter;
    struct usage *usage;
    struct optouts *optouts;
    struct writer *writer;
    struct loop *engine;
    struct loop_signal *work;
    struct dispatch *dispatch;
    struct simulator *simulator;
    struct live *live;
    struct mms mms;
    struct loop *hook_loop;
    struct loop_http *hook_http;
    struct hook_set *hooks;
    struct api *api;
    struct http_server *http;
    _Atomic(struct http_server *) streams; /* the same, for the writer's thread */
    struct metrics *metrics;
    struct http_server *metrics_http; /* NULL: none */
    char metrics_url[320];            /* "" = none */
    struct mm7_inbox *mm7;
    struct http_server *mm7_http; /* NULL: none */
    struct config_address mm7_at; /* where it listens, as it was named then */
    struct data_dir data;
    char first_key[KEY_CHARS + 1]; /* "" unless this is the first start */
};

/* Keeps `what` and the error as s->why, unless that says more already; returns the error. */
int server_fail(struct server *s, int error, const char *what);

/* Webhooks: made before the writer starts, because they listen to what the store tells; they begin
 * after it; their loop ends before it, and they go when it has stopped. */
bool server_webhooks_good(const struct config *config, struct buf *faults);
int server_build_hooks(struct server *s);
int server_start_hooks(struct server *s);
void server_stop_hooks(struct server *s);
void server_free_hooks(struct server *s);

/* The metrics' listener, if there is to be one. */
int server_start_metrics(struct server *s);
void server_stop_metrics(struct server *s);

/* What MMSCs bring. Made before the engine's thread starts. Then started, and again whenever the
 * configuration was read anew: from then on those come in who are in it, and the listener is opened
 * when there is the first of them. At the end it is drained while the engine and the writer run,
 * closed when they do not, freed when whoever waited was answered (dispatch_close). */
int server_build_mm7(struct server *s);
int server_start_mm7(struct server *s);
void server_drain_mm7(struct server *s);
void server_close_mm7(struct server *s);
void server_free_mm7(struct server *s);
/* Whether the sections of MMSCs say how they come in; if not, a line for each fault is added. With
 * a server, whose listener may be elsewhere than they think; NULL: none runs. */
bool server_mm7_good(const struct server *s, const struct config *config, struct buf *faults);
/* "127.0.0.1:8443", as http_server_start wants it. */
enum { LISTEN_SIZE = CONFIG_HOST_MAX + 16 };
void server_format_listen(const struct config_address *a, char out[LISTEN_SIZE]);

/* What the configuration says of the log, plans, maintenance and the certificate. */
void server_set_log(const struct config *c);
int server_set_plans(struct server *s);
void server_free_plans(struct server *s);
void server_set_maintenance(struct server *s);
int server_load_identity(struct server *s, struct tls_identity **ret);
/* A certificate of the operator's own is read again; the local one is renewed when it is time. */
void server_refresh_identity(struct server *s);
/* Reads the configuration again; a faulty one changes nothing. */
void server_reload(struct server *s);
