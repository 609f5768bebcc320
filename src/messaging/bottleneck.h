/* What keeps messages from going out faster right now, in words: of the key that asks, and of the
 * carriers that its messages wait for. */
#pragma once

#include "messaging/limit.h"
#include "messaging/routing.h"
#include "store/store.h"

/* The worst first. X(name, word) */
#define BOTTLENECKS(X)                                                                             \
    X(KEY_LIMIT, "key_limit")       /* the key has used up one of its windows */                   \
    X(LINK_DOWN, "link_down")       /* no bind of the carrier is up, or no connection works */     \
    X(DRAINED, "drained")           /* the operator has drained it */                              \
    X(THROTTLED, "throttled")       /* it wants less */                                            \
    X(CARRIER_RATE, "carrier_rate") /* as much goes to it as the settings allow */                 \
    X(WINDOW, "window")             /* it has as much unanswered as it may */                      \
    X(NO_CARRIER, "no_carrier")     /* it is not configured (any more) */

enum bottleneck_kind {
#define X(name, word) BOTTLENECK_##name,
    BOTTLENECKS(X)
#undef X
};

const char *bottleneck_word(enum bottleneck_kind kind);

enum { BOTTLENECK_NOBODY = -1, BOTTLENECK_MESSAGE_SIZE = 256 };

struct bottleneck {
    enum bottleneck_kind kind;
    char carrier[CARRIER_NAME_MAX + 1]; /* "": none */
    int64_t waiting;                    /* messages; BOTTLENECK_NOBODY: it is not messages */
    char message[BOTTLENECK_MESSAGE_SIZE];
};

/* Whether the key has a window that is used up: the one that opens last. */
bool bottleneck_of_key(const struct limit_window windows[LIMIT_WINDOWS], int64_t now_us,
                       struct bottleneck *ret);
/* Those of the carriers that messages are queued for, the worst first, then by how many wait; how
 * many. `known`: every carrier that there ever was, by whose names those that are not configured
 * any more are called; there may be none. */
size_t bottlenecks_of_queue(const struct queue_state *queue, const struct routing *routing,
                            const struct carrier_record *known, size_t known_count,
                            struct bottleneck ret[QUEUE_LANES_MAX]);
/* Whether it would want to know such names. */
bool bottlenecks_want_names(const struct queue_state *queue, const struct routing *routing);
