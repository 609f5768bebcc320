/* The media of one message: its files are fetched, some at a time, and put into the store together.
 * The first that cannot be had ends it, unless nobody waits for them: then those that can be had
 * are kept. Of the loop's thread once it is open; the writer's while it is `putting`. */
#pragma once

#include "media/media_file.h"
#include "messaging/errand.h"
#include "messaging/media_port.h"

enum { MEDIA_AT_ONCE = 3 }; /* files of a message */

struct media_fetch {
    struct errand errand; /* its letter takes it to the loop, to the writer, and back */
    int64_t message;
    struct media_claim claim; /* that of its first file */
    /* A file is not under way any more, for whatever reason. */
    void (*landed)(struct media_fetch *f, const struct media_file *file);
    void *owner;

    enum failure failure; /* of the first file that could not be had */
    char detail[MEDIA_DETAIL_SIZE];

    struct media_fetch *previous, *next;             /* the owner's, */
    struct media_fetch *asked_previous, *asked_next; /* and for its other thread */
    bool unwanted;

    /* Its own. */
    enum media_need need;
    struct media_budget budget;
    unsigned count, started, flying;
    bool forgotten; /* nobody wants it any more */
    bool putting;   /* it is with the writer */
    bool tried;     /* and was there, */
    bool put;       /* with success */
    int unsettled;  /* a file that had to be brought to disk there was not, and why */
    struct media_file files[];
};

/* A copy of what is needed of the message. NULL: memory is short. Any thread. */
struct media_fetch *media_fetch_new(const struct message *m, const struct media_profile *profile,
                                    int64_t size_max);
/* Ends what is under way, but for files that are just being brought to disk, of which there must be
 * none, and removes what did not go to the store. */
void media_fetch_close(struct media_fetch *f);
/* When it is closed, any thread. */
void media_fetch_free(struct media_fetch *f);

/* Finds what the store has already. */
void media_fetch_open(struct media_fetch *f, struct media_bench *bench, struct store_reader *r);
/* The file that may be started now; NULL: none. */
const struct media_file *media_fetch_next(const struct media_fetch *f);
void media_fetch_start(struct media_fetch *f);
/* Nobody wants it any more: it ends as soon as it can. */
void media_fetch_forget(struct media_fetch *f);

/* Nothing is under way, and nothing more will be. */
bool media_fetch_is_over(const struct media_fetch *f);
/* Then: what came goes to the store, and the errand comes home. False: there is nothing to put. */
bool media_fetch_put(struct media_fetch *f, struct mailbox *home, struct writer *w);
