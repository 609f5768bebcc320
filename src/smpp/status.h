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
enum smpp_blame {
    SMPP_BLAME_MESSAGE,   /* the carrier rejected the message */
    SMPP_BLAME_RECIPIENT, /* the destination is no good */
    SMPP_BLAME_SENDER,    /* the sender is no good */
    SMPP_BLAME_BLOCKED,   /* blocked by the carrier */
    SMPP_BLAME_SPAM,
    SMPP_BLAME_CARRIER, /* a fault of its own */
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

/* "0x45=temporary 0x400-0x4ff=permanent:spam": false, and `why` is a sentence. */
bool smpp_exceptions_read(struct str text, struct smpp_exceptions *ret, char *why, size_t why_size);
struct smpp_verdict smpp_status_verdict(uint32_t status, const struct smpp_exceptions *own);
