/* The simulated carrier behind test keys: takes every message, answers and delivers after a while,
 * and obeys the acting numbers (messaging/test_number.h). It stands behind the same port as live
 * carriers, so test mode walks the same way through the program. Owned by the engine's thread. */
#pragma once

#include "messaging/dispatch.h"
#include "net/loop.h"

struct simulator;

struct simulator_options {
    struct dispatch *dispatch;
    struct loop *loop;
    const struct clock *clock;
    int64_t answer_us;   /* from submit to the carrier's answer */
    int64_t delivery_us; /* from submit to the receipt */
    size_t max_pending;
    struct media_profile media; /* what it wants of media files */
};

int simulator_new(struct simulator **ret, const struct simulator_options *options);
void simulator_free(struct simulator *s);
struct carrier *simulator_carrier(struct simulator *s);
/* Answers and receipts that are due. The simulator's own timer calls it. */
void simulator_run(struct simulator *s);
