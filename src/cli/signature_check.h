/* Whether a webhook is signed with a secret, told step by step: what was checked, what was
 * expected, and when it does not fit, which mistake explains it. */
#pragma once

#include "base/buf.h"

struct signature_check {
    struct str secret; /* as it was given, a line end behind it included */
    struct str body;
    struct str signature;                          /* X-Service-Signature; p NULL: not given */
    struct str webhook_id, webhook_time, standard; /* of Standard Webhooks; likewise */
    struct str content_length;                     /* likewise */
    int64_t now_s;
};

/* Adds the explanation; true when every signature that was given is good. At least one must be. */
bool signature_check(const struct signature_check *c, struct buf *out);
