/* SHA-256, signatures with it, and comparison of secrets; over GnuTLS, so the program has one
 * crypto library. */
#pragma once

#include "base/str.h"

enum { DIGEST_SHA256_SIZE = 32 };

void digest_sha256(struct str bytes, uint8_t out[DIGEST_SHA256_SIZE]);

/* Of what comes piece by piece. */
struct digest;
struct digest *digest_new(void); /* NULL: memory is short */
void digest_add(struct digest *d, struct str bytes);
/* Of all so far; it begins anew. */
void digest_take(struct digest *d, uint8_t out[DIGEST_SHA256_SIZE]);
void digest_free(struct digest *d);

/* Over the parts, one behind the other. */
void digest_hmac_sha256(struct str key, const struct str *parts, size_t count,
                        uint8_t out[DIGEST_SHA256_SIZE]);

/* Takes the same time whatever the bytes are. */
bool digest_equal(const void *a, const void *b, size_t n);

/* Lower-case hex and a NUL: out has room for 2 * n + 1. */
void digest_hex(const uint8_t *bytes, size_t n, char *out);
