#include "smpp/pdu_internal.h"

bool smpp_tlv_next(struct str *rest, uint16_t *ret_tag, struct str *ret_value)
{
    if (rest->n < SMPP_TLV_HEADER_SIZE)
        return false;
    size_t length = smpp_get_u16(rest->p + 2);
    if (length > rest->n - SMPP_TLV_HEADER_SIZE)
        return false;
    *ret_tag = smpp_get_u16(rest->p);
    *ret_value = (struct str){rest->p + SMPP_TLV_HEADER_SIZE, length};
    rest->p += SMPP_TLV_HEADER_SIZE + length;
    rest->n -= SMPP_TLV_HEADER_SIZE + length;
    return true;
}

bool smpp_tlv_find(const struct smpp_pdu *pdu, uint16_t tag, struct str *ret)
{
    struct str rest = pdu->tlvs, value;
    uint16_t at;

    while (smpp_tlv_next(&rest, &at, &value))
        if (at == tag) {
            *ret = value;
            return true;
        }
    return false;
}

bool smpp_tlv_to_number(struct str value, uint32_t *ret)
{
    switch (value.n) {
    case 1:
        *ret = (uint8_t)value.p[0];
        return true;
    case 2:
        *ret = smpp_get_u16(value.p);
        return true;
    case 4:
        *ret = smpp_get_u32(value.p);
        return true;
    default:
        return false;
    }
}

bool smpp_tlv_number(const struct smpp_pdu *pdu, uint16_t tag, uint32_t *ret)
{
    struct str value;

    return smpp_tlv_find(pdu, tag, &value) && smpp_tlv_to_number(value, ret);
}

struct str smpp_tlv_to_text(struct str value)
{
    return (struct str){value.p, strnlen(value.p, value.n)};
}

bool smpp_tlv_text(const struct smpp_pdu *pdu, uint16_t tag, struct str *ret)
{
    struct str value;

    if (!smpp_tlv_find(pdu, tag, &value))
        return false;
    *ret = smpp_tlv_to_text(value);
    return true;
}

void smpp_tlv_put(struct buf *out, uint16_t tag, struct str value)
{
    if (value.n > UINT16_MAX) {
        out->failed = true;
        return;
    }
    char *at = buf_reserve(out, SMPP_TLV_HEADER_SIZE + value.n);
    if (!at)
        return;
    at = smpp_set_u16(at, tag);
    at = smpp_set_u16(at, (uint16_t)value.n);
    if (value.n)
        memcpy(at, value.p, value.n);
    out->n += SMPP_TLV_HEADER_SIZE + value.n;
}

void smpp_tlv_put_u8(struct buf *out, uint16_t tag, uint8_t value)
{
    smpp_tlv_put(out, tag, (struct str){(const char *)&value, 1});
}

void smpp_tlv_put_u16(struct buf *out, uint16_t tag, uint16_t value)
{
    char bytes[2];

    smpp_set_u16(bytes, value);
    smpp_tlv_put(out, tag, (struct str){bytes, sizeof bytes});
}
