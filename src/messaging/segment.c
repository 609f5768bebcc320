#include "messaging/segment.h"

#include "base/gsm0338.h"
#include "base/utf8.h"

#include <errno.h>

/* What the whole text would take in either encoding. */
struct measure {
    size_t septets; /* counted only while fits_gsm holds */
    size_t units;
    bool fits_gsm;
};

static unsigned ucs2_units(int32_t point)
{
    return point > 0xffff ? 2 : 1;
}

static int measure_text(struct str text, struct measure *ret)
{
    struct measure m = {.fits_gsm = true};

    while (text.n > 0) {
        unsigned bytes;
        int32_t point = utf8_decode(text, &bytes);
        if (point < 0)
            return -EILSEQ;
        text = str_skip(text, bytes);
        m.units += ucs2_units(point);
        unsigned septets = m.fits_gsm ? gsm_septets(point) : 0;
        m.septets += septets;
        m.fits_gsm = septets > 0;
    }
    *ret = m;
    return 0;
}

/* The units of the character at the front of a text that is known to be good. */
static unsigned front_units(struct str text, enum encoding encoding, unsigned *ret_bytes)
{
    int32_t point = utf8_decode(text, ret_bytes);

    return encoding == ENCODING_GSM7 ? gsm_septets(point) : ucs2_units(point);
}

static void start(struct segment_splitter *s, struct str text, const struct measure *m)
{
    *s = (struct segment_splitter){.rest = text};
    if (m->fits_gsm) {
        s->encoding = ENCODING_GSM7;
        s->room = m->septets <= SEGMENT_GSM7_SINGLE ? SEGMENT_GSM7_SINGLE : SEGMENT_GSM7_PART;
    } else {
        s->encoding = ENCODING_UCS2;
        s->room = m->units <= SEGMENT_UCS2_SINGLE ? SEGMENT_UCS2_SINGLE : SEGMENT_UCS2_PART;
    }
}

int segment_split(struct segment_splitter *s, struct str utf8)
{
    struct measure m;
    int r = measure_text(utf8, &m);

    if (r < 0) {
        *s = (struct segment_splitter){.done = true};
        return r;
    }
    start(s, utf8, &m);
    return 0;
}

bool segment_next(struct segment_splitter *s, struct str *ret_part)
{
    struct str part = {s->rest.p, 0};
    unsigned used = 0;

    if (s->done)
        return false;
    while (s->rest.n > 0) {
        unsigned bytes, units = front_units(s->rest, s->encoding, &bytes);
        if (used + units > s->room)
            break;
        used += units;
        part.n += bytes;
        s->rest = str_skip(s->rest, bytes);
    }
    s->done = s->rest.n == 0;
    *ret_part = part;
    return true;
}

int segment_count(struct str utf8, enum encoding *ret_encoding, unsigned *ret_segments)
{
    struct segment_splitter s;
    struct measure m;
    struct str part;
    unsigned count = 1;
    int r = measure_text(utf8, &m);

    if (r < 0)
        return r;
    start(&s, utf8, &m);
    /* What fits in one part need not be cut to be counted. */
    if (s.room != SEGMENT_GSM7_SINGLE && s.room != SEGMENT_UCS2_SINGLE)
        for (count = 0; segment_next(&s, &part);)
            count++;
    *ret_encoding = s.encoding;
    *ret_segments = count;
    return 0;
}
