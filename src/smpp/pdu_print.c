/* A PDU as one line. It may go to a log: no password, no text of a message, no whole phone number.
 */
#include "base/log.h"
#include "smpp/pdu_internal.h"

#include <ctype.h>

enum tlv_kind { NUMBER, TEXT, BYTES };

static const struct tlv_row {
    uint16_t tag;
    uint8_t kind;
    const char *name;
} tlv_rows[] = {
#define X(name, tag, word, kind) {tag, kind, #word},
#include "smpp/tlv.def"
#undef X
};

/* What a peer wrote must not steer a terminal, nor end the line. */
static void print_text(struct buf *out, struct str text)
{
    buf_add_char(out, '\'');
    for (size_t i = 0; i < text.n; i++)
        buf_add_char(out, isprint((unsigned char)text.p[i]) ? text.p[i] : '?');
    buf_add_char(out, '\'');
}

enum { SHORT_MAX = 6 };

/* Names and short numbers whole. */
static void print_address(struct buf *out, const struct smpp_address *address)
{
    char shown[LOG_NUMBER_SIZE];
    size_t digits = 0;

    for (size_t i = 0; i < address->digits.n; i++)
        digits += isdigit((unsigned char)address->digits.p[i]) != 0;
    buf_printf(out, "%u/%u ", address->ton, address->npi);
    print_text(out,
               digits <= SHORT_MAX ? address->digits : str_of(log_number(address->digits, shown)));
}

static void print_size(struct buf *out, struct str bytes)
{
    buf_printf(out, "%zu byte%s", bytes.n, bytes.n == 1 ? "" : "s");
}

static bool is_empty(const struct smpp_field *field, const void *value)
{
    const struct str *text = value;

    return field->type == SMPP_FIELD_U8        ? *(const uint8_t *)value == 0
           : field->type == SMPP_FIELD_ADDRESS ? ((const struct smpp_address *)value)->digits.n == 0
                                               : text->n == 0;
}

static void print_field(struct buf *out, const struct smpp_field *field, const void *value)
{
    if (is_empty(field, value))
        return;
    buf_printf(out, ", %s ", field->name);
    switch ((enum smpp_field_type)field->type) {
    case SMPP_FIELD_U8:
        buf_printf(out, "0x%02x", *(const uint8_t *)value);
        break;
    case SMPP_FIELD_TEXT:
        print_text(out, *(const struct str *)value);
        break;
    case SMPP_FIELD_SECRET:
        buf_text(out, "***");
        break;
    case SMPP_FIELD_ADDRESS:
        print_address(out, value);
        break;
    case SMPP_FIELD_BYTES:
    case SMPP_FIELD_REST:
        print_size(out, *(const struct str *)value);
        break;
    }
}

static const struct tlv_row *tlv_row_of(uint16_t tag)
{
    for (size_t i = 0; i < sizeof tlv_rows / sizeof *tlv_rows; i++)
        if (tlv_rows[i].tag == tag)
            return &tlv_rows[i];
    return NULL;
}

static void print_tlv(struct buf *out, uint16_t tag, struct str value)
{
    const struct tlv_row *row = tlv_row_of(tag);
    uint32_t number;

    if (row)
        buf_printf(out, ", %s ", row->name);
    else
        buf_printf(out, ", tlv 0x%04x ", tag);
    if (row && row->kind == NUMBER && smpp_tlv_to_number(value, &number))
        buf_add_i64(out, number);
    else if (row && row->kind == TEXT)
        print_text(out, smpp_tlv_to_text(value));
    else
        print_size(out, value);
}

static void print_header(struct buf *out, const struct smpp_pdu *pdu, const char *name)
{
    const char *status = smpp_status_name(pdu->status);

    if (name)
        buf_text(out, name);
    else
        buf_printf(out, "command 0x%08x", pdu->command);
    buf_printf(out, " #%u", pdu->sequence);
    if (pdu->status != 0 || (pdu->command & SMPP_RESPONSE))
        buf_printf(out, ", status 0x%x%s%s", pdu->status, status ? " " : "", status ? status : "");
}

void smpp_print(const struct smpp_pdu *pdu, struct buf *out)
{
    const struct smpp_layout *layout = smpp_layout_of(pdu->command);
    struct str rest = pdu->tlvs, value;
    uint16_t tag;

    print_header(out, pdu, layout ? layout->name : NULL);
    for (size_t i = 0; layout && i < layout->count; i++)
        print_field(out, &layout->fields[i], (const char *)pdu + layout->fields[i].offset);
    while (smpp_tlv_next(&rest, &tag, &value))
        print_tlv(out, tag, value);
}
