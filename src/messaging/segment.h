/* How a text becomes short messages: its encoding, how many parts, and where they are cut.
 * A part never ends inside an escape or a surrogate pair. */
#pragma once

#include "store/records.h"

/* Units are septets in GSM-7 and 16-bit units in UCS-2. One part alone has more room than each of
 * several, which carry a header that joins them. */
enum {
    SEGMENT_GSM7_SINGLE = 160,
    SEGMENT_GSM7_PART = 153,
    SEGMENT_UCS2_SINGLE = 70,
    SEGMENT_UCS2_PART = 67,
};

/* -EILSEQ when the text is not UTF-8. An empty text is one segment of GSM-7. */
int segment_count(struct str utf8, enum encoding *ret_encoding, unsigned *ret_segments);

/* Yields the parts of a text one by one, as views of it. */
struct segment_splitter {
    struct str rest;
    enum encoding encoding;
    unsigned room; /* units that fit in one part */
    bool done;
};

/* -EILSEQ as above; then nothing is yielded. */
int segment_split(struct segment_splitter *s, struct str utf8);
bool segment_next(struct segment_splitter *s, struct str *ret_part);
