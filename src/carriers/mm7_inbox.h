/* What MMSCs bring over HTTP: each request is let in by its door, read on the listener's worker,
 * with media files written there, then handed to the domain on the engine's thread, and answered
 * when what it says is on disk. An MMSC keeps what we do not answer for, and comes again. */
#pragma once

#include "carriers/mm7_door.h"
#include "messaging/arrivals.h"
#include "messaging/receipts.h"
#include "net/loop.h"

struct mm7_inbox;

enum { MM7_INBOX_BODY_MAX = 8 << 20 };

struct mm7_inbox_options {
    struct loop *loop; /* the engine's */
    const struct store *store;
    const struct clock *clock;
    struct receipts *receipts;
    struct arrivals *arrivals;
    /* On the engine's thread: a receipt of this carrier is on disk (0), or is a stray (1). */
    void (*noted)(void *context, unsigned carrier, int stray);
    void *context;
};

/* Before the loop's thread starts; without doors nobody comes in. */
int mm7_inbox_new(struct mm7_inbox **ret, const struct mm7_inbox_options *options);
/* From now on these are the doors; the inbox takes them over. One thread, whichever. */
void mm7_inbox_set_doors(struct mm7_inbox *inbox, struct mm7_doors *doors);
/* After the engine has stopped: what waits for it, and what comes now, is told to come again. */
void mm7_inbox_close(struct mm7_inbox *inbox);
/* After its HTTP server has stopped. */
void mm7_inbox_free(struct mm7_inbox *inbox);

/* For the HTTP server. Bodies are kept only of those who are let in. */
void mm7_inbox_handle(struct http_request *r);
bool mm7_inbox_admits(void *inbox, const struct http_peer *peer);
size_t mm7_inbox_body_max(struct http_request *r);
int mm7_inbox_worker_open(void *inbox, void **ret);
void mm7_inbox_worker_close(void *inbox);
