#include "net/loop_tcp_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAVE_MS = 1000, KEEPALIVE_S = 60 };

static void try_address(struct loop_tcp *c);

/* ---- the end ---- */

static void destroy_when_closed(struct loop_tcp *c)
{
    struct buf *buffers[] = {&c->cipher, &c->in, &c->plain, &c->wire, &c->sending};

    if (c->handles > 0 || c->looking_up)
        return;
    if (c->addresses)
        uv_freeaddrinfo(c->addresses);
    if (c->tls.session)
        tls_stream_done(&c->tls);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        buf_done(buffers[i]);
    free((char *)c->options.host);
    free((char *)c->options.tls_name);
    free(c);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct loop_tcp *c = handle->data;

    c->handles--;
    destroy_when_closed(c);
}

void loop_tcp_dispose(struct loop_tcp *c)
{
    if (c->state == LOOP_TCP_GONE)
        return;
    c->state = LOOP_TCP_GONE;
    loop_guest_leave(c->loop, &c->guest);
    if (c->looking_up)
        uv_cancel((uv_req_t *)&c->lookup); /* or it ends by itself */
    uv_close((uv_handle_t *)&c->timer, on_handle_closed);
    uv_close((uv_handle_t *)&c->turn, on_handle_closed);
    if (c->handles == 3 && !uv_is_closing((uv_handle_t *)&c->tcp))
        uv_close((uv_handle_t *)&c->tcp, on_handle_closed);
}

void loop_tcp_fail(struct loop_tcp *c, const char *why)
{
    bool owned = c->state != LOOP_TCP_LEAVING && c->state != LOOP_TCP_GONE;

    loop_tcp_dispose(c);
    if (owned)
        c->options.closed(c->options.context, why);
}

static void show_out(struct loop_guest *g)
{
    loop_tcp_dispose(LOOP_GUEST_OF(g, struct loop_tcp));
}

static void on_leave_over(uv_timer_t *timer)
{
    loop_tcp_dispose(timer->data);
}

void loop_tcp_close(struct loop_tcp *c)
{
    if (c->state != LOOP_TCP_OPEN) {
        loop_tcp_dispose(c);
        return;
    }
    c->state = LOOP_TCP_LEAVING;
    uv_timer_start(&c->timer, on_leave_over, LEAVE_MS, 0);
    loop_tcp_flush_later(c);
}

/* ---- connecting ---- */

static void on_attempt_closed(uv_handle_t *handle)
{
    struct loop_tcp *c = handle->data;

    c->handles--;
    if (c->state == LOOP_TCP_GONE)
        destroy_when_closed(c);
    else
        try_address(c);
}

/* This address will not do: on to the next, with a new socket. */
static void give_address_up(struct loop_tcp *c, const char *reason)
{
    char host[64] = "?";
    const struct addrinfo *a = c->address;

    getnameinfo(a->ai_addr, a->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST);
    str_format(c->why, sizeof c->why, "no connection to %s port %u: %s", host, c->options.port,
               reason);
    c->connecting = false;
    c->address = a->ai_next;
    uv_timer_stop(&c->timer);
    uv_close((uv_handle_t *)&c->tcp, on_attempt_closed);
}

static void on_too_late(uv_timer_t *timer)
{
    struct loop_tcp *c = timer->data;

    if (c->connecting)
        give_address_up(c, "it does not answer");
    else if (c->state == LOOP_TCP_SHAKING)
        loop_tcp_fail(c, "TLS: the handshake takes too long");
    else
        loop_tcp_fail(c, "looking up its name takes too long");
}

static uint64_t time_left(const struct loop_tcp *c)
{
    uint64_t now = uv_now(loop_uv(c->loop));
    return now < c->deadline_ms ? c->deadline_ms - now : 0;
}

static void on_connected(uv_connect_t *request, int failed)
{
    struct loop_tcp *c = request->data;

    if (c->state != LOOP_TCP_OPENING || !c->connecting)
        return;
    if (failed) {
        give_address_up(c, uv_strerror(failed));
        return;
    }
    c->connecting = false;
    uv_timer_start(&c->timer, on_too_late, time_left(c), 0);
    uv_tcp_nodelay(&c->tcp, 1);
    uv_tcp_keepalive(&c->tcp, 1, KEEPALIVE_S);
    loop_tcp_begin(c);
}

/* The time that is left is shared among the addresses that are left, so that one that swallows
 * everything does not keep us from the others. */
static uint64_t share_of_time(const struct loop_tcp *c)
{
    uint64_t count = 1;

    for (const struct addrinfo *a = c->address->ai_next; a; a = a->ai_next)
        count++;
    return time_left(c) / count;
}

static void try_address(struct loop_tcp *c)
{
    if (!c->address) {
        loop_tcp_fail(c, c->why);
        return;
    }
    uv_tcp_init(loop_uv(c->loop), &c->tcp);
    c->tcp.data = c;
    c->handles++;
    c->connect.data = c;
    c->connecting = true;
    uv_timer_start(&c->timer, on_too_late, share_of_time(c), 0);
    int failed = uv_tcp_connect(&c->connect, &c->tcp, c->address->ai_addr, on_connected);
    if (failed)
        give_address_up(c, uv_strerror(failed));
}

void loop_tcp_try(struct loop_tcp *c, struct addrinfo *addresses)
{
    c->addresses = c->address = addresses;
    try_address(c);
}

static void on_looked_up(uv_getaddrinfo_t *request, int failed, struct addrinfo *addresses)
{
    struct loop_tcp *c = request->data;

    c->looking_up = false;
    if (c->state == LOOP_TCP_GONE) {
        c->addresses = addresses;
        destroy_when_closed(c);
    } else if (failed) {
        str_format(c->why, sizeof c->why, "%.200s is not found: %s", c->options.host,
                   uv_strerror(failed));
        loop_tcp_fail(c, c->why);
    } else {
        loop_tcp_try(c, addresses);
    }
}

/* Addresses need no looking up, and so do not wait for others' names. */
static void on_start(uv_timer_t *timer)
{
    struct loop_tcp *c = timer->data;
    struct addrinfo *addresses;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    char port[8];

    snprintf(port, sizeof port, "%u", c->options.port);
    if (getaddrinfo(c->options.host, port, &hints, &addresses) == 0) {
        loop_tcp_try(c, addresses);
        return;
    }
    hints.ai_flags = 0;
    c->lookup.data = c;
    c->looking_up = true;
    uv_timer_start(&c->timer, on_too_late, time_left(c), 0);
    int failed =
        uv_getaddrinfo(loop_uv(c->loop), &c->lookup, on_looked_up, c->options.host, port, &hints);
    if (failed)
        on_looked_up(&c->lookup, failed, NULL);
}

static struct loop_tcp *copy_of(const struct loop_tcp_options *options)
{
    struct loop_tcp *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->options = *options;
    c->options.host = strdup(options->host);
    c->options.tls_name = strdup(options->tls_name ? options->tls_name : options->host);
    if (!c->options.host || !c->options.tls_name) {
        free((char *)c->options.host);
        free((char *)c->options.tls_name);
        free(c);
        return NULL;
    }
    return c;
}

int loop_tcp_open(struct loop_tcp **ret, struct loop *l, const struct loop_tcp_options *options)
{
    struct loop_tcp *c = copy_of(options);

    *ret = c;
    if (!c)
        return -ENOMEM;
    buf_init(&c->cipher, LOOP_TCP_READ);
    buf_init(&c->in, LOOP_TCP_IN_MAX);
    buf_init(&c->plain, LOOP_TCP_OUT_MAX);
    buf_init(&c->wire, (size_t)2 * LOOP_TCP_OUT_MAX); /* TLS adds to it */
    c->loop = l;
    c->guest.show_out = show_out;
    loop_guest_enter(l, &c->guest);
    uv_timer_init(loop_uv(l), &c->timer);
    uv_prepare_init(loop_uv(l), &c->turn);
    c->timer.data = c->turn.data = c;
    c->handles = 2;
    c->deadline_ms = uv_now(loop_uv(l)) + options->connect_timeout_ms;
    /* In the next turn, so that whatever goes wrong is not told from inside this call. */
    uv_timer_start(&c->timer, on_start, 0, 0);
    return 0;
}
