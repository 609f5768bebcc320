/* The media port: what dispatch asks of whoever fetches media files. media/ implements it. Engine's
 * thread. */
#pragma once

#include "messaging/carrier.h"

struct media_port {
    /* Has every file that the message's media name, and that the store does not have yet, fetched
     * and kept; then calls dispatch_media_done, never from inside. The message is copied. -EAGAIN:
     * too many wait, or too many of this account or of this host; others may be taken, and
     * dispatch_ready will be called when there is room. */
    int (*fetch)(void *context, const struct message *m, const struct media_profile *profile);
    /* Nobody waits for this message any more; dispatch_media_done need not be called. */
    void (*forget)(void *context, int64_t message);
    void *context;
};

struct media_answer {
    enum failure failure; /* FAILURE_NONE: all files are there */
    struct str detail;    /* which file and why: a sentence for the history; "" when all is well */
};
