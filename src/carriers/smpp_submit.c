#include "carriers/smpp_submit.h"

#include "messaging/segment.h"
#include "messaging/validity.h"
#include "smpp/udh.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

enum {
    ESM_UDHI = 0x40,
    ADDRESS_LENGTH_MAX = 20,
    OCTETS_PER_BYTE = 2, /* at most, in any alphabet, of a byte of UTF-8 */
    PART_EXTRA = 40,     /* more than header and optional parameters of a part take */
};

/* ---- how much fits, and where it is cut ---- */

/* Units of one message alone, and of a part behind a header of 6 and of 7 octets. */
struct rooms {
    enum segment_unit unit;
    unsigned single, part, part_wide;
};

static const struct rooms rooms_of[] = {
    [SMPP_GSM] = {SEGMENT_SEPTETS, SEGMENT_GSM7_SINGLE, SEGMENT_GSM7_PART, 152},
    [SMPP_GSM_PACKED] = {SEGMENT_SEPTETS, SEGMENT_GSM7_SINGLE, SEGMENT_GSM7_PART, 152},
    [SMPP_LATIN1] = {SEGMENT_CHARACTERS, 140, 134, 133},
    [SMPP_ASCII] = {SEGMENT_CHARACTERS, 140, 134, 133},
    [SMPP_UCS2] = {SEGMENT_UTF16, SEGMENT_UCS2_SINGLE, SEGMENT_UCS2_PART, 66},
};

/* A text in its alphabet, cut. */
struct cut {
    enum smpp_alphabet alphabet;
    enum smpp_long_text long_text;
    bool whole;    /* one short message, no matter how long texts are sent */
    unsigned fill; /* bits between header and text */
    struct str parts[SMPP_PARTS_MAX];
    unsigned count;
};

static bool has_header(const struct cut *c)
{
    return !c->whole && (c->long_text == SMPP_LONG_UDH8 || c->long_text == SMPP_LONG_UDH16);
}

static bool is_wide(const struct cut *c)
{
    return c->long_text == SMPP_LONG_UDH16;
}

/* -E2BIG: more parts than there may be. */
static int cut_parts(struct cut *c, struct str text)
{
    const struct rooms *rooms = &rooms_of[c->alphabet];
    struct segment_splitter s;
    struct str part;

    segment_split(&s, text, rooms->unit, is_wide(c) ? rooms->part_wide : rooms->part);
    while (segment_next(&s, &part)) {
        if (c->count == SMPP_PARTS_MAX)
            return -E2BIG;
        if (!s.done && smpp_text_ends_like_filling(c->alphabet, part, c->fill))
            segment_put_back(&s, &part);
        c->parts[c->count++] = part;
    }
    return 0;
}

/* -EILSEQ: the alphabet cannot write the text, or not so that it would be read as it is. */
static int cut_text(struct cut *c, struct str text)
{
    size_t units;
    int r = 0;

    if (!smpp_text_measure(c->alphabet, text, &units))
        return -EILSEQ;
    c->count = 0;
    c->whole = units <= rooms_of[c->alphabet].single;
    c->fill = has_header(c) ? udh_fill(is_wide(c) ? UDH_WIDE_SIZE : UDH_SIZE) : 0;
    if (c->whole || c->long_text == SMPP_LONG_PAYLOAD)
        c->parts[c->count++] = text;
    else
        r = cut_parts(c, text);
    if (r < 0)
        return r;
    assert(c->count > 0);
    struct str last = c->parts[c->count - 1];
    return smpp_text_ends_like_filling(c->alphabet, last, c->fill) ? -EILSEQ : 0;
}

static int cut_for(struct cut *c, const struct smpp_manner *manner, struct str text)
{
    bool needs_parameters =
        manner->long_text == SMPP_LONG_SAR || manner->long_text == SMPP_LONG_PAYLOAD;

    c->alphabet = manner->alphabet;
    c->long_text = manner->no_parameters && needs_parameters ? SMPP_LONG_UDH8 : manner->long_text;
    int r = cut_text(c, text);
    if (r != -EILSEQ)
        return r;
    c->alphabet = SMPP_UCS2;
    return cut_text(c, text);
}

/* ---- fields that all parts have ---- */

static struct str without_plus(struct str number)
{
    return str_starts(number, STR("+")) ? str_skip(number, 1) : number;
}

/* A '@' would be a NUL in GSM and cut the address short; what is not ASCII nobody would read. */
static struct str name_of(struct str name, struct buf *bytes)
{
    char *at = buf_reserve(bytes, name.n);
    size_t n = 0;

    if (!at)
        return (struct str){0};
    for (size_t i = 0; i < name.n; i++) {
        bool begins = ((unsigned char)name.p[i] & 0xc0) != 0x80;
        bool sure = name.p[i] >= ' ' && name.p[i] <= '~' && name.p[i] != '@';
        if (begins)
            at[n++] = (char)(sure ? name.p[i] : '?');
    }
    bytes->n += n;
    return (struct str){at, n};
}

static struct smpp_address sender_of(const struct smpp_manner *manner, const struct message *m,
                                     struct buf *bytes)
{
    switch (m->number_type) {
    case NUMBER_ALPHANUMERIC:
        return (struct smpp_address){manner->name_ton, manner->name_npi, name_of(m->from, bytes)};
    case NUMBER_SHORT_CODE:
        return (struct smpp_address){manner->short_ton, manner->short_npi, without_plus(m->from)};
    case NUMBER_TOLL_FREE:
    case NUMBER_LOCAL:
        break;
    }
    return (struct smpp_address){manner->number_ton, manner->number_npi, without_plus(m->from)};
}

/* Absolute, in UTC: "261115010203000+". */
static bool write_time(int64_t unix_us, char out[17])
{
    time_t seconds = unix_us / 1000000;
    struct tm tm;

    return gmtime_r(&seconds, &tm) && strftime(out, 17, "%y%m%d%H%M%S000+", &tm) == 16;
}

static bool fill_common(struct smpp_submission *s, const struct smpp_manner *manner,
                        const struct message *m, struct smpp_pdu *ret)
{
    *ret = (struct smpp_pdu){
        .command = SMPP_SUBMIT_SM,
        .service_type = str_of(manner->service_type),
        .source = sender_of(manner, m, &s->bytes),
        .destination = {manner->recipient_ton, manner->recipient_npi, without_plus(m->to)},
        .esm_class = manner->esm_class,
        .registered_delivery = manner->registered_delivery,
    };
    if (ret->source.digits.n > ADDRESS_LENGTH_MAX || ret->destination.digits.n == 0 ||
        ret->destination.digits.n > ADDRESS_LENGTH_MAX)
        return false;
    if (!write_time(message_expires_us(m), s->validity))
        return false;
    ret->validity = str_of(s->validity);
    return true;
}

/* ---- parts ---- */

static struct str since(const struct buf *bytes, size_t start)
{
    return (struct str){bytes->p + start, bytes->n - start};
}

static void put_parameters(struct buf *bytes, const struct cut *c, const struct udh_parts *place)
{
    if (c->long_text == SMPP_LONG_SAR) {
        smpp_tlv_put_u16(bytes, SMPP_TAG_SAR_REFERENCE, place->reference);
        smpp_tlv_put_u8(bytes, SMPP_TAG_SAR_TOTAL, place->total);
        smpp_tlv_put_u8(bytes, SMPP_TAG_SAR_NUMBER, place->number);
    }
    if (place->number < place->total)
        smpp_tlv_put_u8(bytes, SMPP_TAG_MORE_MESSAGES, 1);
}

static bool put_part(struct buf *bytes, const struct cut *c, const struct udh_parts *place,
                     struct smpp_pdu *pdu)
{
    size_t start = bytes->n;

    if (has_header(c)) {
        pdu->esm_class |= ESM_UDHI;
        udh_put(bytes, place, is_wide(c));
    }
    if (!smpp_text_encode(c->alphabet, c->parts[place->number - 1], c->fill, bytes))
        return false;
    pdu->short_message = since(bytes, start);
    return true;
}

static bool put_payload(struct buf *bytes, const struct cut *c, struct smpp_pdu *pdu)
{
    struct buf BUF_CLEANUP octets;

    buf_init(&octets, bytes->max);
    if (!smpp_text_encode(c->alphabet, c->parts[0], 0, &octets))
        return false;
    size_t start = bytes->n;
    smpp_tlv_put(bytes, SMPP_TAG_MESSAGE_PAYLOAD, buf_str(&octets));
    pdu->tlvs = since(bytes, start);
    return !bytes->failed;
}

static bool put_parts(struct smpp_submission *s, const struct cut *c,
                      const struct smpp_manner *manner, uint16_t reference)
{
    for (unsigned i = 0; i < c->count; i++) {
        struct udh_parts place = {reference, (uint8_t)c->count, (uint8_t)(i + 1)};
        if (!put_part(&s->bytes, c, &place, &s->pdus[i]))
            return false;
        size_t start = s->bytes.n;
        if (c->count > 1 && !manner->no_parameters)
            put_parameters(&s->bytes, c, &place);
        s->pdus[i].tlvs = since(&s->bytes, start);
    }
    return !s->bytes.failed;
}

/* All that will be written, so that the bytes stay where they are while views are made of them. */
static bool make_room(struct buf *bytes, const struct message *m)
{
    size_t most = m->from.n + OCTETS_PER_BYTE * m->text.n + (size_t)PART_EXTRA * SMPP_PARTS_MAX;

    buf_clear(bytes);
    bytes->max = most;
    return buf_reserve(bytes, most);
}

int smpp_submit_make(struct smpp_submission *ret, const struct smpp_manner *manner,
                     const struct message *m, uint16_t reference)
{
    struct smpp_pdu common;
    struct cut c;

    ret->count = 0;
    if (m->kind == KIND_MMS || m->text.n > UINT16_MAX / OCTETS_PER_BYTE)
        return -EINVAL;
    if (!make_room(&ret->bytes, m))
        return -ENOMEM;
    if (!fill_common(ret, manner, m, &common) || cut_for(&c, manner, m->text) < 0)
        return -EINVAL;
    bool usual = c.alphabet != manner->alphabet || manner->data_coding < 0;
    common.data_coding = usual ? smpp_text_coding(c.alphabet) : (uint8_t)manner->data_coding;
    for (unsigned i = 0; i < c.count; i++)
        ret->pdus[i] = common;

    const char *before = ret->bytes.p;
    bool payload = !c.whole && c.long_text == SMPP_LONG_PAYLOAD;
    if (payload ? !put_payload(&ret->bytes, &c, &ret->pdus[0])
                : !put_parts(ret, &c, manner, reference))
        return -ENOMEM;
    assert(ret->bytes.p == before);
    ret->count = c.count;
    return 0;
}

void smpp_submission_done(struct smpp_submission *s)
{
    buf_done(&s->bytes);
}
