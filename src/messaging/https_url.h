/* Addresses that clients give: of media files, of webhooks. */
#pragma once

#include "base/str.h"

enum { HTTPS_URL_MAX = 2048 }; /* characters */

/* What is wrong with it, as the end of a sentence that begins with its name; NULL when all is
 * well. */
const char *https_url_fault(struct str url);
/* The same for an address that may begin with http://, too. */
const char *http_url_fault(struct str url);
/* Whether an address that has no fault names a user, or a password. */
bool url_has_user(struct str url);
/* The host of an address that has no fault, without user and port; IPv6 in its brackets. */
struct str url_host(struct str url);
/* A number for the host, the same in whatever case it is written; hosts may share one. */
uint32_t url_host_hash(struct str url);
