/* SMPP protocol data units, by one table of commands and fields (pdu.def) and one of optional
 * parameters (tlv.def). Decoding makes views of the bytes and copies nothing; encoding appends to a
 * buffer. Pure: no socket, no clock. */
#pragma once

#include "base/buf.h"

enum { SMPP_HEADER_SIZE = 16, SMPP_PDU_MAX = (64 << 10) + SMPP_HEADER_SIZE };

#define SMPP_RESPONSE UINT32_C(0x80000000) /* added to a request's command: its response */

enum smpp_command {
    SMPP_BIND_RECEIVER = 0x01,
    SMPP_BIND_TRANSMITTER = 0x02,
    SMPP_QUERY_SM = 0x03,
    SMPP_SUBMIT_SM = 0x04,
    SMPP_DELIVER_SM = 0x05,
    SMPP_UNBIND = 0x06,
    SMPP_REPLACE_SM = 0x07,
    SMPP_CANCEL_SM = 0x08,
    SMPP_BIND_TRANSCEIVER = 0x09,
    SMPP_OUTBIND = 0x0b,
    SMPP_ENQUIRE_LINK = 0x15,
    SMPP_SUBMIT_MULTI = 0x21,
    SMPP_ALERT_NOTIFICATION = 0x102,
    SMPP_DATA_SM = 0x103,
    SMPP_BROADCAST_SM = 0x111,
    SMPP_QUERY_BROADCAST_SM = 0x112,
    SMPP_CANCEL_BROADCAST_SM = 0x113,
};
#define SMPP_GENERIC_NACK SMPP_RESPONSE

struct smpp_address {
    uint8_t ton, npi;
    struct str digits; /* at most 20, or up to 11 letters */
};

/* All fields that any command has; those that are not of the command that was read are empty. Texts
 * are without their NUL. */
struct smpp_pdu {
    uint32_t command, status, sequence;
    bool has_body; /* when read: refusals often come without, and some other responses */

    struct str system_id, password, system_type, address_range;
    uint8_t interface_version, addr_ton, addr_npi;

    struct str service_type;
    struct smpp_address source, destination;
    uint8_t esm_class, protocol_id, priority;
    struct str schedule_time, validity;
    uint8_t registered_delivery, replace_if_present, data_coding, default_message;
    struct str short_message; /* bytes, up to 255 */

    struct str message_id, final_date;
    uint8_t message_state, error_code;

    struct str opaque; /* all of submit_multi, which nobody here reads */

    struct str tlvs; /* optional parameters as they are on the wire */
};

/* How long the PDU at the front is: 0 = cannot be told yet, or not all of it is there;
 * -EBADMSG when the length is below 16 or above SMPP_PDU_MAX: nothing can be read any more. */
int smpp_frame(struct str bytes, size_t *ret_length);
/* One whole PDU. -ENOTSUP: the command is not in the table; the header is read. -EBADMSG: the body
 * breaks its own bounds; the header is read. Views live as long as the bytes. Lenient where it does
 * no harm: responses may end behind the header; of a refusal whose body is broken only the header
 * counts; one to three bytes behind the last parameter are passed over. */
int smpp_decode(struct str bytes, struct smpp_pdu *ret);
/* Appends the PDU, its length first. -EINVAL when a field is too long or holds a NUL, -ENOTSUP when
 * the command is not in the table; then nothing is appended. A refused response (status not 0) has
 * no body. */
int smpp_encode(const struct smpp_pdu *pdu, struct buf *out);
/* One line for people, fit for the log: without passwords and texts, long numbers only in part. */
void smpp_print(const struct smpp_pdu *pdu, struct buf *out);

const char *smpp_command_name(uint32_t command); /* "submit_sm", or "0x…" is the caller's; NULL */
const char *smpp_status_name(uint32_t status);   /* "ESME_RTHROTTLED"; NULL when not in the table */

/* ---- optional parameters ---- */

enum smpp_tag {
#define X(name, tag, word, kind) SMPP_TAG_##name = (tag),
#include "smpp/tlv.def"
#undef X
};

/* False when it is not there. */
bool smpp_tlv_find(const struct smpp_pdu *pdu, uint16_t tag, struct str *ret);
/* Big endian, of 1, 2 or 4 bytes; false when it has another length. */
bool smpp_tlv_number(const struct smpp_pdu *pdu, uint16_t tag, uint32_t *ret);
/* With or without the NUL at its end. */
bool smpp_tlv_text(const struct smpp_pdu *pdu, uint16_t tag, struct str *ret);

/* For pdu.tlvs when encoding. A value of more than 65535 bytes makes the buffer fail. */
void smpp_tlv_put(struct buf *out, uint16_t tag, struct str value);
void smpp_tlv_put_u8(struct buf *out, uint16_t tag, uint8_t value);
void smpp_tlv_put_u16(struct buf *out, uint16_t tag, uint16_t value);
