/* The front door: one thread that accepts connections, waits for the first byte of each, and hands
 * over those that speak TLS. A client that speaks plain HTTP is told so and shown out; nothing it
 * sent is looked at. Also sweeps the connection table, twice a second. */
#pragma once

#include "net/conn_table.h"
#include "net/listener.h"

struct acceptor_options {
    const char *listen;
    struct conn_table *table;
    int64_t first_byte_us; /* how long a connection may stay silent */
    bool plain;            /* the other way round: TLS is what is shown out */
    /* On the acceptor's thread: whether this address may come at all. NULL: every one may. */
    bool (*admits)(void *context, const struct in6_addr *address);
    /* On the starting thread: the address is known, nothing has been accepted yet. */
    void (*bound)(void *context, const char *address);
    /* On the acceptor's thread: the connection is the receiver's now. */
    void (*take)(void *context, int fd);
    void *context;
};

struct acceptor;

int acceptor_start(struct acceptor **ret, const struct acceptor_options *options, char *why,
                   size_t why_size);
const char *acceptor_address(const struct acceptor *a);
/* Closes the door; connections handed over go on, and are still swept. */
void acceptor_close(struct acceptor *a);
void acceptor_stop(struct acceptor *a);
