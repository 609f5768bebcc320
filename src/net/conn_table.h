/* Open connections: how many there are in all and per address, and when each must have moved on.
 * Slow clients are cut by deadline, whatever byte they trickle. The table is shared by the acceptor
 * and the workers; its mutex is inside. */
#pragma once

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONN_NO_DEADLINE INT64_MAX

struct conn {
    bool open;
    struct in6_addr address; /* IPv4 in its mapped form */
    _Atomic int64_t deadline_us;
};

struct conn_table {
    pthread_mutex_t lock;
    struct conn *conns; /* by file descriptor */
    size_t size, count, max, max_per_address;
    size_t end;                     /* no descriptor from here on was ever one of a connection */
    struct conn_address *addresses; /* open addressing, a power of two of slots */
    size_t address_slots;
};

int conn_table_init(struct conn_table *t, size_t max, size_t max_per_address);
void conn_table_done(struct conn_table *t);

/* NULL when a cap is reached. */
struct conn *conn_open(struct conn_table *t, int fd, const struct sockaddr *address,
                       int64_t deadline_us);
struct conn *conn_at(struct conn_table *t, int fd);
void conn_close(struct conn_table *t, int fd);
static inline void conn_set_deadline(struct conn *c, int64_t deadline_us)
{
    atomic_store_explicit(&c->deadline_us, deadline_us, memory_order_relaxed);
}
/* Shuts down the sockets of all connections past their deadline; their owners close them. */
void conn_table_sweep(struct conn_table *t, int64_t now_us);
/* Closes what is still open, when nobody uses the table any more. */
void conn_table_close_all(struct conn_table *t);
