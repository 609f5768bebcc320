/* Receipts: whatever a delivery says, what is read of it lies within it, and its id comes to a few
 * forms that are fit to be kept. The first two bytes are esm_class and data_coding, the third says
 * how many bytes of optional parameters follow; the rest is the text. */
#include "smpp/receipt.h"
#include "smpp/text.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 3, TEXT_MAX = 1 << 20 };

static bool lies_within(struct str bytes, struct str view)
{
    if (view.n == 0 || bytes.n == 0)
        return view.n == 0;
    return view.p >= bytes.p && view.p + view.n <= bytes.p + bytes.n;
}

static void check_ids(struct str id)
{
    struct smpp_id answer, ways[SMPP_ID_WAYS];

    for (enum smpp_id_form form = SMPP_ID_AUTO; form <= SMPP_ID_HEX_RECEIPT; form++) {
        smpp_id_of_answer(form, id, &answer);
        size_t count = smpp_id_of_receipt(form, id, ways);
        assert(count <= SMPP_ID_WAYS && (count > 0) == (answer.text[0] != '\0'));
        bool found = count == 0;
        for (size_t i = 0; i < count; i++) {
            struct smpp_id again;
            smpp_id_of_answer(form, str_of(ways[i].text), &again);
            assert(strcmp(again.text, ways[i].text) == 0);
            assert(ways[i].text[0] && strlen(ways[i].text) <= SMPP_ID_MAX);
            found |= strcmp(ways[i].text, answer.text) == 0;
        }
        assert(found); /* the same id on both sides is found in every form */
    }
}

static void check_receipt(const struct smpp_pdu *pdu, struct str text)
{
    struct smpp_receipt r;

    smpp_receipt_read(pdu, text, &r);
    assert(lies_within(text, r.id) || lies_within(pdu->tlvs, r.id));
    assert(lies_within(text, r.stat) && lies_within(text, r.error));
    assert(str_eq(r.text, text));
    assert(r.stat.n == 0 || r.state != SMPP_STATE_NONE);
    assert(r.network_error >= -1 && r.network_error <= 0xffff);
    assert(r.network_type >= -1 && r.network_type <= 0xff);
    check_ids(r.id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    BUF_CLEANUP struct buf text;
    struct str rest = {(const char *)data, size};

    buf_init(&text, TEXT_MAX);
    if (size < HEAD)
        return 0;
    rest = str_skip(rest, HEAD);
    struct smpp_pdu pdu = {.command = SMPP_DELIVER_SM,
                           .esm_class = data[0],
                           .data_coding = data[1],
                           .tlvs = {rest.p, data[2] < rest.n ? data[2] : rest.n}};
    pdu.short_message = str_skip(rest, pdu.tlvs.n);

    enum smpp_delivery strict = smpp_delivery_kind(&pdu, false);
    enum smpp_delivery loose = smpp_delivery_kind(&pdu, true);
    assert(strict == loose || (strict == SMPP_MESSAGE && loose == SMPP_RECEIPT));
    check_receipt(&pdu, pdu.short_message);
    int alphabet = smpp_text_alphabet(pdu.data_coding, SMPP_GSM);
    if (alphabet >= 0)
        smpp_text_decode((enum smpp_alphabet)alphabet, pdu.short_message, 0, &text);
    check_receipt(&pdu, buf_str(&text));
    return 0;
}
