#include "cli/signature_value.h"

#include "base/base64.h"

enum { HEX_SIZE = 2 * DIGEST_SHA256_SIZE };

static bool read_hex(struct str text, uint8_t out[DIGEST_SHA256_SIZE])
{
    if (text.n != HEX_SIZE)
        return false;
    for (size_t i = 0; i < DIGEST_SHA256_SIZE; i++) {
        int high = hex_value(text.p[2 * i]), low = hex_value(text.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_base64(struct str text, uint8_t out[DIGEST_SHA256_SIZE])
{
    size_t n;

    return base64_decode(text, out, DIGEST_SHA256_SIZE, &n) && n == DIGEST_SHA256_SIZE;
}

static bool has_capitals(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] >= 'A' && text.p[i] <= 'Z')
            return true;
    return false;
}

void signature_value_read(struct str header, struct signature_value *ret)
{
    struct str text = str_trim(header);
    bool prefixed = str_starts_nocase(text, STR("sha256="));
    struct str digest = prefixed ? str_skip(text, strlen("sha256=")) : text;

    *ret = (struct signature_value){.count = 1};
    if (read_base64(digest, ret->digests[0])) {
        ret->fault = "It is base64; it must be sha256= and 64 lower-case hex digits.";
    } else if (!read_hex(digest, ret->digests[0])) {
        ret->count = 0;
        ret->fault = str_starts(text, STR("v1,"))
                         ? "It is the value of webhook-signature; this one is sha256= and 64 "
                           "lower-case hex digits."
                         : "It is not sha256= and 64 lower-case hex digits.";
    } else if (!prefixed) {
        ret->fault = "It lacks sha256= before the hex digits.";
    } else if (has_capitals(text)) {
        ret->fault = "It has capital letters; sha256= and the hex digits are lower-case.";
    }
}

/* One of the list; false when it is no digest in any form. */
static bool read_entry(struct str entry, struct signature_value *ret)
{
    bool versioned = str_starts(entry, STR("v1,"));
    struct str digest = versioned ? str_skip(entry, 3) : entry;

    if (read_hex(digest, ret->digests[ret->count]))
        ret->fault = "It is hex; it must be v1, and base64.";
    else if (!read_base64(digest, ret->digests[ret->count]))
        return false;
    else if (!versioned)
        ret->fault = "It lacks v1, before the base64.";
    return true;
}

void signature_value_read_standard(struct str header, struct signature_value *ret)
{
    struct str rest = str_trim(header);

    *ret = (struct signature_value){.count = 0};
    while (rest.p && ret->count < SIGNATURES_MAX)
        if (read_entry(str_cut(&rest, ' '), ret))
            ret->count++;
    if (ret->count == 0)
        ret->fault = "It has no signature of the form v1, and base64 of 32 bytes.";
}
