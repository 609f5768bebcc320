/* The media desk: has the media files of messages fetched, all that are wanted at a time.
 *
 * Dispatch asks through the media port, on the engine's thread; the work is done on the loop of
 * MMS; what became of it comes back to the engine's thread. Between the two go letters. A message's
 * files go into the store together, when all of them are there and on disk. What the store has
 * already is not fetched, so a restart costs nothing that was done before.
 *
 * Memory is bounded: contents go to disk but for the first bytes of them (media_draft.h), and only
 * so many messages are taken. Who gets how many of their places, and of the connections, says
 * media_share.h; live messages begin before test messages, then those of accounts that have least.
 * A host that hangs, an account all of whose hosts do, or a flood of test messages hold up nobody
 * else, as long as dispatch can hold all that wait for them. Who shares a host that hangs waits
 * until one of those that were there before has timed out, and is next then. */
#pragma once

#include "messaging/media_port.h"
#include "net/address_guard.h"
#include "net/loop.h"
#include "net/loop_http.h"
#include "store/writer.h"

struct media_desk;

struct media_desk_options {
    struct loop *loop;   /* where files are fetched */
    struct loop *engine; /* whose thread asks and is told */
    /* On the engine's thread: dispatch_media_done and dispatch_ready. */
    void (*done)(void *context, int64_t message, const struct media_answer *answer);
    void (*ready)(void *context);
    void *context;
    struct store *store;
    struct writer *writer;
    const struct address_guard *guard; /* where files may be fetched from; outlives the desk */
    const char *ca_file;               /* PEM, trusted besides the system's; NULL or "" = none */
    size_t connections;                /* open at once */
    int64_t timeout_ms;                /* of one attempt at one file, in all */
    int64_t retry_ms;                  /* before the second attempt; 0: 2 seconds */
    int64_t size_max;                  /* of a message's files together, unless the profile says */
    size_t jobs;                       /* messages that are taken at once; 0: 512 */
};

/* Before both loops start. -EINVAL etc. with a line for the operator in `why`. */
int media_desk_new(struct media_desk **ret, const struct media_desk_options *options,
                   char why[LOOP_HTTP_WHY_SIZE]);
/* For dispatch_set_media; lives as long as the desk. */
const struct media_port *media_desk_port(const struct media_desk *d);
/* After both loops and the writer have stopped, and before the loops are freed. NULL is fine. */
void media_desk_free(struct media_desk *d);

/* Since the start, but for the first two. Any thread. */
struct media_desk_counts {
    size_t held;    /* messages that are asked for and not answered */
    size_t flying;  /* files that are being fetched */
    uint64_t files; /* that came whole */
    uint64_t known; /* of them: whose content the store had already */
    uint64_t bytes; /* of all that came, also in vain */
    uint64_t retries;
    uint64_t failures; /* files that could not be had, or were not wanted */
};
struct media_desk_counts media_desk_count(const struct media_desk *d);
