/* Whether a message from a handset has come before: a carrier that did not hear our answer brings
 * it again. What tells is its name for the bringing, and the message itself, so that a carrier
 * which begins to count anew loses nothing. Kept as Idempotency-Keys are, and as long. */
#pragma once

#include "messaging/arrivals.h"

struct arrival_once {
    bool known;        /* the carrier has a name for it */
    int64_t within_us; /* for so long; 0: as long as it is kept */
    uint8_t key[ONCE_KEY_SIZE];
};

/* `to`: whom of its receivers the message is for. */
struct arrival_once arrival_once_of(const struct store *s, const struct arrival *a, struct str to);

/* On the writer's thread. 1: the account of the message had it before; 0: it is new. */
int arrival_once_find(const struct arrival_once *o, struct store *s, const struct message *m,
                      struct arena *a);
/* The message was accepted, in this transaction. */
int arrival_once_keep(const struct arrival_once *o, struct store *s, const struct message *m);
