/* The one-time code in a text: "Your code is 482913", "123-456 is your PIN". */
#pragma once

#include "base/str.h"

enum { CODE_DIGITS_MIN = 4, CODE_DIGITS_MAX = 8 };

struct code {
    char digits[CODE_DIGITS_MAX + 1]; /* without space or dash, with a NUL */
};

/* Of several numbers the one nearest to a word like "code". What looks like a part of a phone
 * number, a price, a date or an address is none. False when there is nothing. */
bool code_find(struct str text, struct code *ret);
