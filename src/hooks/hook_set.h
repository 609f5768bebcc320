/* All webhooks on their way out: the lanes of endpoints that have work.
 *
 * The queue is the store's: deliveries wait there until they are due, and a lane holds a window of
 * them while it sends. The store tells which endpoints have something new, alarms tell when
 * something becomes due, and each lane has its turn, some deliveries at a time. What became of an
 * attempt is owed to the writer; the delivery leaves memory when that is on disk. So a crash costs
 * nothing: what was under way goes again.
 *
 * Of the loop's thread, but for what the store tells, which comes as letters. */
#pragma once

#include "hooks/hook_port.h"
#include "net/loop.h"
#include "store/writer.h"

struct hook_set;

struct hook_set_options {
    struct store *store;
    struct loop *loop;
    const struct clock *clock;
    struct hook_port port;
    unsigned connections;  /* deliveries under way at once, in all */
    unsigned per_endpoint; /* and to one endpoint */
    uint64_t (*random)(void);
};

/* Before the store is written to: it is the listener to its news. */
int hook_set_new(struct hook_set **ret, const struct hook_set_options *options);
/* Begins with what an earlier run left. Before the loop starts. */
void hook_set_start(struct hook_set *s, struct writer *w);
/* The loop's turn; by itself when there is news, an outcome is on disk, or it is time. */
void hook_set_run(struct hook_set *s);
/* After the loop and the writer have stopped. */
void hook_set_free(struct hook_set *s);

struct hook_set_counts {
    size_t lanes;  /* endpoints with work */
    size_t held;   /* deliveries in memory */
    size_t flying; /* of them under way */
};
struct hook_set_counts hook_set_count(const struct hook_set *s);
