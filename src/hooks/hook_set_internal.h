/* What the files of the set share: hook_set.c has the lanes and their turns, hook_turn.c what a
 * lane does in its turn, hook_send.c the way of one delivery out, hook_report.c what became of it
 * and all else that the writer is asked for. All of the loop's thread. */
#pragma once

#include "base/buf.h"
#include "hooks/hook_lane.h"
#include "hooks/hook_set.h"
#include "hooks/verdict.h"
#include "messaging/errand.h"

#include <stdatomic.h>

enum {
    HOOK_SLOTS = 4096,
    HOOK_HELD_MAX = 16384,     /* beyond so many in memory lanes hold no more than they may send */
    HOOK_TURN_MAX = 8,         /* deliveries of a lane in one turn */
    HOOK_BODY_MAX = 1 << 20,   /* of what is told of an event */
    HOOK_ANSWER_MAX = 64 << 10 /* of an answer is read */
};
#define HOOK_TROUBLE_US INT64_C(1000000)  /* until the store is asked again that did not answer */
#define HOOK_FAULTY_US  INT64_C(60000000) /* until what could not be written is sent again */
#define HOOK_SAY_US     INT64_C(60000000)
#define HOOK_LINGER_US  INT64_C(60000000) /* a lane that did well stays so long without work */

struct hook_queue {
    struct hook_lane *first, **last;
};

struct hook_set {
    struct hook_set_options options;
    struct writer *writer; /* NULL until the start */
    struct store_reader *reader;
    struct loop_signal *signal;
    struct loop_timer *timer;
    struct mailbox home; /* errands that are back, and news */

    struct hook_lane *slots[HOOK_SLOTS]; /* by the endpoint's number */
    size_t lanes, held, flying;
    /* Those that did well lately, and all others: these may use half of the connections, so that
     * however many hang there is room for those that do not. */
    struct hook_queue proven, doubtful;
    size_t doubtful_flying;
    bool doubt; /* the last turn was a doubtful lane's */
    struct hook_alarms alarms;

    bool scanning;       /* endpoints with work are looked for, */
    int64_t scanned;     /* and found up to this number; */
    int64_t scan_us;     /* not before then */
    bool rescan;         /* once more afterwards, */
    int64_t rescan_us;   /* not before then */
    _Atomic bool missed; /* news got lost for want of memory; any thread */
    int64_t said_us;     /* when it was said last that something is in the way */

    struct arena endpoint, memory; /* of a turn; of one delivery */
    struct buf body;
};

int64_t hook_now_us(const struct hook_set *s);
/* Whether one more delivery may be under way. */
bool hook_has_room(const struct hook_set *s, bool doubtful);
/* The lane wants a turn. */
void hook_queue_lane(struct hook_set *s, struct hook_lane *l);
/* Wakes it at that time, or earlier if that was wanted before. */
void hook_wake_at(struct hook_set *s, struct hook_lane *l, int64_t at_us);
/* The store could not be read, or memory is short: said once a minute, tried again in a moment. */
void hook_trouble(struct hook_set *s, struct hook_lane *l, int error);

void hook_turn(struct hook_set *s, struct hook_lane *l);

enum hook_sending {
    HOOK_SENT,
    HOOK_NO_SECRET, /* one is being made */
    HOOK_NO_OTHER,  /* there is no other address, and only that was wanted */
    HOOK_LOST,      /* it can never go, and has failed */
    HOOK_TROUBLE
};
/* Makes and starts the attempt. To the message's other address if job->failover is set. `e` is not
 * needed for endpoints of messages. */
enum hook_sending hook_send(struct hook_set *s, struct hook_job *j,
                            const struct endpoint_record *e);

/* An attempt is over: `v` is what it means. Not final: the try goes on with the other address. */
void hook_report(struct hook_set *s, struct hook_job *j, const struct loop_http_reply *reply,
                 const struct verdict *v, bool final);
/* The secret that messages of this account are signed with; the lane waits for it. */
void hook_make_secret(struct hook_set *s, struct hook_lane *l, int64_t account, enum mode mode);
/* A piece of the redelivery that is under way. */
void hook_replay(struct hook_set *s, struct hook_lane *l);
