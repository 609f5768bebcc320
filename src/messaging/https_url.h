/* Addresses that clients give: of media files, of webhooks. */
#pragma once

#include "base/str.h"

enum { HTTPS_URL_MAX = 2048 }; /* characters */

/* What is wrong with it, as the end of a sentence that begins with its name; NULL when all is
 * well. */
const char *https_url_fault(struct str url);
