/* Base64 (RFC 4648, the usual alphabet, with padding). */
#pragma once

#include "base/str.h"

#define BASE64_SIZE(n) (((n) + 2) / 3 * 4) /* characters that n bytes take */

/* BASE64_SIZE(n) characters, no NUL. */
void base64_encode(const void *bytes, size_t n, char *out);
/* Strict: padding as it must be, no white space, no bits that mean nothing. False when it is not
 * that, or more than `max` bytes. */
bool base64_decode(struct str text, void *out, size_t max, size_t *ret_n);
