/* Amounts of money as people write them: decimals, exact to the millionth. */
#pragma once

#include "base/str.h"

enum { AMOUNT_SIZE = 24 };

/* "25", "0.0075", "-3.50" to millionths: at most six decimals and a thousand million before them.
 */
bool amount_parse(struct str text, int64_t *ret_micros);
/* With no more decimals than needed; returns out. */
const char *amount_text(int64_t micros, char out[AMOUNT_SIZE]);
