/* Messages from handsets that live carriers bring: parts are kept until all are there, then the
 * whole is a received message; a keyword opts out or in. Engine's thread. */
#pragma once

#include "messaging/arrival_media.h"
#include "messaging/optout.h"
#include "messaging/route.h"
#include "store/writer.h"

struct arrivals;

struct arrivals_options {
    struct store *store;
    struct writer *writer;
    const struct clock *clock;
    struct optouts *optouts;
    struct mailbox *home; /* where errands come back to; the engine empties it */
};

int arrivals_new(struct arrivals **ret, const struct arrivals_options *options);
/* After the writer has stopped and all errands have come back (dispatch_close). */
void arrivals_free(struct arrivals *a);
/* Whose senders get messages; NULL: nobody's, as at first. It lives until the next one is set. */
void arrivals_set_routing(struct arrivals *a, const struct routing *routing);

struct arrival {
    unsigned carrier;
    struct str from, to;   /* as the carrier wrote them, '+' added where it is a number of E.164 */
    struct str text;       /* UTF-8, of this part */
    uint16_t reference;    /* of parts */
    uint8_t total, number; /* total 0 or 1: the whole message */
    bool mms;
    struct str subject; /* of MMS; "" */
    /* Of MMS: whom else it is to. Of all of them those that are senders of ours get it. */
    const struct str *others;
    size_t other_count;
    /* Of MMS: what the carrier calls this bringing, the same when it comes again; "" = nothing. */
    struct str transaction;
    int64_t stamp_us;  /* when it was written, where that belongs to its name; 0: it does not */
    int64_t within_us; /* it is the same only when it comes again so soon; 0: whenever it does */
    /* Of MMS, which comes whole. Copied; MEDIA_MAX at most. */
    const struct arrival_media *media;
    size_t media_count;
    size_t media_dropped; /* how many more came: for the history */
    bool text_cut;        /* the last of the files has all of the text */
};

/* `done` is called once, on the engine's thread, maybe at once. 0: it is on disk; 1: it was before,
 * an MMS that comes again; negative: it is not, and the carrier should send it again. The
 * receiver is the sender of this address; its account gets the message, or the first account when
 * nobody has any of the addresses. */
void arrivals_take(struct arrivals *a, const struct arrival *arrival,
                   void (*done)(void *context, int result), void *context);
/* Parts that waited too long for the others become a message with what there is. Each second. */
void arrivals_tick(struct arrivals *a);
