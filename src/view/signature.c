#include "view/signature.h"

#include "base/base64.h"
#include "base/random.h"
#include "net/digest.h"

enum { PREFIX_SIZE = sizeof SECRET_PREFIX - 1 };

void secret_make(char out[SECRET_SIZE + 1])
{
    uint8_t bytes[SECRET_BYTES];

    random_secret(bytes, sizeof bytes);
    memcpy(out, SECRET_PREFIX, PREFIX_SIZE);
    base64_encode(bytes, sizeof bytes, out + PREFIX_SIZE);
    out[SECRET_SIZE] = '\0';
}

static bool secret_bytes(struct str secret, uint8_t out[SECRET_BYTES_MAX], size_t *ret_n)
{
    return str_starts(secret, STR(SECRET_PREFIX)) &&
           base64_decode(str_skip(secret, PREFIX_SIZE), out, SECRET_BYTES_MAX, ret_n);
}

const char *secret_fault(struct str secret)
{
    uint8_t bytes[SECRET_BYTES_MAX];
    size_t n;

    if (!str_starts(secret, STR(SECRET_PREFIX)))
        return "must begin with " SECRET_PREFIX ", with base64 of 24 to 64 bytes behind it";
    if (secret.n > PREFIX_SIZE + BASE64_SIZE(SECRET_BYTES_MAX))
        return "is too long: after " SECRET_PREFIX " comes base64 of 24 to 64 bytes";
    if (!secret_bytes(secret, bytes, &n))
        return "must have base64 of 24 to 64 bytes after " SECRET_PREFIX
               ", with + and / and with its padding";
    if (n < SECRET_BYTES_MIN)
        return "is too short: after " SECRET_PREFIX " comes base64 of 24 to 64 bytes";
    return NULL;
}

void signature_of_body(const struct signing *s, struct buf *out)
{
    uint8_t digest[DIGEST_SHA256_SIZE];
    char hex[2 * DIGEST_SHA256_SIZE + 1];

    digest_hmac_sha256(s->old_secret.n ? s->old_secret : s->secret, &s->body, 1, digest);
    digest_hex(digest, sizeof digest, hex);
    buf_add(out, STR("sha256="));
    buf_add(out, (struct str){hex, sizeof hex - 1});
}

static void add_standard(const struct signing *s, struct str secret, struct str time,
                         struct buf *out)
{
    const struct str parts[] = {s->id, STR("."), time, STR("."), s->body};
    uint8_t key[SECRET_BYTES_MAX], digest[DIGEST_SHA256_SIZE];
    char text[BASE64_SIZE(DIGEST_SHA256_SIZE)];
    size_t n;
    bool decoded = secret_bytes(secret, key, &n);

    digest_hmac_sha256(decoded ? (struct str){(char *)key, n} : secret, parts,
                       sizeof parts / sizeof *parts, digest);
    base64_encode(digest, sizeof digest, text);
    buf_add(out, STR("v1,"));
    buf_add(out, (struct str){text, sizeof text});
}

void signature_standard(const struct signing *s, struct buf *out)
{
    char digits[21];
    struct buf time = {.p = digits, .size = sizeof digits, .max = sizeof digits};

    buf_add_i64(&time, s->timestamp_s);
    add_standard(s, s->secret, buf_str(&time), out);
    if (!s->old_secret.n)
        return;
    buf_add_char(out, ' ');
    add_standard(s, s->old_secret, buf_str(&time), out);
}
