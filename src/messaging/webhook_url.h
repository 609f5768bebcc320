/* Where clients want to be told: an https address that the guard lets through, as far as that can
 * be said without a look-up. */
#pragma once

#include "messaging/problem.h"
#include "net/address_guard.h"

/* False with 400 invalid_webhook_url for `field`. */
bool webhook_url_check(struct str url, const char *field, const struct address_guard *guard,
                       struct arena *a, struct problem *problem);
