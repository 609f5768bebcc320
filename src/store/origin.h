/* The origin of an address: scheme, host, and the port unless it is the usual one. */
#pragma once

#include "base/str.h"

enum { ORIGIN_MAX = 320 };

/* "https://example.com" of "HTTPS://me@Example.com:443/path?x"; its length, 0 when the address has
 * none. */
size_t origin_of(struct str url, char out[ORIGIN_MAX]);
