/* The header Retry-After of an answer: never more than a day, never less than nothing, and seconds
 * are what they are. */
#include "hooks/retry.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str header = {(const char *)data, size};
    uint64_t seconds;
    int64_t now_us = 1795000000 * INT64_C(1000000);
    int64_t wait_us = retry_after_us(header, now_us);

    assert(wait_us >= 0 && wait_us <= RETRY_AFTER_MAX_US);
    if (str_to_u64(header, &seconds) && seconds <= 86400)
        assert(wait_us == (int64_t)seconds * 1000000);
    else if (wait_us > 0 && wait_us < RETRY_AFTER_MAX_US) /* a date: a second later is one less */
        assert(retry_after_us(header, now_us + 1000000) ==
                   (wait_us > 1000000 ? wait_us - 1000000 : 0) ||
               retry_after_us(header, now_us + 1000000) == wait_us);
    return 0;
}
