/* How a webhook proves who sent it. Over the exact bytes of the body, in two ways:
 *   X-Service-Signature: sha256=<hex of HMAC-SHA256(secret as text, body)>
 *   webhook-signature: v1,<base64 of HMAC-SHA256(what the secret encodes, "id.timestamp.body")>
 * the second after the Standard Webhooks specification. During a rotation the first is made with
 * the old secret until its time is over, and the second lists both. */
#pragma once

#include "base/buf.h"

#define SECRET_PREFIX "whsec_"
enum {
    SECRET_BYTES = 24, /* of those that we make */
    SECRET_BYTES_MIN = 24,
    SECRET_BYTES_MAX = 64, /* of those that clients bring */
    SECRET_SIZE = sizeof SECRET_PREFIX - 1 + SECRET_BYTES / 3 * 4
};

/* A new secret, "whsec_" and base64. */
void secret_make(char out[SECRET_SIZE + 1]);
/* What is wrong with a secret that a client brings, as the end of a sentence that begins with its
 * name; NULL when all is well. */
const char *secret_fault(struct str secret);

struct signing {
    struct str secret, old_secret; /* the old one is empty but during a rotation */
    struct str id;                 /* of the event, "evt_…" */
    int64_t timestamp_s;
    struct str body;
};

/* "sha256=…" */
void signature_of_body(const struct signing *s, struct buf *out);
/* "v1,…", during a rotation "v1,… v1,…" with the new one first. A secret with a fault is no base64,
 * and then its text is the key. */
void signature_standard(const struct signing *s, struct buf *out);
