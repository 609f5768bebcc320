/* Which of the usual mistakes explains a signature that does not fit: secrets with something around
 * them or decoded where they must not be, bodies that were changed on their way. Each is undone in
 * turn, and with the others, until the signature fits. */
#pragma once

#include "net/digest.h"

struct signature_guess {
    struct str secret, body;  /* as the receiver has them */
    struct str id, timestamp; /* of Standard Webhooks; p NULL where not known */
    bool standard;            /* of the two signatures it is webhook-signature */
    const uint8_t (*digests)[DIGEST_SHA256_SIZE]; /* what the header says; one is to be met */
    size_t count;
};

struct slip {
    const char *what, *remedy; /* sentences */
};

enum { SLIPS_MAX = 4 };

/* How many slips together explain it, as few as can be; 0: none that we know do. */
size_t signature_guess(const struct signature_guess *g, struct slip ret[SLIPS_MAX]);
