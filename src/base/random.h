/* Randomness: the kernel's for secrets, a fast thread-local stream for ids that need no secrecy. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Secret-grade bytes. Aborts if the kernel has none, which it does not do after boot. */
void random_secret(void *out, size_t n);

/* n characters of 0-9A-Za-z, each equally likely, and a NUL; for keys. */
void random_base62(char *out, size_t n);

/* A 64-bit number from a stream seeded per thread: unpredictable enough for request ids only. */
uint64_t random_fast(void);
