/* What the files of an MMSC share: mm7_carrier.c (its life), mm7_standing.c (how it stands, and
 * what keeps it back), mm7_feed.c (what goes out, and what comes of it). */
#pragma once

#include "carriers/mm7_carrier.h"
#include "carriers/mm7_wire.h"
#include "carriers/smpp_backoff.h"
#include "carriers/smpp_rate.h"

/* A message that the carrier has, until it is settled. */
struct mm7_job {
    struct mm7_job *next;          /* of those that wait */
    struct mm7_job *newer, *older; /* of all */
    struct mm7_carrier *carrier;
    struct parcel *parcel;
    unsigned term; /* of the settings that it was begun with; 0: it was not */
    int64_t begun_us;
};

/* Out to the MMSC under one set of settings, until all that went there is answered for. */
struct mm7_way {
    struct mm7_way *next;
    struct mm7_carrier *carrier;
    struct mm7_outlet *outlet;
};

/* One that has failed is left alone for a while; then it gets one message, as a probe. */
enum mm7_stands { MM7_STANDS_WELL, MM7_STANDS_DOWN, MM7_STANDS_PROBED };

struct mm7_carrier {
    struct live_carrier live;
    struct mm7_settings *settings; /* that hold now; the outlet's */
    struct mm7_way *way;           /* theirs; NULL: it does not run */
    struct mm7_way *ways;          /* with those of earlier settings */

    struct mm7_job *ready, **ready_end; /* taken from dispatch and not begun */
    size_t ready_count;
    struct mm7_job *jobs; /* all, until they are settled */
    unsigned term;        /* of the settings: places of earlier ones are gone, and what comes from
                             there says nothing of how it stands now */
    /* A message has a place of the window from when it is begun until what became of it is on
     * disk: so however the program dies, no more messages than the window has places can have been
     * sent without our knowing. New settings have a window of their own at once, or one that hangs
     * would hold up the very edit that mends it. What is left of those before the last ones takes
     * places of it: however often they change, there are no more than two windows. */
    unsigned used;
    unsigned used_before; /* in the last term that had settings, */
    unsigned used_long;   /* and in those before it */
    unsigned term_before; /* that last one; 0: none */
    size_t flying;        /* begun in this term and not answered */
    size_t late;          /* the same of earlier terms */
    struct smpp_rate rate;
    int64_t limited_us; /* when rate or window last kept something back; 0: not lately */
    double trouble;     /* share of answers lately that were none of taking, 0 to 1 */
    bool room_freed;    /* since dispatch was last told */

    enum mm7_stands stands;
    int64_t stands_us; /* since when */
    int64_t until_us;  /* while down */
    unsigned failures; /* in a row */
    struct smpp_backoff backoff;

    bool stopping, aborted; /* stopping: there are no settings any more, and still ways */
    int64_t grace_us;       /* until then what was sent may be answered; 0: there is no hurry */
    void (*stopped)(void *context);
    void *stopped_context;
};

/* ---- mm7_carrier.c ---- */

/* When stopping: ends what was not answered in time. */
void mm7_carrier_leave(struct mm7_carrier *c);

/* ---- mm7_standing.c ---- */

void mm7_standing_init(struct mm7_carrier *c, int64_t now_us);
/* What an answer shows; of a message that was begun at that time. */
void mm7_standing_take(struct mm7_carrier *c, const struct mm7_outcome *o, int64_t begun_us,
                       int64_t now_us);
/* Time passes: one that was down may be probed. */
void mm7_standing_look(struct mm7_carrier *c, int64_t now_us);
/* Something has changed that others see: health, state. */
void mm7_standing_judge(struct mm7_carrier *c);
/* After what can be sent has been: says through the port what keeps back the rest. */
void mm7_standing_limit(struct mm7_carrier *c, int64_t now_us);

/* ---- mm7_feed.c ---- */

extern const struct carrier_ops mm7_carrier_ops;

/* Sends what may be sent now. */
int64_t mm7_feed(struct live_carrier *live);
/* Places of the window that are free. */
size_t mm7_feed_places(const struct mm7_carrier *c);
/* Messages that it would begin to send now. */
size_t mm7_feed_room(const struct mm7_carrier *c);
/* Gives back what was not begun. */
void mm7_feed_return(struct mm7_carrier *c);
