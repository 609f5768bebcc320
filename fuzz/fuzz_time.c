/* RFC 3339 times: whatever is taken for one is written again as the same moment. */
#include "base/clock.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[RFC3339_SIZE];
    int64_t parsed, again;

    if (!rfc3339_parse((struct str){(const char *)data, size}, &parsed))
        return 0;
    assert(parsed >= 0 && size >= 20);
    rfc3339_format(parsed, text);
    bool good = rfc3339_parse(str_of(text), &again);
    assert(good && again == parsed / 1000 * 1000);
    return 0;
}
