/* Phone numbers in international format, and where they belong. */
#pragma once

#include "base/str.h"

/* + and 7 to 15 digits, the first not 0; nothing stricter, so documentation numbers pass. */
bool number_valid(struct str number);

struct number_place {
    unsigned calling_code; /* 1, 44, …; 0 when the number starts with no assigned code */
    char country[3];       /* ISO 3166 alpha-2; "" for codes of no country, or unknown */
    bool assigned;         /* the calling code exists */
    bool possible;         /* numbers of this country can have this many digits */
};

/* Of a valid number. */
void number_place(struct str number, struct number_place *ret);
/* The calling code of a country: of "GB" 44. 0 when no number belongs there: "UK". */
unsigned number_calling_code(const char *country);

enum { NUMBER_SIZE = 17 };

/* Completes a number that was written without its plus: in national form, with or without the 0 in
 * front, of the country with the calling code `home` (0: not known), or with 00 or nothing in the
 * place of the plus. False when it cannot be any of them: short codes, names. */
bool number_complete(struct str digits, unsigned home, char ret[NUMBER_SIZE]);

/* The North American plan: one zone of many countries. */
static inline bool number_is_nanp(const struct number_place *p)
{
    return p->calling_code == 1;
}
