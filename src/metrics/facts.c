#include "metrics/facts.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

enum { ARENA_MAX = 64 << 20, PATH_SIZE = 4096 };
#define SLOW_US INT64_C(15000000)

int facts_open(struct facts *f, const struct facts_sources *sources)
{
    *f = (struct facts){.sources = *sources};
    arena_init(&f->arena, ARENA_MAX);
    return store_reader_open(sources->store, &f->reader);
}

void facts_close(struct facts *f)
{
    store_reader_close(f->reader);
    arena_done(&f->arena);
}

/* ---- the queue ---- */

static void forget_queue(struct facts *f, unsigned mode, double value)
{
    for (size_t i = 0; i < FACTS_QUEUES; i++)
        f->queue[mode][i] = value;
    f->oldest_s[mode] = f->hooks_pending[mode] = value;
}

static int add_queue(struct facts *f, int64_t account, enum mode mode)
{
    struct queue_state q;
    int failed = store_queue_state(f->reader, account, mode, &q);

    if (failed)
        return failed;
    f->queue[mode][FACTS_SCHEDULED] += (double)q.scheduled;
    f->queue[mode][FACTS_QUEUED] += (double)q.queued;
    f->queue[mode][FACTS_SENT] += (double)q.sent;
    f->hooks_pending[mode] += (double)q.hooks_pending;
    if (q.oldest_queued_us) {
        int64_t age_us = clock_now_us(f->sources.clock) - q.oldest_queued_us;
        if ((double)age_us / 1e6 > f->oldest_s[mode])
            f->oldest_s[mode] = (double)age_us / 1e6;
    }
    return 0;
}

/* All accounts together: which one it is would be an id. */
static void look_at_queue(struct facts *f)
{
    struct account_record *accounts;
    size_t count;
    int failed = store_account_list(f->reader, &f->arena, &accounts, &count);

    for (unsigned mode = 0; mode < FACTS_MODES; mode++) {
        forget_queue(f, mode, 0);
        for (size_t i = 0; i < count && !failed; i++)
            failed = add_queue(f, accounts[i].id, mode);
        if (failed)
            forget_queue(f, mode, NAN);
    }
}

/* ---- carriers, endpoints, books ---- */

static void look_at_carriers(struct facts *f)
{
    if (store_carrier_list(f->reader, &f->arena, &f->carriers, &f->carrier_count) != 0)
        f->carrier_count = 0;
}

static enum facts_endpoint state_of(const struct endpoint_record *e, int64_t now_us)
{
    if (e->off)
        return FACTS_OFF;
    return e->paused_until_us > now_us ? FACTS_PAUSED : FACTS_ACTIVE;
}

static void look_at_endpoints(struct facts *f)
{
    int64_t now_us = clock_now_us(f->sources.clock);
    struct endpoint_record *endpoints;
    size_t count;
    int failed = store_endpoint_list(f->reader, 0, &f->arena, &endpoints, &count);

    for (size_t i = 0; i < FACTS_ENDPOINTS; i++)
        f->endpoints[i] = failed ? NAN : 0;
    for (size_t i = 0; i < count && !failed; i++)
        f->endpoints[state_of(&endpoints[i], now_us)]++;
}

static void look_at_books(struct facts *f)
{
    struct books books;

    f->books_difference =
        store_books(f->reader, false, &books) == 0 ? (double)books.differences : NAN;
}

static void look_at_slow_ones(struct facts *f)
{
    int64_t now_us = clock_monotonic_us();

    if (f->slow_us && now_us - f->slow_us < SLOW_US)
        return;
    look_at_endpoints(f);
    look_at_books(f);
    f->slow_us = now_us;
}

/* ---- files ---- */

/* A log that is not there is empty. */
static double size_of(const char *path, const char *ending)
{
    char whole[PATH_SIZE];
    struct stat s;

    snprintf(whole, sizeof whole, "%s%s", path, ending);
    return stat(whole, &s) == 0 ? (double)s.st_size : 0;
}

void facts_look(struct facts *f)
{
    arena_reset(&f->arena);
    look_at_queue(f);
    look_at_carriers(f);
    look_at_slow_ones(f);
    store_reader_rest(f->reader);
    f->connections = http_server_connections(f->sources.http);
    f->writer_queue = (double)writer_waiting(f->sources.writer);
    f->database_bytes = size_of(f->sources.database, "");
    f->wal_bytes = size_of(f->sources.database, "-wal");
    process_look(&f->process);
}
