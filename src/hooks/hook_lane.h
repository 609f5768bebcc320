/* A lane: one endpoint that has work, and the deliveries of it that are in memory: a window of what
 * is due, the rest lies in the store.
 *
 * What always holds: of the deliveries of one message only the first may be under way; it leaves
 * the lane when its outcome is on disk, and only then the next one goes. How many of the lane are
 * under way at once is its allowance: it begins small, grows with each success and falls to one
 * with a failure, so that an endpoint that hangs holds one connection and not all of them.
 *
 * Pure, and of the thread of the set that it belongs to. */
#pragma once

#include "hooks/circuit.h"
#include "hooks/hook_alarm.h"

enum {
    HOOK_ALLOWANCE_FIRST = 4,
    HOOK_WINDOW_MAX = 256, /* deliveries of a lane in memory */
    HOOK_WINDOW_EACH = 8   /* for each that may be under way */
};

#define HOOK_SLOW_US INT64_C(2000000) /* an answer that took longer is slow */

enum hook_stage {
    HOOK_WAITS,
    HOOK_FLIES, /* it is under way */
    HOOK_LANDED /* its outcome is being written */
};

struct hook_lane;
struct hook_set;

/* A delivery in memory. */
struct hook_job {
    struct hook_job *next;
    struct hook_lane *lane;
    struct delivery_record delivery;
    enum hook_stage stage;
    bool behind; /* another one of its message is before it */

    /* Of the attempt that is under way. */
    bool failover;     /* goes to the message's other address */
    bool has_failover; /* there is one */
    bool doubtful;     /* counted as such */
    int64_t at_us;
    size_t signature_size;
    char signature[ATTEMPT_SIGNATURE_MAX];
};

struct hook_lane {
    int64_t endpoint;
    struct hook_set *set; /* whose it is */
    struct hook_lane *next_in_slot;
    struct hook_lane *next_in_queue;
    bool queued;
    struct hook_alarm alarm;

    struct circuit circuit; /* as it is, the outcomes included that are being written */
    int64_t updated_us;     /* of the row that was read last; 0 = none was */
    bool of_messages;

    struct hook_job *jobs; /* by the order in which they go */
    size_t held, flying;
    size_t owing; /* reports that are being written */
    unsigned allowance;
    bool slow; /* its last answer was long in coming */
    bool more; /* the store may have due ones that are not here */
    /* While it rests, how far what is due was looked through for those that have another address.
     */
    struct delivery_place passed;
    int64_t next_us;   /* when the next one that is not due is; 0 = not known */
    int64_t rest_us;   /* not before then: the store could not be read or written; 0 = now */
    int64_t idle_us;   /* since when there is nothing to do; 0 = there is */
    bool replaying;    /* a piece of a redelivery is being written */
    bool wants_secret; /* one is being made for its account */
};

struct hook_lane *hook_lane_new(int64_t endpoint, unsigned per_endpoint);
void hook_lane_free(struct hook_lane *l);

/* The row, as the store has it now. What the client changed counts at once; how it stands only when
 * nothing is on its way to the store that says otherwise. */
void hook_lane_learn(struct hook_lane *l, const struct endpoint_record *e);
/* Never had a success, or not lately, or takes its time. Not as long as nothing is known of it. */
bool hook_lane_is_doubtful(const struct hook_lane *l);

/* How many due deliveries to read, in all, those included that are here; 0: none now. */
size_t hook_lane_wants(const struct hook_lane *l);
/* One that was read. NULL with *ret_known when it is here already, else memory is short. */
struct hook_job *hook_lane_take(struct hook_lane *l, const struct delivery_record *d,
                                bool *ret_known);
/* The next one that may go as far as the order of its message and the allowance are concerned, or
 * NULL. */
struct hook_job *hook_lane_next(const struct hook_lane *l, enum circuit_gate gate);

/* It goes, or goes on to the message's other address; it is back with an answer after so long,
 * which allowance and doubt follow. */
void hook_lane_fly(struct hook_lane *l, struct hook_job *j);
void hook_lane_land(struct hook_lane *l, struct hook_job *j, bool well, int64_t duration_us,
                    unsigned per_endpoint);

/* Out of memory: one; those of the same message behind it; all that wait. */
void hook_lane_drop(struct hook_lane *l, struct hook_job *j);
void hook_lane_drop_behind(struct hook_lane *l, const struct hook_job *j);
void hook_lane_drop_waiting(struct hook_lane *l);
