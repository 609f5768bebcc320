/* What encoding, decoding and printing of PDUs share: the table of commands as data. */
#pragma once

#include "smpp/pdu.h"

#include <endian.h>

enum smpp_field_type {
    SMPP_FIELD_U8,
    SMPP_FIELD_TEXT,
    SMPP_FIELD_SECRET,
    SMPP_FIELD_ADDRESS,
    SMPP_FIELD_BYTES,
    SMPP_FIELD_REST,
};

struct smpp_field {
    const char *name;
    uint16_t offset; /* in struct smpp_pdu */
    uint8_t type;    /* enum smpp_field_type */
    uint8_t max;     /* of a text, with its NUL */
};

struct smpp_layout {
    const char *name;
    const struct smpp_field *fields;
    size_t count;
};

/* NULL when the command is not in the table. */
const struct smpp_layout *smpp_layout_of(uint32_t command);

/* ---- optional parameters ---- */

enum { SMPP_TLV_HEADER_SIZE = 4 };

/* Cuts the first parameter off the front of `rest`. False when there is no whole one: all that is
 * left is in `rest`. */
bool smpp_tlv_next(struct str *rest, uint16_t *ret_tag, struct str *ret_value);
bool smpp_tlv_to_number(struct str value, uint32_t *ret);
struct str smpp_tlv_to_text(struct str value);

static inline bool smpp_is_refusal(const struct smpp_pdu *pdu)
{
    return (pdu->command & SMPP_RESPONSE) && pdu->status != 0;
}

static inline uint16_t smpp_get_u16(const char *at)
{
    uint16_t value;

    memcpy(&value, at, sizeof value);
    return be16toh(value);
}

static inline uint32_t smpp_get_u32(const char *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return be32toh(value);
}

static inline char *smpp_set_u16(char *at, uint16_t value)
{
    value = htobe16(value);
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}

static inline char *smpp_set_u32(char *at, uint32_t value)
{
    value = htobe32(value);
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}
