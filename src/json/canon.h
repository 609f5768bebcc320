/* What a JSON value comes to, however it was written: neither the order of members nor white space
 * nor escapes in strings matter. Numbers are taken as they are written: 1 is not 1.0. */
#pragma once

#include "base/arena.h"
#include "base/siphash.h"

/* Adds the value to `into`. `json` is one value that was scanned before. The arena is for strings
 * with escapes; at its ceiling such a string counts as written. */
void json_canon_hash(struct str json, const uint8_t key[SIPHASH_KEY_SIZE], struct arena *a,
                     struct siphash *into);
