/* The value of a header with a signature, as a receiver was given it: the digests in it, and
 * whether its form is right. */
#pragma once

#include "net/digest.h"

enum { SIGNATURES_MAX = 8 };

struct signature_value {
    uint8_t digests[SIGNATURES_MAX][DIGEST_SHA256_SIZE];
    size_t count;      /* 0: no digest can be made out */
    const char *fault; /* a sentence; NULL: the form is right */
};

/* "sha256=" and 64 lower-case hex digits; digests in other forms are understood, and a fault. */
void signature_value_read(struct str header, struct signature_value *ret);
/* "v1,BASE64", several with spaces between them. */
void signature_value_read_standard(struct str header, struct signature_value *ret);
