/* What the files of connections share: loop_tcp.c has their life, loop_tcp_flow.c their bytes. */
#pragma once

#include "net/loop_internal.h"
#include "net/loop_tcp.h"

enum {
    LOOP_TCP_READ = 32 << 10,
    LOOP_TCP_IN_MAX = 128 << 10,
    LOOP_TCP_OUT_MAX = 4 << 20,
    LOOP_TCP_KEEP = 64 << 10, /* greater buffers are given back when they are empty */
};

enum loop_tcp_state {
    LOOP_TCP_OPENING, /* looking up the name, connecting */
    LOOP_TCP_SHAKING, /* TLS shakes hands */
    LOOP_TCP_OPEN,
    LOOP_TCP_LEAVING, /* nobody's any more; what was written is still sent */
    LOOP_TCP_GONE,    /* its handles are being closed */
};

/* Owned by the loop's thread. Is freed when the last of its handles is closed and no look-up is
 * under way; so it outlives every callback in which it ended. */
struct loop_tcp {
    struct loop_tcp_options options; /* its texts are our copies */
    struct loop *loop;
    struct loop_guest guest;
    enum loop_tcp_state state;
    char why[TLS_WHY_SIZE + 64];

    uv_tcp_t tcp;
    uv_timer_t timer;  /* what it waits for depends on the state */
    uv_prepare_t turn; /* at the end of a turn of the loop, when something was written in it */
    unsigned handles;  /* of these three, those not closed */
    uv_getaddrinfo_t lookup;
    uv_connect_t connect;
    uv_write_t write;
    uv_shutdown_t shutdown;
    bool looking_up, connecting, writing, said_bye, shut;

    struct addrinfo *addresses, *address; /* all, and the one that is tried */
    uint64_t deadline_ms;                 /* of opening; the loop's time */

    struct tls_stream tls; /* without a session: plain */
    struct buf cipher;     /* what came, before TLS has read it */
    struct buf in;         /* what came and was not taken */
    struct buf plain;      /* what was written, before TLS has */
    struct buf wire;       /* what is to be sent */
    struct buf sending;    /* what is being sent; stays where it is */
};

/* The end: tells the owner, unless it has left. */
void loop_tcp_fail(struct loop_tcp *c, const char *why);
void loop_tcp_dispose(struct loop_tcp *c);
/* Connects to one after the other until one answers; takes the list over. */
void loop_tcp_try(struct loop_tcp *c, struct addrinfo *addresses);
/* It is connected: the bytes begin to flow. */
void loop_tcp_begin(struct loop_tcp *c);
/* Something is to be sent at the end of this turn. */
void loop_tcp_flush_later(struct loop_tcp *c);
void loop_tcp_on_turn(uv_prepare_t *turn);
