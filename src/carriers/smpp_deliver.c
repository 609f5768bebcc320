#include "carriers/smpp_deliver.h"

#include "base/utf8.h"
#include "smpp/udh.h"

enum {
    ESM_UDHI = 0x40,
    TON_INTERNATIONAL = 1,
    TON_LETTERS = 5,
    FULL_DIGITS = 11, /* more than in a national number: one of E.164, whatever it is called */
    TEXT_MAX = 4 * SMPP_PDU_MAX, /* each octet may take so many bytes of UTF-8 */
    DETAIL_MAX = 512,
    RAW_MAX = 1000,
    SHOWN_MAX = 32,
};

void smpp_delivered_init(struct smpp_delivered *d)
{
    buf_init(&d->text, TEXT_MAX);
    buf_init(&d->detail, DETAIL_MAX);
}

void smpp_delivered_done(struct smpp_delivered *d)
{
    buf_done(&d->text);
    buf_done(&d->detail);
}

/* ---- text ---- */

static struct str octets_of(const struct smpp_pdu *pdu)
{
    struct str payload;

    if (pdu->short_message.n == 0 && smpp_tlv_find(pdu, SMPP_TAG_MESSAGE_PAYLOAD, &payload))
        return payload;
    return pdu->short_message;
}

/* 8-bit data is kept too: as it is when it can be read as text, else its octets in hexadecimal. */
static void add_data(struct buf *out, struct str octets)
{
    if (utf8_valid(octets) && utf8_shown(octets, octets.n).n == octets.n) {
        buf_add(out, octets);
        return;
    }
    buf_text(out, "[data]");
    for (size_t i = 0; i < octets.n; i++)
        buf_printf(out, "%s%02x", i ? "" : " ", (unsigned char)octets.p[i]);
}

static void take_header(const struct smpp_pdu *pdu, struct str *octets, struct udh_parts *parts,
                        unsigned *fill)
{
    size_t before = octets->n;

    *fill = 0;
    if (pdu->esm_class & ESM_UDHI && udh_take(octets, parts))
        *fill = udh_fill(before - octets->n);
}

static bool is_plain_ascii(struct str octets)
{
    for (size_t i = 0; i < octets.n; i++)
        if ((octets.p[i] < ' ' || octets.p[i] > '~') && !memchr("\r\n\t", octets.p[i], 3))
            return false;
    return octets.n > 0;
}

/* Carriers write their receipts in ASCII and seldom say so: a '_' in an id is one, and no '§'. */
static int receipt_alphabet(int alphabet, struct str octets)
{
    return alphabet == SMPP_GSM || is_plain_ascii(octets) ? SMPP_ASCII : alphabet;
}

static struct udh_parts read_text(struct smpp_delivered *d, const struct smpp_settings *s,
                                  const struct smpp_pdu *pdu, bool is_receipt)
{
    struct str octets = octets_of(pdu);
    struct udh_parts parts = {0};
    unsigned fill;

    take_header(pdu, &octets, &parts, &fill);
    int alphabet = smpp_text_alphabet(pdu->data_coding, s->manner.alphabet);
    if (is_receipt)
        alphabet = receipt_alphabet(alphabet, octets);
    if (alphabet < 0)
        add_data(&d->text, octets);
    else
        smpp_text_decode((enum smpp_alphabet)alphabet, octets, fill, &d->text);
    return parts;
}

/* ---- addresses ---- */

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

/* Fit to be shown, whatever the peer wrote; `front` comes before it. */
static struct str write_address(char out[SMPP_ADDRESS_SIZE], const char *front, struct str address)
{
    str_format(out, SMPP_ADDRESS_SIZE, "%s%.*s", front, STR_FMT(address));
    for (char *c = out; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return str_of(out);
}

static struct str write_digits(char out[SMPP_ADDRESS_SIZE], const struct smpp_address *a)
{
    bool plus = str_starts(a->digits, STR("+"));
    return write_address(out, "", plus ? str_skip(a->digits, 1) : a->digits);
}

/* With a '+' in front of what is a number of E.164: these never begin with 0. */
static struct str write_number(char out[SMPP_ADDRESS_SIZE], const struct smpp_address *a)
{
    bool full = a->ton != TON_LETTERS && all_digits(a->digits) && a->digits.p[0] != '0' &&
                (a->ton == TON_INTERNATIONAL || a->digits.n >= FULL_DIGITS);
    return write_address(out, full ? "+" : "", a->digits);
}

/* ---- receipts ---- */

struct word {
    enum receipt_word word;
    enum failure failure;
    const char *said; /* when the carrier uses no word of its own */
};

static struct word word_of(enum smpp_state state)
{
    switch (state) {
    case SMPP_STATE_NONE:
        return (struct word){RECEIPT_ON_ITS_WAY, FAILURE_NONE, "nothing of its state"};
    case SMPP_STATE_ON_ITS_WAY:
        return (struct word){RECEIPT_ON_ITS_WAY, FAILURE_NONE, "on its way"};
    case SMPP_STATE_DELIVERED:
        return (struct word){RECEIPT_DELIVERED, FAILURE_NONE, "delivered"};
    case SMPP_STATE_EXPIRED:
        return (struct word){RECEIPT_FAILED, FAILURE_CARRIER_EXPIRED, "expired"};
    case SMPP_STATE_DELETED:
        return (struct word){RECEIPT_FAILED, FAILURE_CARRIER_DELETED, "deleted"};
    case SMPP_STATE_UNDELIVERABLE:
        return (struct word){RECEIPT_FAILED, FAILURE_UNDELIVERABLE, "undeliverable"};
    case SMPP_STATE_UNKNOWN:
        return (struct word){RECEIPT_ON_ITS_WAY, FAILURE_NONE, "unknown"};
    case SMPP_STATE_REJECTED:
        return (struct word){RECEIPT_FAILED, FAILURE_CARRIER_REJECTED, "rejected"};
    case SMPP_STATE_STRANGE:
        return (struct word){RECEIPT_FAILED, FAILURE_UNKNOWN, "a state that nobody knows"};
    }
    return (struct word){RECEIPT_ON_ITS_WAY, FAILURE_NONE, ""};
}

static const char *who_says(enum smpp_delivery kind)
{
    switch (kind) {
    case SMPP_MESSAGE:
    case SMPP_RECEIPT:
        return "The carrier's receipt says";
    case SMPP_NOTIFICATION:
        return "An intermediate notice of the carrier says";
    case SMPP_USER_ACK:
        return "The handset acknowledges it and says";
    }
    return "";
}

static bool is_error(struct str error)
{
    for (size_t i = 0; i < error.n; i++)
        if (error.p[i] != '0')
            return true;
    return false;
}

static void write_detail(struct buf *out, enum smpp_delivery kind, const struct smpp_receipt *r)
{
    struct str stat = utf8_shown(r->stat, SHOWN_MAX), error = utf8_shown(r->error, SHOWN_MAX);

    buf_printf(out, "%s ", who_says(kind));
    buf_add(out, stat.n ? stat : str_of(word_of(r->state).said));
    if (is_error(error))
        buf_printf(out, ", error %.*s", STR_FMT(error));
    if (r->network_error >= 0)
        buf_printf(out, ", network error %d", r->network_error);
    if (r->network_type >= 0)
        buf_printf(out, " of type %d", r->network_type);
    buf_text(out, ".");
}

/* Whole characters only. */
static struct str raw_of(struct str text)
{
    if (text.n <= RAW_MAX)
        return text;
    size_t n = RAW_MAX;
    while (n && ((unsigned char)text.p[n] & 0xc0) == 0x80)
        n--;
    return (struct str){text.p, n};
}

static void tell_receipt(struct smpp_delivered *d, const struct smpp_settings *s,
                         enum smpp_delivery kind, const struct smpp_pdu *pdu,
                         const struct smpp_receipt *r)
{
    struct word word = word_of(r->state);
    size_t count = smpp_id_of_receipt(s->ids, r->id, d->ids);

    for (size_t i = 0; i < count; i++)
        d->id_views[i] = str_of(d->ids[i].text);
    if (kind == SMPP_NOTIFICATION || kind == SMPP_USER_ACK)
        word = word_of(SMPP_STATE_ON_ITS_WAY);
    write_detail(&d->detail, kind, r);
    if (d->text.n == 0) /* only optional parameters: so that a stray can be read */
        buf_printf(&d->text, "id:%s stat:%s", count ? d->ids[0].text : "", word_of(r->state).said);
    d->is_receipt = true;
    d->receipt =
        (struct carrier_receipt){.ids = d->id_views,
                                 .id_count = count,
                                 .word = word.word,
                                 .failure = word.failure,
                                 .source = write_digits(d->source, &pdu->source),
                                 .destination = write_digits(d->destination, &pdu->destination),
                                 .detail = buf_str(&d->detail),
                                 .raw = raw_of(buf_str(&d->text))};
}

/* ---- messages from handsets ---- */

static void read_sar(const struct smpp_pdu *pdu, struct udh_parts *parts)
{
    uint32_t reference, total, number;

    if (!smpp_tlv_number(pdu, SMPP_TAG_SAR_REFERENCE, &reference) ||
        !smpp_tlv_number(pdu, SMPP_TAG_SAR_TOTAL, &total) ||
        !smpp_tlv_number(pdu, SMPP_TAG_SAR_NUMBER, &number))
        return;
    if (total > UINT8_MAX || number == 0 || number > total)
        return;
    *parts = (struct udh_parts){(uint16_t)reference, (uint8_t)total, (uint8_t)number};
}

static void tell_arrival(struct smpp_delivered *d, const struct smpp_pdu *pdu,
                         struct udh_parts parts)
{
    if (parts.total == 0)
        read_sar(pdu, &parts);
    d->is_receipt = false;
    d->arrival = (struct arrival){.from = write_number(d->source, &pdu->source),
                                  .to = write_number(d->destination, &pdu->destination),
                                  .text = buf_str(&d->text),
                                  .reference = parts.reference,
                                  .total = parts.total,
                                  .number = parts.number};
}

bool smpp_deliver_read(struct smpp_delivered *d, const struct smpp_settings *s, unsigned carrier,
                       const struct smpp_pdu *pdu)
{
    enum smpp_delivery kind = smpp_delivery_kind(pdu, s->receipts_by_content);
    struct smpp_receipt receipt = {0};

    buf_clear(&d->text);
    buf_clear(&d->detail);
    struct udh_parts parts = read_text(d, s, pdu, kind != SMPP_MESSAGE);
    if (kind != SMPP_MESSAGE)
        smpp_receipt_read(pdu, buf_str(&d->text), &receipt);
    if (kind == SMPP_MESSAGE || (kind == SMPP_USER_ACK && receipt.id.n == 0))
        tell_arrival(d, pdu, parts);
    else
        tell_receipt(d, s, kind, pdu, &receipt);
    d->receipt.carrier = d->arrival.carrier = carrier;
    return !d->text.failed && !d->detail.failed;
}
