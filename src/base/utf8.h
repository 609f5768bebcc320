/* UTF-8, read strictly: no overlong forms, no surrogates, nothing above U+10FFFF. */
#pragma once

#include "base/str.h"

bool utf8_valid(struct str s);

/* The front of s that can be shown to people: at most `max` bytes, whole characters and none of
 * them a control character. */
struct str utf8_shown(struct str s, size_t max);

/* Code points in s, which must be valid. */
size_t utf8_length(struct str s);

/* The code point at s and its length in bytes; -1 when there is none (empty, or not UTF-8). */
int32_t utf8_decode(struct str s, unsigned *ret_bytes);

/* Writes a scalar value; returns its length in bytes. */
enum { UTF8_MAX = 4, UTF8_REPLACEMENT = 0xfffd };
unsigned utf8_encode(int32_t point, char out[UTF8_MAX]);
