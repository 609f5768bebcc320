/* SMPP: whatever a peer sends is either refused or read within its bounds; what is read can be
 * shown, and written in a form that is read and written the same for ever. */
#include "smpp/pdu.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_within(struct str bytes, struct str view)
{
    assert(view.n == 0 || (view.p >= bytes.p && view.p + view.n <= bytes.p + bytes.n));
}

static const uint16_t tags[] = {
#define X(name, tag, word, kind) tag,
#include "smpp/tlv.def"
#undef X
};

static void look_at(struct str bytes, const struct smpp_pdu *pdu)
{
    const struct str views[] = {pdu->system_id,     pdu->password,      pdu->service_type,
                                pdu->source.digits, pdu->short_message, pdu->destination.digits,
                                pdu->message_id,    pdu->opaque,        pdu->tlvs};
    struct str value = {0};
    uint32_t number;

    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        assert_within(bytes, views[i]);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (smpp_tlv_find(pdu, tags[i], &value))
            assert_within(pdu->tlvs, value);
        smpp_tlv_number(pdu, tags[i], &number);
        if (smpp_tlv_text(pdu, tags[i], &value))
            assert(value.n == 0 || !memchr(value.p, 0, value.n));
    }
}

static void show(const struct smpp_pdu *pdu)
{
    BUF_CLEANUP struct buf line;

    buf_init(&line, 1 << 20);
    smpp_print(pdu, &line);
    assert(!line.failed && line.n > 0 && !memchr(line.p, '\n', line.n));
}

static void read_one(struct str bytes)
{
    BUF_CLEANUP struct buf once, twice;
    struct smpp_pdu pdu, again;

    buf_init(&once, SMPP_PDU_MAX);
    buf_init(&twice, SMPP_PDU_MAX);
    int r = smpp_decode(bytes, &pdu);
    look_at(bytes, &pdu);
    show(&pdu);
    if (r < 0)
        return;
    assert(smpp_encode(&pdu, &once) == 0);
    assert(smpp_decode(buf_str(&once), &again) == 0);
    assert(smpp_encode(&again, &twice) == 0);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
}

static void read_stream(struct str bytes)
{
    size_t length;

    while (smpp_frame(bytes, &length) == 0 && length > 0) {
        read_one((struct str){bytes.p, length});
        bytes = str_skip(bytes, length);
    }
}

/* Fuzzers seldom guess a length: this is the same input with the right one. */
static void read_with_right_length(struct str bytes)
{
    char *copy = bytes.n >= SMPP_HEADER_SIZE && bytes.n <= SMPP_PDU_MAX ? malloc(bytes.n) : NULL;

    if (!copy)
        return;
    memcpy(copy, bytes.p, bytes.n);
    for (size_t i = 0; i < 4; i++)
        copy[i] = (char)(bytes.n >> (24 - 8 * i));
    read_one((struct str){copy, bytes.n});
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};

    read_stream(bytes);
    read_with_right_length(bytes);
    return 0;
}
