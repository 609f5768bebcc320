#include "smpp/receipt.h"

#include "smpp/text.h"
#include "smpp/udh.h"

/* ---- the text ---- */

/* In appendix B of SMPP 3.4, which binds nobody: so any order, any case, some of them missing. */
#define FIELDS(X)                                                                                  \
    X(ID, "id:")                                                                                   \
    X(SUB, "sub:")                                                                                 \
    X(DLVRD, "dlvrd:")                                                                             \
    X(SUBMIT_DATE, "submit date:")                                                                 \
    X(DONE_DATE, "done date:")                                                                     \
    X(STAT, "stat:")                                                                               \
    X(ERR, "err:")                                                                                 \
    X(TEXT, "text:")

enum field {
#define X(name, label) FIELD_##name,
    FIELDS(X)
#undef X
        FIELD_COUNT
};

static const struct str labels[FIELD_COUNT] = {
#define X(name, label) {label, sizeof(label) - 1},
    FIELDS(X)
#undef X
};

struct fields {
    struct str values[FIELD_COUNT]; /* p is NULL when it is not there */
};

static bool is_word_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A label is a word of its own: there is none in "paid:". */
static bool label_at(struct str text, size_t at, enum field *ret)
{
    if (at > 0 && is_word_char(text.p[at - 1]))
        return false;
    for (enum field f = FIELD_ID; f < FIELD_COUNT; f++)
        if (str_starts_nocase(str_skip(text, at), labels[f])) {
            *ret = f;
            return true;
        }
    return false;
}

/* The first is the carrier's word: a second one stands in the text of the message. */
static void keep(struct fields *fields, enum field f, const char *from, const char *end)
{
    if (!fields->values[f].p)
        fields->values[f] = str_trim((struct str){from, (size_t)(end - from)});
}

static bool is_known(const struct fields *fields, enum field f)
{
    return fields->values[f].p != NULL;
}

/* Each value ends where the next label begins. Behind text: stands what our message said; it is
 * looked into only while something is still wanting. */
static void read_fields(struct str text, struct fields *ret)
{
    enum field current = FIELD_COUNT, found;
    const char *from = text.p;

    *ret = (struct fields){0};
    for (size_t i = 0; i < text.n; i++) {
        if (!label_at(text, i, &found))
            continue;
        if (current != FIELD_COUNT)
            keep(ret, current, from, text.p + i);
        current = found;
        i += labels[found].n - 1;
        from = text.p + i + 1;
        if (found == FIELD_TEXT && is_known(ret, FIELD_ID) && is_known(ret, FIELD_STAT))
            break;
    }
    if (current != FIELD_COUNT)
        keep(ret, current, from, text.p + text.n);
}

/* Up to the first space, separator or NUL. */
static struct str first_word(struct str value)
{
    size_t n = 0;

    while (n < value.n && !strchr(" \t\r\n,;", value.p[n]))
        n++;
    return (struct str){value.p, n};
}

/* Some end their text with a NUL, which is a '@' in GSM. */
static struct str without_end(struct str text)
{
    while (text.n > 0 && (text.p[text.n - 1] == '\0' || text.p[text.n - 1] == '@'))
        text.n--;
    return text;
}

/* ---- states ---- */

/* message_state by its number; the first and the last are of SMPP 5.0. */
static const enum smpp_state state_numbers[] = {
    SMPP_STATE_ON_ITS_WAY,    /* SCHEDULED */
    SMPP_STATE_ON_ITS_WAY,    /* ENROUTE */
    SMPP_STATE_DELIVERED,     /* DELIVERED */
    SMPP_STATE_EXPIRED,       /* EXPIRED */
    SMPP_STATE_DELETED,       /* DELETED */
    SMPP_STATE_UNDELIVERABLE, /* UNDELIVERABLE */
    SMPP_STATE_ON_ITS_WAY,    /* ACCEPTED */
    SMPP_STATE_UNKNOWN,       /* UNKNOWN */
    SMPP_STATE_REJECTED,      /* REJECTED */
    SMPP_STATE_REJECTED,      /* SKIPPED: the network has a rule against it */
};

/* What appendix B has, what Kannel knows besides, and what those write who spell words out. */
static const struct {
    const char *word;
    enum smpp_state state;
} state_words[] = {
    {"DELIVRD", SMPP_STATE_DELIVERED},         {"EXPIRED", SMPP_STATE_EXPIRED},
    {"DELETED", SMPP_STATE_DELETED},           {"UNDELIV", SMPP_STATE_UNDELIVERABLE},
    {"ACCEPTD", SMPP_STATE_ON_ITS_WAY},        {"UNKNOWN", SMPP_STATE_UNKNOWN},
    {"REJECTD", SMPP_STATE_REJECTED},          {"ENROUTE", SMPP_STATE_ON_ITS_WAY},
    {"ACKED", SMPP_STATE_ON_ITS_WAY},          {"BUFFRED", SMPP_STATE_ON_ITS_WAY},
    {"BUFFERD", SMPP_STATE_ON_ITS_WAY},        {"DELIVERED", SMPP_STATE_DELIVERED},
    {"REJECTED", SMPP_STATE_REJECTED},         {"UNDELIVERABLE", SMPP_STATE_UNDELIVERABLE},
    {"UNDELIVERED", SMPP_STATE_UNDELIVERABLE}, {"ACCEPTED", SMPP_STATE_ON_ITS_WAY},
    {"BUFFERED", SMPP_STATE_ON_ITS_WAY},       {"SCHEDULED", SMPP_STATE_ON_ITS_WAY},
    {"SKIPPED", SMPP_STATE_REJECTED},
};

static enum smpp_state state_of_word(struct str stat)
{
    for (size_t i = 0; i < sizeof state_words / sizeof *state_words; i++)
        if (str_eq_nocase(stat, str_of(state_words[i].word)))
            return state_words[i].state;
    return stat.n ? SMPP_STATE_STRANGE : SMPP_STATE_NONE;
}

static enum smpp_state state_of(const struct smpp_pdu *pdu, struct str stat)
{
    uint32_t number;

    if (!smpp_tlv_number(pdu, SMPP_TAG_MESSAGE_STATE, &number))
        return state_of_word(stat);
    if (number < sizeof state_numbers / sizeof *state_numbers)
        return state_numbers[number];
    return stat.n ? state_of_word(stat) : SMPP_STATE_STRANGE;
}

/* ---- the rest ---- */

enum { NETWORK_CODE_SIZE = 3, NOT_TOLD = -1 };

/* A network and 16 bits; some write three digits in their place. */
static void read_network_error(const struct smpp_pdu *pdu, struct smpp_receipt *ret)
{
    struct str value;
    uint64_t digits;

    ret->network_type = ret->network_error = NOT_TOLD;
    if (!smpp_tlv_find(pdu, SMPP_TAG_NETWORK_ERROR_CODE, &value) || value.n != NETWORK_CODE_SIZE)
        return;
    const uint8_t *p = (const uint8_t *)value.p;
    if (str_to_u64(value, &digits)) {
        ret->network_error = (int)digits;
    } else {
        ret->network_type = p[0];
        ret->network_error = p[1] << 8 | p[2];
    }
}

void smpp_receipt_read(const struct smpp_pdu *pdu, struct str text, struct smpp_receipt *ret)
{
    struct fields fields;
    struct str id;

    read_fields(without_end(text), &fields);
    if (!smpp_tlv_text(pdu, SMPP_TAG_RECEIPTED_MESSAGE_ID, &id) || id.n == 0)
        id = first_word(fields.values[FIELD_ID]);
    *ret = (struct smpp_receipt){
        .id = id,
        .stat = first_word(fields.values[FIELD_STAT]),
        .error = first_word(fields.values[FIELD_ERR]),
        .text = text,
    };
    ret->state = state_of(pdu, ret->stat);
    read_network_error(pdu, ret);
}

/* ---- what a delivery is ---- */

enum {
    ESM_RECEIPT = 0x04,
    ESM_SME_ACK = 0x08,
    ESM_USER_ACK = 0x10,
    ESM_NOTIFICATION = 0x20,
    ESM_UDHI = 0x40,
};

/* As much of a text as the fields of a receipt take, generously. */
enum { LOOKED_AT = 512 };

static struct str front_of_text(const struct smpp_pdu *pdu)
{
    struct str octets = pdu->short_message;
    struct udh_parts parts;

    if (octets.n == 0)
        smpp_tlv_find(pdu, SMPP_TAG_MESSAGE_PAYLOAD, &octets);
    if (pdu->esm_class & ESM_UDHI)
        udh_take(&octets, &parts);
    return octets.n > LOOKED_AT ? (struct str){octets.p, LOOKED_AT} : octets;
}

static bool reads_like_receipt(const struct smpp_pdu *pdu)
{
    int alphabet = smpp_text_alphabet(pdu->data_coding, SMPP_GSM);
    struct buf BUF_CLEANUP text;
    struct fields fields;

    buf_init(&text, (size_t)8 * LOOKED_AT);
    if (alphabet >= 0)
        smpp_text_decode((enum smpp_alphabet)alphabet, front_of_text(pdu), 0, &text);
    read_fields(buf_str(&text), &fields);
    return fields.values[FIELD_ID].n > 0 && fields.values[FIELD_STAT].n > 0;
}

static bool names_a_message(const struct smpp_pdu *pdu)
{
    struct str id;

    return smpp_tlv_text(pdu, SMPP_TAG_RECEIPTED_MESSAGE_ID, &id) && id.n > 0;
}

enum smpp_delivery smpp_delivery_kind(const struct smpp_pdu *pdu, bool by_content)
{
    if (pdu->esm_class & ESM_RECEIPT)
        return SMPP_RECEIPT;
    if (pdu->esm_class & ESM_NOTIFICATION)
        return SMPP_NOTIFICATION;
    if (pdu->esm_class & (ESM_SME_ACK | ESM_USER_ACK))
        return SMPP_USER_ACK;
    return by_content && (names_a_message(pdu) || reads_like_receipt(pdu)) ? SMPP_RECEIPT
                                                                           : SMPP_MESSAGE;
}
