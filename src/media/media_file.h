/* One media file that is fetched: asked for through the address guard, gathered and hashed as it
 * comes, judged by its first bytes, brought to disk unless the store has the same content. It is
 * tried twice when that may help. Of the loop's thread. */
#pragma once

#include "media/media_draft.h"
#include "media/media_share.h"
#include "media/media_words.h"
#include "net/digest.h"
#include "net/loop_http.h"
#include "store/store.h"

#include <semaphore.h>
#include <stdatomic.h>

enum { MEDIA_SAID_SIZE = 128 };

/* What all files use. Owned by the desk. */
struct media_bench {
    struct loop *loop;
    struct loop_http *http;
    const struct store *store;
    struct store_reader *reader;
    int64_t timeout_ms, retry_ms; /* retry_ms: before another attempt */
    /* Files that a thread of the pool brings to disk; each raises the semaphore when it is through:
     * what ends meanwhile waits for it. */
    unsigned syncing;
    sem_t synced;
    size_t held;     /* bytes of drafts in memory */
    int64_t said_us; /* when it was said last that something here is in the way */
    _Atomic uint64_t files, known, bytes, retries, failures;
};

/* What the files of a message may have together. */
struct media_budget {
    int64_t taken, max;
};

struct media_file {
    struct media_bench *bench;
    struct media_budget *budget;
    const char *url;
    unsigned number;
    struct media_claim claim; /* the owner's */
    uint32_t kinds;           /* that are taken; bits */
    void (*done)(struct media_file *f);
    void *owner;

    /* The owner's notes: the store has it since before; it is under way; it was put. */
    bool kept, flying, put;

    struct media_record record; /* when it is good: all but message and at_us */
    struct media_draft draft;
    enum failure failure;
    char why[MEDIA_WHY_SIZE]; /* of the failure */

    /* Its own. */
    struct digest *digest;
    char head[SNIFF_BYTES];
    size_t head_n;
    char said[MEDIA_SAID_SIZE]; /* Content-Type */
    int64_t size;
    unsigned attempts;
    int trouble; /* negative errno: something here is in the way, it is no fault of the file */
    bool syncing, ended;
    struct loop_http_request *request;
    struct loop_timer *timer;
};

/* The fields before `record` are the caller's to fill, but for the bench: that comes with the
 * loop's thread. */
void media_file_init(struct media_file *f);
void media_file_open(struct media_file *f, struct media_bench *bench);
/* The store has it since before. It is judged for the carrier that it goes to now, and has its
 * failure then; `done` is not called. */
void media_file_known(struct media_file *f, const struct media_record *m);
/* Calls `done` once, when it is good or says why not; from inside only for want of memory. */
void media_file_start(struct media_file *f);
/* Nobody wants it any more, and `done` is not called. False: it is just being brought to disk, and
 * must stay until `done` says that it is through. */
bool media_file_cancel(struct media_file *f);
/* Whether the temporary file is the store's now, or goes. After `done`, or a cancel. */
void media_file_done(struct media_file *f, bool kept);
