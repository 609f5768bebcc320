/* Segmentation: any bytes are either refused or cut into parts that join to the same text. */
#include "base/gsm0338.h"
#include "base/utf8.h"
#include "messaging/segment.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned units_of(struct str part, enum encoding encoding)
{
    unsigned units = 0, bytes;

    while (part.n > 0) {
        int32_t point = utf8_decode(part, &bytes);
        assert(point >= 0);
        units += encoding == ENCODING_GSM7 ? gsm_septets(point) : point > 0xffff ? 2 : 1;
        part = str_skip(part, bytes);
    }
    return units;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size}, part;
    struct segment_splitter s;
    enum encoding encoding;
    unsigned segments, seen = 0;
    size_t joined = 0;

    assert(utf8_valid(text) == (segment_count(text, &encoding, &segments) == 0));
    if (!utf8_valid(text))
        return 0;
    unsigned room =
        encoding == ENCODING_GSM7 ? (segments == 1 ? 160 : 153) : (segments == 1 ? 70 : 67);
    segment_split(&s, text, encoding == ENCODING_GSM7 ? SEGMENT_SEPTETS : SEGMENT_UTF16, room);
    while (segment_next(&s, &part)) {
        assert(part.p == text.p + joined || part.n == 0);
        assert(units_of(part, encoding) <= room);
        joined += part.n;
        seen++;
    }
    assert(joined == size && seen == segments);
    return 0;
}
