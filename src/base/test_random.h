/* Chance for tests: the same numbers in every run that starts with the same seed. */
#pragma once

#include <stdint.h>

static inline uint32_t test_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 32);
}
