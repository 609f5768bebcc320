/* The numbering plan as generated tables; number.c alone reads them.
 * numbering_table.c is made by tools/numbering/generate.mjs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct numbering_country {
    char iso[3];      /* "" for codes of no country, such as +800 */
    uint32_t lengths; /* bit n: a national number may have n digits */
};

/* Sorted by code. */
struct numbering_code {
    uint16_t code;
    uint16_t country; /* the main one, for all that is in no range */
    uint16_t first_range, ranges;
};

/* National numbers whose first six digits lie in first…last; sorted and apart within a code. */
struct numbering_range {
    uint32_t first, last;
    uint16_t country;
};

enum { NUMBERING_RANGE_DIGITS = 6 };

extern const struct numbering_country numbering_countries[];
extern const struct numbering_code numbering_codes[];
extern const size_t numbering_code_count;
extern const struct numbering_range numbering_ranges[];
