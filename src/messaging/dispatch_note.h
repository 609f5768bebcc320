/* A note: what goes into the history of a message together with a change of it, and the ids under
 * which a carrier took it. Made on the engine's thread, written in the transaction of the change.
 */
#pragma once

#include "messaging/carrier.h"
#include "store/store.h"

enum { NOTE_WHY_MAX = 500 }; /* of what a carrier says */

struct note {
    struct note *next; /* written after this one */
    enum event_kind kind;
    struct str detail;
    unsigned carrier, parts; /* of ids */
    struct str ids[];
};

/* A sentence, not much longer than NOTE_WHY_MAX. */
struct note *note_new(enum event_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The carrier has taken the message. */
struct note *note_taken(const struct carrier *c, const struct carrier_answer *answer);
/* That a carrier which was asked in vain may have some parts of the message, before another note;
 * just that one when it has none. */
struct note *note_partly(const struct carrier_answer *answer, struct note *next);
/* With all that follow it; NULL is none. */
int note_write(const struct note *n, struct store *s, const struct message *m, int64_t at_us);
void note_free(struct note *n);
