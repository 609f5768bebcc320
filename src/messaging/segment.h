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

/* ---- cutting, for any alphabet and room ---- */

enum segment_unit { SEGMENT_SEPTETS, SEGMENT_UTF16, SEGMENT_CHARACTERS };

/* Yields the parts of a text one by one, as views of it. */
struct segment_splitter {
    struct str rest;
    enum segment_unit unit;
    unsigned room; /* units that fit in one part */
    bool done;
};

/* The text is UTF-8, and for SEGMENT_SEPTETS in GSM-7; the room is at least 2. An empty text is
 * one part. */
void segment_split(struct segment_splitter *s, struct str utf8, enum segment_unit unit,
                   unsigned room);
bool segment_next(struct segment_splitter *s, struct str *ret_part);
/* The last byte of the part that was yielded goes into the next one. It is a whole character. */
void segment_put_back(struct segment_splitter *s, struct str *part);
