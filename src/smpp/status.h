/* What a carrier's refusal means, by table (status.def), with a carrier's own exceptions before it.
 */
#pragma once

#include "base/buf.h"

#define SMPP_CLASSES(X)                                                                            \
    X(OK, "ok")                                                                                    \
    X(TEMPORARY, "temporary") /* try again later */                                                \
    X(THROTTLED, "throttled") /* the whole bind is too fast */                                     \
    X(PERMANENT, "permanent") /* will never work */                                                \
    X(UNKNOWN, "unknown")     /* try another route */                                              \
    X(SESSION, "session")     /* the bind itself is at fault */

enum smpp_class {
#define X(name, word) SMPP_CLASS_##name,
    SMPP_CLASSES(X)
#undef X
};

/* Which of our error codes fits a permanent refusal; the domain has words for them. */
#define SMPP_BLAMES(X)                                                                             \
    X(MESSAGE, "message")     /* the carrier rejected the message */                               \
    X(RECIPIENT, "recipient") /* the destination is no good */                                     \
    X(SENDER, "sender")       /* the sender is no good */                                          \
    X(BLOCKED, "blocked")     /* blocked by the carrier */                                         \
    X(SPAM, "spam")                                                                                \
    X(CARRIER, "carrier") /* a fault of its own */

enum smpp_blame {
#define X(name, word) SMPP_BLAME_##name,
    SMPP_BLAMES(X)
#undef X
};

struct smpp_verdict {
    enum smpp_class class;
    enum smpp_blame blame;
};

struct smpp_exception {
    uint32_t first, last; /* statuses */
    struct smpp_verdict verdict;
};

enum { SMPP_EXCEPTIONS_MAX = 32 };
struct smpp_exceptions {
    struct smpp_exception list[SMPP_EXCEPTIONS_MAX];
    size_t count;
};

/* "0x45=temporary 0x400-0x4ff=permanent:spam": statuses decimal or hexadecimal, a class, and what
 * is to blame when it is not the usual. The first that fits counts. False: `why` is a sentence, and
 * nothing is written. */
bool smpp_exceptions_read(struct str text, struct smpp_exceptions *ret, char *why, size_t why_size);
/* `own` may be NULL. */
struct smpp_verdict smpp_status_verdict(uint32_t status, const struct smpp_exceptions *own);
