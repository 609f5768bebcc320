/* The header of parts: it is cut off whole or not at all, and what it tells of parts can be. */
#include "smpp/udh.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written is read as it was. */
static void check_again(const struct udh_parts *parts)
{
    bool wide = parts->reference > 0xff;
    BUF_CLEANUP struct buf out;
    struct udh_parts again;

    buf_init(&out, 100);
    udh_put(&out, parts, wide);
    struct str octets = buf_str(&out);
    assert(udh_take(&octets, &again) && octets.n == 0);
    assert(again.reference == parts->reference && again.total == parts->total &&
           again.number == parts->number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str all = {(const char *)data, size}, octets = all;
    struct udh_parts parts;

    if (!udh_take(&octets, &parts)) {
        assert(octets.p == all.p && octets.n == all.n);
        assert(size == 0 || size < 1 + (size_t)data[0]);
        return 0;
    }
    assert(octets.n == size - 1 - data[0]);
    assert(octets.p + octets.n == all.p + all.n);
    assert(udh_fill(size - octets.n) < 7);
    if (parts.total == 0)
        return 0;
    assert(parts.number >= 1 && parts.number <= parts.total);
    check_again(&parts);
    return 0;
}
