/* What the files of a carrier share: smpp_carrier.c (its life and how it stands), smpp_line.c (its
 * links), smpp_feed.c (what goes out), smpp_limit.c (what keeps it back), smpp_answer.c (what comes
 * back), smpp_inbox.c (what is delivered to us). */
#pragma once

#include "carriers/smpp_carrier.h"
#include "carriers/smpp_deliver.h"
#include "carriers/smpp_job.h"
#include "carriers/smpp_link.h"
#include "carriers/smpp_rate.h"

enum { SMPP_LINES_MAX = 64, SMPP_LINE_NAME_SIZE = CARRIER_NAME_MAX + 16 };

/* A link of the carrier's, and what goes over it.
 *
 * A message takes as many places of the window as it has parts, from when it begins to be sent
 * until what became of it is on disk; it begins when one place is free. So however the program
 * dies, no more messages than the window has places can have been sent without our knowing. How
 * many parts are unanswered is the link's own affair, and never more than the window. */
struct smpp_line {
    struct smpp_carrier *carrier;
    struct smpp_link *link;
    char name[SMPP_LINE_NAME_SIZE];
    bool sends;             /* not only a receiver */
    bool gone;              /* while stopping: unbound */
    const char *fault;      /* why it is to be bound anew; NULL: it is not */
    unsigned faults;        /* such reasons since a part was last taken */
    unsigned used;          /* places */
    struct smpp_jobs queue; /* those begun whose parts wait, by age */
    struct smpp_submission *submission;
    uint64_t made; /* whose submission: the job's order; 0: nobody's */
    struct smpp_pause pause;
    int64_t moved_us; /* when something was last answered, or there was nothing to do */
};

/* A delivery that is being written. */
struct smpp_delivering {
    struct smpp_delivering *next, *before;
    struct smpp_line *line;
    unsigned generation;
    uint64_t token;
    bool is_receipt;
};

enum { SMPP_REFERENCES = 1024 };

struct smpp_carrier {
    struct live_carrier live;
    struct smpp_settings *settings;

    struct smpp_line lines[SMPP_LINES_MAX];
    unsigned line_count;
    unsigned generation;    /* of the lines: what belongs to earlier ones is let go */
    struct smpp_jobs ready; /* taken from dispatch and not begun */
    size_t ready_parts;     /* of them, as far as one can tell */
    struct smpp_job *jobs;  /* all, until they are settled */
    size_t unanswered;      /* jobs that dispatch has not heard of */
    uint64_t orders;
    struct smpp_rate rate;
    int64_t limited_us; /* when rate, window or pauses last kept something back; 0: not lately */
    double trouble;     /* share of answers lately that were none of taking, 0 to 1 */
    bool room_freed;    /* since dispatch was last told */
    uint16_t references[SMPP_REFERENCES];

    struct smpp_delivered delivered;
    struct smpp_delivering *deliveries;

    bool tried; /* a bind was lost or refused since the start */
    bool stopping, unbinding;
    int64_t grace_us; /* until then what was sent may be answered */
    int64_t hurry_us; /* and until then what it brings is */
    void (*stopped)(void *context);
    void *stopped_context;
};

/* ---- smpp_carrier.c ---- */

/* Time that never jumps. */
int64_t smpp_now_us(void);
/* Something has changed that others see: health, state. */
void smpp_carrier_judge(struct smpp_carrier *c);
/* The last trouble, for people. */
void smpp_carrier_note(struct smpp_carrier *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* When stopping: goes on with it. */
void smpp_carrier_leave(struct smpp_carrier *c);

/* ---- smpp_line.c ---- */

/* All lines that the settings want; not started. -ENOMEM: some may be open. */
int smpp_lines_open(struct smpp_carrier *c);
void smpp_lines_close(struct smpp_carrier *c);
unsigned smpp_lines_bound(const struct smpp_carrier *c, bool senders_only);
/* Each second, while it is bound: when what was sent is not answered, or what could be sent is not,
 * for too long, it is bound anew. */
void smpp_line_watch(struct smpp_line *l, int64_t now_us);

/* ---- smpp_feed.c ---- */

extern const struct carrier_ops smpp_carrier_ops;

/* Sends what may be sent now. */
int64_t smpp_feed(struct live_carrier *live);
/* Messages that it would begin to send now. */
size_t smpp_feed_room(const struct smpp_carrier *c);
/* Places of the window that are free, of all lines that may send now. */
size_t smpp_feed_places(const struct smpp_carrier *c, int64_t now_us);
/* Gives back what was not begun. */
void smpp_feed_return(struct smpp_carrier *c);
bool smpp_line_can_send(const struct smpp_line *l, int64_t now_us);

/* ---- smpp_limit.c ---- */

/* After what can be sent has been: says through the port what keeps back the rest. */
void smpp_limit_judge(struct smpp_carrier *c, int64_t now_us);

/* ---- smpp_answer.c ---- */

/* A response to a part, or NULL: there will be none. */
void smpp_answer_take(struct smpp_line *l, struct smpp_part *part, const struct smpp_pdu *response);
/* The line is gone: what it has begun is answered for. */
void smpp_answer_lost(struct smpp_line *l);
/* What the line has begun and the carrier has nothing of goes back to dispatch, where it may expire
 * or go another way. */
void smpp_answer_release(struct smpp_line *l);
/* Tells dispatch, when the job is over; the job may be gone then. */
void smpp_answer_give(struct smpp_carrier *c, struct smpp_job *j);

/* ---- smpp_inbox.c ---- */

void smpp_inbox_take(struct smpp_line *l, const struct smpp_pdu *pdu, uint64_t token);
