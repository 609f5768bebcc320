/* How an endpoint stands, and what follows for what may be sent to it. Ten failures in a row pause
 * it for five minutes, then one delivery goes as a probe: a success lets all flow again, a failure
 * pauses it anew. Nothing but failures for five days, or the answer 410, switches it off.
 *
 * Pure. The state is that of the endpoint's row, so that a restart changes nothing. */
#pragma once

#include "store/records.h"

enum {
    CIRCUIT_FAILURES = 10 /* in a row, then it pauses */
};
#define CIRCUIT_PAUSE_US     (5 * INT64_C(60000000))
#define CIRCUIT_GIVE_UP_US   (5 * 24 * INT64_C(3600000000))
#define CIRCUIT_NOTE_EACH_US INT64_C(1000000) /* a success is noted at most so often */

/* As in struct endpoint_record. */
struct circuit {
    enum endpoint_off off;
    int64_t off_us;
    unsigned failures;
    int64_t failing_since_us, paused_until_us, last_success_us;
};

struct circuit circuit_of(const struct endpoint_record *e);
void circuit_put(const struct circuit *c, struct endpoint_record *e);

enum circuit_gate {
    CIRCUIT_FLOWS,
    CIRCUIT_PROBES, /* one at a time */
    CIRCUIT_RESTS,  /* nothing before paused_until_us */
    CIRCUIT_OFF     /* nothing until the client says so */
};
enum circuit_gate circuit_gate(const struct circuit *c, int64_t now_us);

/* What an attempt has changed, for the log. */
enum circuit_change {
    CIRCUIT_SAME,
    CIRCUIT_RECOVERED,   /* it flows again */
    CIRCUIT_PAUSED,      /* a pause begins */
    CIRCUIT_SWITCHED_OFF /* `off` says why */
};

/* Whether a success is worth noting: there is something to reset, or the last one is a while ago.
 */
bool circuit_wants_success(const struct circuit *c, int64_t now_us);
enum circuit_change circuit_succeeded(struct circuit *c, int64_t now_us);
/* `lasting`: it is never switched off, whatever happens (endpoints of messages). */
enum circuit_change circuit_failed(struct circuit *c, bool lasting, int64_t now_us);
/* It answered 410. */
enum circuit_change circuit_gone(struct circuit *c, int64_t now_us);
