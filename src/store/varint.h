/* Numbers in groups of seven bits, the lowest first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { VARINT_MAX = 10 }; /* bytes of the greatest number */

/* The place behind it. */
static inline uint8_t *varint_put(uint8_t *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (uint8_t)(number | 0x80);
    *to++ = (uint8_t)number;
    return to;
}

/* Reads no further than the end; false when it ends there, or is too long. */
static inline bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    uint64_t number = 0;

    if (*at < end && **at < 0x80) { /* as most are */
        *ret = *(*at)++;
        return true;
    }
    for (unsigned shift = 0; shift < 7 * VARINT_MAX && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = number;
            return true;
        }
    }
    return false;
}
