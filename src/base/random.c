#include "base/random.h"

#include "base/id.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

void random_secret(void *out, size_t n)
{
    char *at = out;

    while (n > 0) {
        ssize_t got = getrandom(at, n, 0);
        if (got < 0 && errno != EINTR)
            abort();
        if (got > 0) {
            at += got;
            n -= (size_t)got;
        }
    }
}

void random_base62(char *out, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned char bytes[64];
        random_secret(bytes, sizeof bytes);
        for (size_t j = 0; j < sizeof bytes && i < n; j++)
            if (bytes[j] < 248) /* 4 * 62: a plain modulo would favour the first letters */
                out[i++] = base62_digits[bytes[j] % 62];
    }
    out[n] = '\0';
}

uint64_t random_fast(void)
{
    static _Thread_local uint64_t state;

    if (state == 0)
        random_secret(&state, sizeof state);
    state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
