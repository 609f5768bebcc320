/* "Did you mean": the known word nearest to what was written, if it looks like a slip. */
#pragma once

#include "base/str.h"

struct guess {
    const char *given;
    const char *best; /* NULL: nothing is near */
    unsigned distance;
};

void guess_try(struct guess *g, const char *word);
