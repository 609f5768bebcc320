/* Secrets that clients bring: what passes can be signed with, and is base64 in its only form. */
#include "base/base64.h"
#include "view/signature.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct signing s = {.secret = {(const char *)data, size}, .body = STR("{}")};
    uint8_t bytes[SECRET_BYTES_MAX];
    char again[BASE64_SIZE(SECRET_BYTES_MAX)];
    BUF_CLEANUP struct buf out;
    size_t n;

    buf_init(&out, 256);
    signature_of_body(&s, &out);
    signature_standard(&s, &out);
    assert(!out.failed);
    if (secret_fault(s.secret))
        return 0;
    struct str text = str_skip(s.secret, strlen(SECRET_PREFIX));
    bool good = base64_decode(text, bytes, sizeof bytes, &n);
    assert(good && n >= SECRET_BYTES_MIN);
    base64_encode(bytes, n, again);
    assert(str_eq(text, (struct str){again, BASE64_SIZE(n)}));
    return 0;
}
