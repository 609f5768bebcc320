/* The carrier port: what dispatch asks of a carrier and what it wants to hear back. carriers/
 * implements it: the simulator and SMPP. Everything happens on the engine's thread, but for what is
 * marked. */
#pragma once

#include "store/records.h"

#include <stdatomic.h>

struct carrier;
/* A message on its way to a carrier. Dispatch owns it: a carrier that ends without having answered
 * just forgets it. */
struct parcel;

/* The message inside; it lives until the carrier has answered and been told that it is settled. */
const struct message *parcel_message(const struct parcel *p);
/* A note of the carrier's own on a parcel that it has, so that it finds what it knows of it. */
void parcel_set_note(struct parcel *p, void *note);
void *parcel_note(const struct parcel *p);

struct carrier_ops {
    /* Takes the parcel and answers for it later, exactly once, with dispatch_answered.
     * -EAGAIN: no room at the moment; the carrier calls dispatch_ready when there is. */
    int (*submit)(struct carrier *c, struct parcel *p);
    /* The message was handed over before the program restarted: expect its receipt again. NULL:
     * receipts find their message by themselves. */
    int (*follow)(struct carrier *c, const struct message *m);
    /* How many parcels it would take now, besides those it has. Before a parcel goes to a carrier
     * that has this function, the store notes that it does: so after a crash it is known which
     * messages a carrier may have had. NULL: nothing is noted. */
    size_t (*room)(struct carrier *c);
    /* What became of the parcel is on disk, or it went back unanswered: its place is free. Last
     * word on this parcel. NULL: of no interest. */
    void (*settled)(struct carrier *c, struct parcel *p);
};

enum { CARRIER_HEALTH_FULL = 1000 };

/* What keeps the next message that waits for a carrier from going at once. */
enum carrier_limit {
    CARRIER_LIMIT_NONE,
    CARRIER_LIMIT_LINK_DOWN, /* no bind is up, or no connection can be used */
    CARRIER_LIMIT_DRAINED,   /* by the operator */
    CARRIER_LIMIT_THROTTLED, /* it wants less: it gets so many segments a second, 0 while it pauses;
                                of an MMSC these are messages, here and below */
    CARRIER_LIMIT_RATE,      /* it gets so many segments a second, by its settings */
    CARRIER_LIMIT_WINDOW,    /* so many places are all taken */
};

/* What a carrier wants of the media of a message before it takes it. */
enum media_need {
    MEDIA_NEVER,  /* it looks at no media */
    MEDIA_BESIDE, /* they are fetched while it goes its way, for whoever wants to look at them */
    MEDIA_FIRST   /* they are fetched first; what cannot be fetched, or does not fit, fails it */
};

/* Types of media files, as bits. X(name, bit, word in the configuration) */
#define MEDIA_KINDS(X)                                                                             \
    X(JPEG, 0, "jpeg")                                                                             \
    X(PNG, 1, "png")                                                                               \
    X(GIF, 2, "gif")                                                                               \
    X(WEBP, 3, "webp")                                                                             \
    X(MP4, 4, "mp4")                                                                               \
    X(3GP, 5, "3gp")                                                                               \
    X(AMR, 6, "amr")                                                                               \
    X(MP3, 7, "mp3")                                                                               \
    X(VCARD, 8, "vcard")                                                                           \
    X(TEXT, 9, "text")

enum media_kind {
#define X(name, bit, word) MEDIA_##name = (bit),
    MEDIA_KINDS(X)
#undef X
};

/* What media a carrier takes. */
struct media_profile {
    enum media_need need;
    uint32_t kinds;   /* bits 1 << enum media_kind; 0: all but WebP */
    int64_t size_max; /* of all files of a message together; 0: what media.max_size says */
};

struct carrier {
    const char *name;
    const struct carrier_ops *ops;
    unsigned number;    /* in the store; 0: the simulator */
    _Atomic int health; /* 0: cannot take anything; CARRIER_HEALTH_FULL: all is well. Any thread. */
    bool resend;        /* what went unanswered is sent again, not given up */
    bool is_mmsc;       /* it is a section [mmsc NAME], and spoken of as one */
    struct media_profile media; /* engine's thread */
    _Atomic uint64_t limit;     /* an enum carrier_limit, and above it the figure. Any thread. */
};

static inline void carrier_limit_set(struct carrier *c, enum carrier_limit limit, uint32_t figure)
{
    atomic_store_explicit(&c->limit, (uint64_t)figure << 32 | (uint64_t)limit,
                          memory_order_relaxed);
}

/* *ret_figure: the number in the limit's comment; 0 where there is none. */
static inline enum carrier_limit carrier_limit_get(const struct carrier *c, uint32_t *ret_figure)
{
    uint64_t both = atomic_load_explicit(&c->limit, memory_order_relaxed);

    *ret_figure = (uint32_t)(both >> 32);
    return (enum carrier_limit)(both & 0xff);
}

/* What a carrier says to a parcel. */
enum carrier_outcome {
    CARRIER_TOOK,
    CARRIER_REFUSED,   /* for good: it fails with `failure` */
    CARRIER_LATER,     /* the same carrier may take it later */
    CARRIER_ELSEWHERE, /* try another route; if there is none it fails with `failure` */
    CARRIER_SILENT,    /* it was sent and not answered: nobody knows whether the carrier has it */
    CARRIER_UNTRIED,   /* it was not sent; back into the queue */
};

enum { CARRIER_PARTS_MAX = 64 };

struct carrier_answer {
    enum carrier_outcome outcome;
    enum failure failure;
    /* CARRIER_TOOK: the ids that the carrier gave, in the form in which receipts are looked for;
     * one for each part, "" where it gave none. */
    const struct str *ids;
    unsigned parts;
    unsigned taken;    /* other outcomes: parts that the carrier has, or may have, all the same */
    struct str detail; /* what the carrier said, for the history: a sentence or "" */
};
