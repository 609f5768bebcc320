/* The header of a webhook, from what is known of the attempt: the sender sends it, the log of
 * deliveries shows it again, and the command line makes the same when it forwards events. */
#pragma once

#include "base/arena.h"
#include "store/records.h"
#include "view/public_id.h"

struct hook_headers {
    char event[PUBLIC_ID_SIZE + 1];    /* "evt_…" */
    char delivery[PUBLIC_ID_SIZE + 1]; /* "dlv_…" */
    enum notice_kind kind;
    unsigned attempt;               /* from 1 */
    int64_t at_us;                  /* of the attempt */
    struct str signature, standard; /* as view/signature.h makes them */
};

enum { HOOK_HEADERS_MAX = 16 };

/* "Name: value" each, NULL at the end, in the arena: Content-Type, User-Agent, X-Service-Signature,
 * X-Service-Event-Id, X-Service-Event-Type, X-Service-Delivery, X-Service-Timestamp,
 * X-Service-Attempt, webhook-id, webhook-timestamp, webhook-signature. NULL when memory is short.
 */
const char *const *hook_headers_make(const struct hook_headers *h, struct arena *a);
