/* The GSM 7-bit alphabet of short messages. */
#pragma once

#include <stdint.h>

/* Septets that a character takes: 1, 2 with the escape, 0 when the alphabet lacks it. */
unsigned gsm_septets(int32_t point);

/* The septet of a character, GSM_EXTENDED added when the escape goes before it; -1 if none. */
enum { GSM_ESCAPE = 0x1b, GSM_EXTENDED = 0x100 };
int gsm_encode(int32_t point);

/* The character of a septet below 0x80; -1 of the escape. */
int32_t gsm_decode(unsigned septet);
/* Of a septet after the escape. What the extension lacks is the plain character, as handsets show
 * it; -1 of a second escape. */
int32_t gsm_decode_extended(unsigned septet);
