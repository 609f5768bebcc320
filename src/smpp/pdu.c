/* Fields are read and written by the table; no command has code of its own. */
#include "smpp/pdu_internal.h"

#include <errno.h>

/* ---- the table ---- */

enum row {
    ROW_NONE,
#define X(command, name, fields) ROW_##name,
#include "smpp/pdu.def"
#undef X
};

#define FIELD(member, type, max)                                                                   \
    {#member, offsetof(struct smpp_pdu, member), SMPP_FIELD_##type, max},
#define U8(member)           FIELD(member, U8, 0)
#define TEXT(member, max)    FIELD(member, TEXT, max)
#define SECRET(member, max)  FIELD(member, SECRET, max)
#define ADDRESS(member, max) FIELD(member, ADDRESS, max)
#define BYTES(member)        FIELD(member, BYTES, 0)
#define REST(member)         FIELD(member, REST, 0)

#define X(command, name, fields) static const struct smpp_field name##_fields[] = {fields};
#include "smpp/pdu.def"
#undef X

static const struct smpp_layout layouts[] = {
#define X(command, name, fields)                                                                   \
    [ROW_##name] = {#name, name##_fields, sizeof name##_fields / sizeof *name##_fields},
#include "smpp/pdu.def"
#undef X
};

enum { NUMBER_MAX = SMPP_CANCEL_BROADCAST_SM };

/* The row of a command: requests by their number, responses by that of their request. */
static const uint8_t rows[2][NUMBER_MAX + 1] = {
#define X(command, name, fields)                                                                   \
    [((command)&SMPP_RESPONSE) != 0][(command) & ~SMPP_RESPONSE] = ROW_##name,
#include "smpp/pdu.def"
#undef X
};

const struct smpp_layout *smpp_layout_of(uint32_t command)
{
    uint32_t number = command & ~SMPP_RESPONSE;
    uint8_t row = number <= NUMBER_MAX ? rows[command >> 31][number] : ROW_NONE;

    return row == ROW_NONE ? NULL : &layouts[row];
}

const char *smpp_command_name(uint32_t command)
{
    const struct smpp_layout *layout = smpp_layout_of(command);

    return layout ? layout->name : NULL;
}

static const void *member(const struct smpp_pdu *pdu, const struct smpp_field *field)
{
    return (const char *)pdu + field->offset;
}

/* ---- decoding ---- */

int smpp_frame(struct str bytes, size_t *ret_length)
{
    *ret_length = 0;
    if (bytes.n < sizeof(uint32_t))
        return 0;
    uint32_t length = smpp_get_u32(bytes.p);
    if (length < SMPP_HEADER_SIZE || length > SMPP_PDU_MAX)
        return -EBADMSG;
    if (length <= bytes.n)
        *ret_length = length;
    return 0;
}

static bool take_u8(struct str *rest, uint8_t *ret)
{
    if (rest->n == 0)
        return false;
    *ret = (uint8_t)rest->p[0];
    rest->p++;
    rest->n--;
    return true;
}

static bool take_bytes(struct str *rest, size_t n, struct str *ret)
{
    if (n > rest->n)
        return false;
    *ret = (struct str){rest->p, n};
    rest->p += n;
    rest->n -= n;
    return true;
}

static bool take_text(struct str *rest, size_t max, struct str *ret)
{
    size_t room = rest->n < max ? rest->n : max;
    const char *end = room ? memchr(rest->p, 0, room) : NULL;

    if (!end)
        return false;
    take_bytes(rest, (size_t)(end - rest->p), ret);
    rest->p++;
    rest->n--;
    return true;
}

static bool take_address(struct str *rest, size_t max, struct smpp_address *ret)
{
    return take_u8(rest, &ret->ton) && take_u8(rest, &ret->npi) &&
           take_text(rest, max, &ret->digits);
}

static bool take_field(struct str *rest, const struct smpp_field *field, void *ret)
{
    uint8_t length;

    switch ((enum smpp_field_type)field->type) {
    case SMPP_FIELD_U8:
        return take_u8(rest, ret);
    case SMPP_FIELD_TEXT:
    case SMPP_FIELD_SECRET:
        return take_text(rest, field->max, ret);
    case SMPP_FIELD_ADDRESS:
        return take_address(rest, field->max, ret);
    case SMPP_FIELD_BYTES:
        return take_u8(rest, &length) && take_bytes(rest, length, ret);
    case SMPP_FIELD_REST:
        return take_bytes(rest, rest->n, ret);
    }
    return false;
}

/* The whole parameters at the front of `rest`; too few bytes for another one do no harm. */
static bool take_tlvs(struct str rest, struct str *ret)
{
    const char *begin = rest.p;
    struct str value;
    uint16_t tag;

    while (smpp_tlv_next(&rest, &tag, &value))
        ;
    *ret = (struct str){begin, (size_t)(rest.p - begin)};
    return rest.n < SMPP_TLV_HEADER_SIZE;
}

static bool decode_body(const struct smpp_layout *layout, struct str body, struct smpp_pdu *ret)
{
    const struct smpp_field *end = layout->fields + layout->count;

    for (const struct smpp_field *field = layout->fields; field < end; field++)
        if (!take_field(&body, field, (char *)ret + field->offset))
            return false;
    return take_tlvs(body, &ret->tlvs);
}

int smpp_decode(struct str bytes, struct smpp_pdu *ret)
{
    *ret = (struct smpp_pdu){0};
    if (bytes.n < SMPP_HEADER_SIZE)
        return -EBADMSG;
    const struct smpp_pdu header = {
        .command = smpp_get_u32(bytes.p + 4),
        .status = smpp_get_u32(bytes.p + 8),
        .sequence = smpp_get_u32(bytes.p + 12),
    };
    const struct smpp_layout *layout = smpp_layout_of(header.command);

    *ret = header;
    if (smpp_get_u32(bytes.p) != bytes.n)
        return -EBADMSG;
    if (!layout)
        return -ENOTSUP;
    struct str body = {bytes.p + SMPP_HEADER_SIZE, bytes.n - SMPP_HEADER_SIZE};
    if (body.n == 0 && (header.command & SMPP_RESPONSE))
        return 0;
    ret->has_body = true;
    if (decode_body(layout, body, ret))
        return 0;
    *ret = header;
    return smpp_is_refusal(&header) ? 0 : -EBADMSG;
}

/* ---- encoding ---- */

static int size_of_text(struct str text, size_t max, size_t *size)
{
    if (text.n >= max || (text.n && memchr(text.p, 0, text.n)))
        return -EINVAL;
    *size += text.n + 1;
    return 0;
}

static int size_of_field(const struct smpp_field *field, const void *value, size_t *size)
{
    const struct smpp_address *address = value;
    const struct str *text = value;

    switch ((enum smpp_field_type)field->type) {
    case SMPP_FIELD_U8:
        *size += 1;
        return 0;
    case SMPP_FIELD_TEXT:
    case SMPP_FIELD_SECRET:
        return size_of_text(*text, field->max, size);
    case SMPP_FIELD_ADDRESS:
        *size += 2;
        return size_of_text(address->digits, field->max, size);
    case SMPP_FIELD_BYTES:
        *size += 1 + text->n;
        return text->n <= UINT8_MAX ? 0 : -EINVAL;
    case SMPP_FIELD_REST:
        *size += text->n;
        return 0;
    }
    return -EINVAL;
}

/* Of the body. */
static int size_of(const struct smpp_layout *layout, const struct smpp_pdu *pdu, size_t *ret)
{
    struct str tlvs;

    *ret = 0;
    for (size_t i = 0; i < layout->count; i++) {
        const struct smpp_field *field = &layout->fields[i];
        if (size_of_field(field, member(pdu, field), ret) < 0)
            return -EINVAL;
    }
    *ret += pdu->tlvs.n;
    if (!take_tlvs(pdu->tlvs, &tlvs) || tlvs.n != pdu->tlvs.n)
        return -EINVAL;
    return *ret <= SMPP_PDU_MAX - SMPP_HEADER_SIZE ? 0 : -EINVAL;
}

static char *put_bytes(char *at, struct str bytes)
{
    if (bytes.n)
        memcpy(at, bytes.p, bytes.n);
    return at + bytes.n;
}

static char *put_text(char *at, struct str text)
{
    at = put_bytes(at, text);
    *at = 0;
    return at + 1;
}

static char *put_field(char *at, const struct smpp_field *field, const void *value)
{
    const struct smpp_address *address = value;
    const struct str *text = value;

    switch ((enum smpp_field_type)field->type) {
    case SMPP_FIELD_U8:
        *at = *(const char *)value;
        return at + 1;
    case SMPP_FIELD_TEXT:
    case SMPP_FIELD_SECRET:
        return put_text(at, *text);
    case SMPP_FIELD_ADDRESS:
        at[0] = (char)address->ton;
        at[1] = (char)address->npi;
        return put_text(at + 2, address->digits);
    case SMPP_FIELD_BYTES:
        *at = (char)text->n;
        return put_bytes(at + 1, *text);
    case SMPP_FIELD_REST:
        return put_bytes(at, *text);
    }
    return at;
}

int smpp_encode(const struct smpp_pdu *pdu, struct buf *out)
{
    const struct smpp_layout *layout = smpp_layout_of(pdu->command);
    bool bare = smpp_is_refusal(pdu);
    size_t size = 0;

    if (!layout)
        return -ENOTSUP;
    if (!bare && size_of(layout, pdu, &size) < 0)
        return -EINVAL;
    size += SMPP_HEADER_SIZE;
    char *at = buf_reserve(out, size);
    if (!at)
        return -ENOMEM;
    at = smpp_set_u32(at, (uint32_t)size);
    at = smpp_set_u32(at, pdu->command);
    at = smpp_set_u32(at, pdu->status);
    at = smpp_set_u32(at, pdu->sequence);
    for (size_t i = 0; !bare && i < layout->count; i++)
        at = put_field(at, &layout->fields[i], member(pdu, &layout->fields[i]));
    if (!bare)
        put_bytes(at, pdu->tlvs);
    out->n += size;
    return 0;
}
