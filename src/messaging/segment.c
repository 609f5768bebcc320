#include "messaging/segment.h"

#include "base/gsm0338.h"
#include "base/utf8.h"

#include <assert.h>
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
static unsigned front_units(struct str text, enum segment_unit unit, unsigned *ret_bytes)
{
    int32_t point = utf8_decode(text, ret_bytes);

    assert(point >= 0);
    switch (unit) {
    case SEGMENT_SEPTETS:
        return gsm_septets(point);
    case SEGMENT_UTF16:
        return ucs2_units(point);
    case SEGMENT_CHARACTERS:
        return 1;
    }
    return 1;
}

void segment_split(struct segment_splitter *s, struct str utf8, enum segment_unit unit,
                   unsigned room)
{
    assert(room >= 2); /* a pair fits */
    *s = (struct segment_splitter){.rest = utf8, .unit = unit, .room = room};
}

bool segment_next(struct segment_splitter *s, struct str *ret_part)
{
    struct str part = {s->rest.p, 0};
    unsigned used = 0;

    if (s->done)
        return false;
    while (s->rest.n > 0) {
        unsigned bytes, units = front_units(s->rest, s->unit, &bytes);
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

void segment_put_back(struct segment_splitter *s, struct str *part)
{
    assert(part->n > 1); /* or it would never end */
    part->n--;
    s->rest = (struct str){part->p + part->n, s->rest.n + 1};
    s->done = false;
}

static unsigned count_parts(struct str utf8, enum segment_unit unit, unsigned room)
{
    struct segment_splitter s;
    struct str part;
    unsigned count = 0;

    for (segment_split(&s, utf8, unit, room); segment_next(&s, &part);)
        count++;
    return count;
}

/* What fits in one part need not be cut to be counted. */
int segment_count(struct str utf8, enum encoding *ret_encoding, unsigned *ret_segments)
{
    struct measure m;
    int r = measure_text(utf8, &m);

    if (r < 0)
        return r;
    *ret_encoding = m.fits_gsm ? ENCODING_GSM7 : ENCODING_UCS2;
    if (m.fits_gsm ? m.septets <= SEGMENT_GSM7_SINGLE : m.units <= SEGMENT_UCS2_SINGLE)
        *ret_segments = 1;
    else if (m.fits_gsm)
        *ret_segments = count_parts(utf8, SEGMENT_SEPTETS, SEGMENT_GSM7_PART);
    else
        *ret_segments = count_parts(utf8, SEGMENT_UTF16, SEGMENT_UCS2_PART);
    return 0;
}
