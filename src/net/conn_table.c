#include "net/conn_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* More descriptors than any machine of ours has open. Pages that nobody touches cost nothing. */
enum { SIZE_MOST = 1 << 20 };

struct conn_address {
    struct in6_addr address;
    unsigned count; /* 0 = the slot is free */
};

int conn_table_init(struct conn_table *t, size_t max, size_t max_per_address)
{
    struct rlimit files;

    memset(t, 0, sizeof *t);
    t->max = max;
    t->max_per_address = max_per_address;
    /* Descriptors of files, pipes and other listeners stand between those of connections. */
    t->size = getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : max + 1024;
    if (t->size > SIZE_MOST)
        t->size = SIZE_MOST;
    for (t->address_slots = 64; t->address_slots < 2 * max;)
        t->address_slots *= 2;
    t->conns = calloc(t->size, sizeof *t->conns);
    t->addresses = calloc(t->address_slots, sizeof *t->addresses);
    if (!t->conns || !t->addresses) {
        free(t->conns);
        free(t->addresses);
        return -ENOMEM;
    }
    pthread_mutex_init(&t->lock, NULL);
    return 0;
}

void conn_table_done(struct conn_table *t)
{
    pthread_mutex_destroy(&t->lock);
    free(t->conns);
    free(t->addresses);
}

static struct in6_addr mapped(const struct sockaddr *address)
{
    struct in6_addr out;

    memset(&out, 0, sizeof out);
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, address, sizeof six);
        out = six.sin6_addr;
    } else if (address->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, address, sizeof four);
        out.s6_addr[10] = out.s6_addr[11] = 0xff;
        memcpy(out.s6_addr + 12, &four.sin_addr, 4);
    }
    return out;
}

static size_t home(const struct conn_table *t, const struct in6_addr *address)
{
    uint64_t half[2];

    memcpy(half, address, sizeof half);
    uint64_t hash = (half[0] ^ (half[1] * 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
    return (hash >> 32) & (t->address_slots - 1);
}

/* The slot of an address, or the free slot where it would go. */
static struct conn_address *slot_of(struct conn_table *t, const struct in6_addr *address)
{
    size_t i = home(t, address);

    while (t->addresses[i].count && memcmp(&t->addresses[i].address, address, sizeof *address) != 0)
        i = (i + 1) & (t->address_slots - 1);
    return &t->addresses[i];
}

/* Frees a slot and moves up later ones of the same run, so that searches still find them. */
static void slot_clear(struct conn_table *t, struct conn_address *slot)
{
    size_t mask = t->address_slots - 1, hole = (size_t)(slot - t->addresses);

    for (size_t i = (hole + 1) & mask; t->addresses[i].count; i = (i + 1) & mask) {
        size_t wanted = home(t, &t->addresses[i].address);
        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            t->addresses[hole] = t->addresses[i];
            hole = i;
        }
    }
    t->addresses[hole].count = 0;
}

static void release(struct conn_table *t, struct conn *c)
{
    struct conn_address *slot = slot_of(t, &c->address);

    c->open = false;
    t->count--;
    if (--slot->count == 0)
        slot_clear(t, slot);
}

struct conn *conn_open(struct conn_table *t, int fd, const struct sockaddr *address,
                       int64_t deadline_us)
{
    struct conn *c = NULL;

    if (fd < 0 || (size_t)fd >= t->size)
        return NULL;
    pthread_mutex_lock(&t->lock);
    if (t->conns[fd].open) /* the descriptor was closed without word of it */
        release(t, &t->conns[fd]);
    struct in6_addr key = mapped(address);
    struct conn_address *slot = slot_of(t, &key);
    if (t->count < t->max && slot->count < t->max_per_address) {
        slot->address = key;
        slot->count++;
        t->count++;
        c = &t->conns[fd];
        t->end = (size_t)fd < t->end ? t->end : (size_t)fd + 1;
        c->open = true;
        c->address = key;
        conn_set_deadline(c, deadline_us);
    }
    pthread_mutex_unlock(&t->lock);
    return c;
}

struct conn *conn_at(struct conn_table *t, int fd)
{
    return fd >= 0 && (size_t)fd < t->size ? &t->conns[fd] : NULL;
}

void conn_close(struct conn_table *t, int fd)
{
    pthread_mutex_lock(&t->lock);
    if (fd >= 0 && (size_t)fd < t->size && t->conns[fd].open)
        release(t, &t->conns[fd]);
    pthread_mutex_unlock(&t->lock);
}

void conn_table_sweep(struct conn_table *t, int64_t now_us)
{
    pthread_mutex_lock(&t->lock);
    for (size_t fd = 0; fd < t->end; fd++) {
        struct conn *c = &t->conns[fd];
        if (c->open && atomic_load_explicit(&c->deadline_us, memory_order_relaxed) < now_us) {
            conn_set_deadline(c, CONN_NO_DEADLINE);
            shutdown((int)fd, SHUT_RDWR);
        }
    }
    pthread_mutex_unlock(&t->lock);
}

void conn_table_close_all(struct conn_table *t)
{
    for (size_t fd = 0; fd < t->end; fd++)
        if (t->conns[fd].open) {
            conn_close(t, (int)fd);
            close((int)fd);
        }
}
