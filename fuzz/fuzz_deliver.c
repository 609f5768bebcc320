/* What carriers deliver: any PDU that can be read becomes a receipt or a message, and whatever of
 * it is kept or shown is UTF-8. The first byte chooses the carrier's settings. */
#include "base/utf8.h"
#include "carriers/smpp_deliver.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_receipt(const struct carrier_receipt *r)
{
    assert(r->id_count <= SMPP_ID_WAYS);
    for (size_t i = 0; i < r->id_count; i++)
        assert(r->ids[i].n > 0 && utf8_valid(r->ids[i]));
    assert((r->word == RECEIPT_FAILED) == (r->failure != FAILURE_NONE));
    assert(utf8_valid(r->source) && utf8_valid(r->destination));
    assert(utf8_valid(r->raw) && utf8_valid(r->detail) && r->detail.n > 0);
}

static void check_arrival(const struct arrival *a)
{
    assert(utf8_valid(a->from) && utf8_valid(a->to) && utf8_valid(a->text));
    assert(a->total == 0 || (a->number >= 1 && a->number <= a->total));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct smpp_delivered delivered = {0};
    struct smpp_pdu pdu;

    if (size < 1)
        return 0;
    struct smpp_settings settings = {.ids = data[0] & 3, .receipts_by_content = data[0] >> 2 & 1};
    settings.manner.alphabet = (enum smpp_alphabet)((data[0] >> 3) % (SMPP_UCS2 + 1));
    if (smpp_decode((struct str){(const char *)data + 1, size - 1}, &pdu) < 0)
        return 0;
    smpp_delivered_init(&delivered);
    if (smpp_deliver_read(&delivered, &settings, 1, &pdu)) {
        if (delivered.is_receipt)
            check_receipt(&delivered.receipt);
        else
            check_arrival(&delivered.arrival);
    }
    smpp_delivered_done(&delivered);
    return 0;
}
