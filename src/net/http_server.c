/* Start and stop of the server: workers (a libmicrohttpd daemon without a listening socket each),
 * the acceptor in front of them, the TLS identity behind them.
 *
 * MHD_USE_TURBO stays off: with it suspended TLS connections hang. */
#include "net/http_server.h"

#include "base/clock.h"
#include "net/http_internal.h"

#include <errno.h>
#include <gnutls/abstract.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CONNECTION_MEMORY = 32 << 10 };

static const char priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-CIPHER-ALL:"
                                 "+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:%SERVER_PRECEDENCE";

static int connection_fd(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

void http_set_deadline(struct http_worker *w, struct MHD_Connection *connection, int64_t us)
{
    struct conn *c = conn_at(&w->server->table, connection_fd(connection));

    if (c)
        conn_set_deadline(c, us == CONN_NO_DEADLINE ? us : clock_monotonic_us() + us);
}

static void connection_changed(void *worker, struct MHD_Connection *connection, void **context,
                               enum MHD_ConnectionNotificationCode code)
{
    struct http_worker *w = worker;

    (void)context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        http_set_deadline(w, connection, w->server->options.request_timeout_us);
    } else {
        conn_close(&w->server->table, connection_fd(connection));
        atomic_fetch_sub(&w->connections, 1);
    }
}

/* On the acceptor's thread. */
static void take_connection(void *server, int fd, const struct sockaddr *address, socklen_t length)
{
    struct http_server *s = server;
    struct http_worker *least = &s->workers[0];

    for (unsigned i = 1; i < s->options.workers; i++)
        if (atomic_load(&s->workers[i].connections) < atomic_load(&least->connections))
            least = &s->workers[i];
    atomic_fetch_add(&least->connections, 1);
    if (MHD_add_connection(least->daemon, fd, address, length) != MHD_YES) {
        conn_close(&s->table, fd); /* the daemon has closed the socket */
        atomic_fetch_sub(&least->connections, 1);
    }
}

/* libmicrohttpd gives certificate callbacks no context of their own. One server per process. */
static struct http_server *the_server;

static int present_identity(gnutls_session_t session, const gnutls_datum_t *authorities, int count,
                            const gnutls_pk_algorithm_t *algorithms, int algorithm_count,
                            gnutls_pcert_st **chain, unsigned *chain_count, gnutls_privkey_t *key)
{
    struct tls_identity *identity = atomic_load(&the_server->identity);

    (void)session, (void)authorities, (void)count, (void)algorithms, (void)algorithm_count;
    *chain = identity->chain;
    *chain_count = identity->chain_count;
    *key = identity->key;
    return 0;
}

static void quiet(void *context, const char *format, va_list args)
{
    (void)context, (void)format, (void)args; /* clients that hang up are no news */
}

static int worker_start(struct http_server *s, struct http_worker *w)
{
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TLS | MHD_USE_ITC |
                     MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG;

    w->server = s;
    int failed = s->options.worker_open(s->options.context, &w->context);
    if (failed)
        return failed;
    w->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, http_request_step, w, MHD_OPTION_EXTERNAL_LOGGER, quiet, NULL,
        MHD_OPTION_CONNECTION_LIMIT, s->options.max_connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_HTTPS_PRIORITIES, priorities,
        MHD_OPTION_HTTPS_CERT_CALLBACK, present_identity, MHD_OPTION_URI_LOG_CALLBACK,
        http_request_begin, w, MHD_OPTION_NOTIFY_COMPLETED, http_request_end, w,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changed, w, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_END);
    return w->daemon ? 0 : -EIO;
}

static void adopt(struct http_server *s, struct tls_identity *identity)
{
    identity->older = s->identities;
    s->identities = identity;
    atomic_store(&s->identity, identity);
}

static void server_free(struct http_server *s)
{
    for (unsigned i = 0; i < s->options.workers; i++) {
        struct http_worker *w = &s->workers[i];
        if (w->daemon)
            MHD_stop_daemon(w->daemon);
        http_requests_free(w);
        if (w->context)
            s->options.worker_close(w->context);
    }
    while (s->identities) {
        struct tls_identity *older = s->identities->older;
        tls_identity_free(s->identities);
        s->identities = older;
    }
    conn_table_done(&s->table);
    free(s->workers);
    free(s);
    the_server = NULL;
}

static int start_threads(struct http_server *s, char why[HTTP_WHY_SIZE])
{
    struct acceptor_options door = {.listen = s->options.listen,
                                    .table = &s->table,
                                    .first_byte_us = s->options.request_timeout_us,
                                    .take = take_connection,
                                    .context = s};

    for (unsigned i = 0; i < s->options.workers; i++) {
        int failed = worker_start(s, &s->workers[i]);
        if (failed) {
            snprintf(why, HTTP_WHY_SIZE, "cannot start an HTTPS worker: %s", strerror(-failed));
            return failed;
        }
    }
    return acceptor_start(&s->acceptor, &door, why, HTTP_WHY_SIZE);
}

int http_server_start(struct http_server **ret, const struct http_server_options *options,
                      char why[HTTP_WHY_SIZE])
{
    struct http_server *s = calloc(1, sizeof *s);

    *ret = NULL;
    if (!s)
        return -ENOMEM;
    s->options = *options;
    s->workers = calloc(options->workers, sizeof *s->workers);
    if (!s->workers ||
        conn_table_init(&s->table, options->max_connections, options->max_per_address) < 0) {
        free(s->workers);
        free(s);
        return -ENOMEM;
    }
    the_server = s;
    adopt(s, options->identity);
    int failed = start_threads(s, why);
    if (failed) {
        server_free(s);
        return failed;
    }
    *ret = s;
    return 0;
}

const char *http_server_address(const struct http_server *s)
{
    return acceptor_address(s->acceptor);
}

void http_server_set_identity(struct http_server *s, struct tls_identity *identity)
{
    adopt(s, identity);
}

void http_server_drain(struct http_server *s, int64_t drain_us)
{
    int64_t until_us = clock_monotonic_us() + drain_us;

    atomic_store(&s->draining, true);
    acceptor_close(s->acceptor);
    while (atomic_load_explicit(&s->in_flight, memory_order_acquire) > 0 &&
           clock_monotonic_us() < until_us)
        usleep(2000);
}

void http_server_stop(struct http_server *s)
{
    acceptor_stop(s->acceptor);
    server_free(s);
}
