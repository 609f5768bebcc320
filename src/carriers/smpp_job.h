/* One message at a carrier: its parts, what the carrier said to each, and what comes of it as a
 * whole. Knows no link and no clock. */
#pragma once

#include "messaging/carrier.h"
#include "smpp/receipt.h"
#include "smpp/status.h"

struct smpp_job;
struct smpp_line;

enum smpp_part_state { SMPP_PART_WAITING, SMPP_PART_SENT, SMPP_PART_TAKEN, SMPP_PART_LOST };

struct smpp_part {
    struct smpp_job *job;
    enum smpp_part_state state;
    struct smpp_id id; /* of a part that was taken */
};

enum { SMPP_DETAIL_SIZE = 200 };

struct smpp_job {
    struct smpp_job *next;          /* in a queue */
    struct smpp_job *newer, *older; /* among all of the carrier's */
    struct parcel *parcel;
    uint64_t order;         /* older ones have lower numbers */
    struct smpp_line *line; /* that all its parts go over; NULL: it waits for one */
    unsigned generation;    /* of the line's places */
    uint16_t reference;     /* joins the parts */
    bool queued;            /* in the line's queue, because parts wait */

    unsigned count; /* of parts; 0: not known yet */
    unsigned waiting, sent, taken;
    unsigned unsure; /* parts that were sent and will not be answered */
    bool troubled;   /* it will not be taken as a whole */
    enum carrier_outcome outcome;
    enum failure failure;
    char detail[SMPP_DETAIL_SIZE];
    struct smpp_part only, *parts; /* most messages have one */
};

/* NULL when memory is short. The parcel's note leads back to it. */
struct smpp_job *smpp_job_new(struct parcel *p, uint64_t order);
void smpp_job_free(struct smpp_job *j);
/* So many parts are to be sent. False when memory is short. */
bool smpp_job_open(struct smpp_job *j, unsigned count);

/* The first part that waits, and its place; NULL: none does. */
struct smpp_part *smpp_job_next(struct smpp_job *j, unsigned *ret_place);
void smpp_part_sent(struct smpp_part *part);
void smpp_part_taken(struct smpp_part *part, enum smpp_id_form form, struct str id);
/* Sent, and to be sent again. */
void smpp_part_again(struct smpp_part *part);
/* Sent, and it will not be taken. The first trouble is the job's. */
void smpp_part_refused(struct smpp_part *part, enum carrier_outcome outcome, enum failure failure,
                       const struct smpp_pdu *response);
void smpp_part_unanswered(struct smpp_part *part);
/* For reasons of our own. Parts that wait will not be sent. */
void smpp_job_give_up(struct smpp_job *j, enum carrier_outcome outcome, enum failure failure,
                      const char *why);

/* Nothing more is to be sent or heard: it can be answered for. */
static inline bool smpp_job_is_over(const struct smpp_job *j)
{
    return j->sent == 0 && (j->troubled || j->waiting == 0);
}
/* The answer, with views into the job and `ids`. */
struct carrier_answer smpp_job_answer(const struct smpp_job *j, struct str ids[CARRIER_PARTS_MAX]);

enum failure smpp_failure_of(enum smpp_blame blame);

/* Jobs in the order of their numbers. */
struct smpp_jobs {
    struct smpp_job *first, *last;
};

void smpp_jobs_add(struct smpp_jobs *q, struct smpp_job *j); /* at its place, mostly the end */
struct smpp_job *smpp_jobs_take(struct smpp_jobs *q);        /* the first; NULL */
void smpp_jobs_remove(struct smpp_jobs *q, struct smpp_job *j);
/* All of them, the last one first. */
struct smpp_job *smpp_jobs_take_all_reversed(struct smpp_jobs *q);
