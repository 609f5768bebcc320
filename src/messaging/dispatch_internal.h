/* What the files of dispatch share: dispatch.c (offers, and whose turn it is), handover.c (the way
 * to carriers), dispatch_answer.c (what they say), dispatch_move.c (changes of status), requeue.c
 * and failover.c (another try, another way), dispatch_media.c (media files), dispatch_refill.c
 * (reading open work), dispatch_tick.c (what time does), schedule.c and cancel.c. */
#pragma once

#include "messaging/cancel.h"
#include "messaging/dispatch.h"
#include "messaging/dispatch_note.h"
#include "messaging/errand.h"
#include "messaging/lane.h"

enum { CANCEL_SLOT_BITS = 8 };

/* Cancels that are under way. Engine's thread, but for the box. */
struct cancels {
    struct mailbox box;                          /* from the threads of the API */
    struct cancel *asked;                        /* not judged yet */
    struct cancel *slots[1 << CANCEL_SLOT_BITS]; /* all, by number of the message */
    size_t count;
};

struct dispatch {
    struct dispatch_options options;
    struct lanes lanes;     /* its lock also guards the schedule's next time */
    struct mailbox offered; /* parcels, from the writer's thread; always emptied whole */
    struct mailbox written; /* errands that came back, from the writer's thread */
    _Atomic bool strangers; /* there may be open messages of carriers that have no lane */

    /* Engine's thread only. */
    struct store_reader *reader;
    struct arena arena;
    struct parcel_index parcels; /* all but those in the box of offers */
    struct receipts *receipts;
    const struct routing *routing;
    const struct media_port *media;
    unsigned routing_age; /* grows with every change of it */
    size_t expiring;      /* messages that expire without having been in a lane */
    bool closing;         /* engine and writer have stopped */
    int64_t started_us;
    struct schedule *schedule;
    struct cancels cancels;
};

/* ---- dispatch.c ---- */

/* To the end of its lane's queue. */
void dispatch_enqueue(struct dispatch *d, struct parcel *p);
/* Puts what was offered into its lanes. */
void dispatch_collect(struct dispatch *d);
/* The parcel is done with: its place in the lane is free. */
void dispatch_release(struct dispatch *d, struct parcel *p);
/* To the front of its lane's queue, with a place in the lane if it had none. */
void dispatch_wait(struct dispatch *d, struct parcel *p);
/* A parcel whose message has become its lane's by now, on disk, joins the queue, or leaves memory
 * when the lane must read it later. */
void dispatch_admit(struct dispatch *d, struct parcel *p);

/* Tells the carrier that has it that what became of the parcel is on disk. */
void dispatch_settle(struct dispatch *d, struct parcel *p);

/* ---- handover.c ---- */

/* False when the parcel goes another way: it must not go to any carrier, or not to this one. */
bool handover_allowed(struct dispatch *d, struct parcel *p, int64_t now_us);
/* A turn of each lane; true when one of them could go on at once. */
bool handover_run(struct dispatch *d);
/* No carrier has had these, in the order of the queue that they go back to. */
void dispatch_untried(struct dispatch *d, struct parcel **parcels, size_t count);

/* ---- dispatch_media.c ---- */

/* Whether something is to be done about the media of a message before it goes to its carrier. */
static inline bool media_are_due(const struct dispatch *d, const struct parcel *p)
{
    return p->message.kind == KIND_MMS && d->media && p->fetched != p->lane->media_term &&
           p->message.status == STATUS_QUEUED;
}

/* True when its media must be fetched first: the parcel waits for that. Only when they are due. */
bool media_wait(struct dispatch *d, struct parcel *p);
/* To the end of a queue of its lane, so that its media are fetched before its turn comes; only when
 * they are due. */
void media_enqueue(struct dispatch *d, struct parcel *p);
/* Has media fetched for those that wait for it, as many as whoever fetches takes. */
void media_ask(struct dispatch *d, struct lane *l, int64_t now_us);
/* Out of the queue it is in; nobody waits for its media any more. */
void dispatch_unqueue(struct dispatch *d, struct parcel *p);
/* The lane's carrier changes: whoever waits for media waits for a carrier again. */
void media_leave_carrier(struct dispatch *d, struct lane *l);

/* ---- dispatch_answer.c ---- */

/* A carrier may have it, and has not said so; `why` is a sentence. */
void dispatch_unanswered(struct dispatch *d, struct parcel *p, struct str why);

/* ---- dispatch_move.c ---- */

/* The notes belong to these from now on. */
void dispatch_sent(struct dispatch *d, struct parcel *p, struct note *notes);
/* What it cost is given back where failing so costs nothing. */
void dispatch_fail(struct dispatch *d, struct parcel *p, enum failure failure, struct note *notes);
/* Gives back what a message cost; in a transaction. */
int dispatch_refund(struct store *s, int64_t account, enum mode mode, int64_t micros);

/* ---- requeue.c ---- */

enum { NO_REST = -1 };

/* Queued again, in this lane: it goes to the front of its own at once, or when it has rested, or
 * into the other. */
void dispatch_requeue(struct dispatch *d, struct parcel *p, struct lane *to, unsigned retry_count,
                      int rest, struct note *notes);

/* ---- failover.c ---- */

/* Its carrier is no choice any more. */
void failover_tried(struct dispatch *d, struct parcel *p);
/* Where else it could go; NULL: nowhere. */
struct lane *failover_lane(struct dispatch *d, struct parcel *p);
struct note *failover_note(struct parcel *p, const struct lane *to, struct str why);
/* Goes to another carrier, or fails with this answer's failure when there is none. */
void dispatch_elsewhere(struct dispatch *d, struct parcel *p, const struct carrier_answer *answer);
/* Goes to another carrier if it has waited too long and one has room for it. Counts down when it
 * had to look for one. */
void failover_overdue(struct dispatch *d, struct parcel *p, int64_t now_us, size_t *left);

/* ---- dispatch_refill.c ---- */

/* Makes lanes for open messages whose carrier has none; true when there are such. */
bool dispatch_find_strangers(struct dispatch *d);
/* Lanes that are behind read on, each once, as long as there are `reads`; true when one of them
 * could go on at once. */
bool dispatch_refill(struct dispatch *d, int *reads);

/* ---- schedule.c ---- */

struct schedule;

int schedule_new(struct schedule **ret, struct dispatch *d, struct loop *loop);
void schedule_free(struct schedule *s);
/* A message that waits for its time has become durable. Writer's thread, under the lanes' lock. */
void schedule_offer(struct schedule *s, const struct message *m);
/* Queues what is due. */
void schedule_run(struct schedule *s);

/* ---- cancel.c ---- */

void cancels_init(struct cancels *c, struct dispatch *d);
void cancels_done(struct cancels *c);
/* Judges the cancels that have been asked for. */
void cancels_run(struct dispatch *d);
/* Refuses those that nobody will judge any more; later ones are refused at once. */
void cancels_close(struct dispatch *d);
/* True when the message is being cancelled: nobody may hand the parcel over, it is the cancel's. */
bool cancels_cover(struct dispatch *d, struct parcel *p);
