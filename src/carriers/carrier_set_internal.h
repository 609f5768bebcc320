/* What the files of the set share: carrier_set.c, and carrier_set_update.c (what shall be). */
#pragma once

#include "carriers/carrier_notes.h"
#include "carriers/carrier_seat.h"
#include "carriers/carrier_set.h"

#include <semaphore.h>

struct carrier_set {
    struct carrier_set_options options;
    struct mailbox questions;
    struct loop_signal *signal;
    struct loop_timer *timer;
    bool running;               /* the engine is to be asked */
    struct carrier_seat *seats; /* every carrier that there ever was */
    struct carrier_notes notes;
    size_t leaving; /* seats that are not unbound yet, when the program ends */
    bool gone;      /* all are */
    sem_t stopped;
};

/* What another thread asks of the engine. */
struct carrier_question {
    struct letter letter;
    int (*answer)(struct carrier_set *s, struct carrier_question *q); /* on the engine's thread */
    int result;
    sem_t answered;
};

/* Has it answered, and waits for that. */
int carrier_set_ask(struct carrier_set *s, struct carrier_question *q);
/* NULL: there never was one of this name. */
struct carrier_seat *carrier_set_seat(const struct carrier_set *s, const char *name);
