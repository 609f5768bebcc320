/* Texts from peers: any octets in any data_coding become UTF-8, and what can be written again in
 * the same alphabet is read as the same text. The first byte is the data_coding, the second the
 * carrier's alphabet and the bits before packed septets. */
#include "base/utf8.h"
#include "smpp/text.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 2, ALPHABETS = SMPP_UCS2 + 1, FILLS = 7, TEXT_MAX = 1 << 22 };

static void check_again(enum smpp_alphabet alphabet, struct str text, unsigned fill)
{
    BUF_CLEANUP struct buf octets, again;
    size_t units;

    buf_init(&octets, TEXT_MAX);
    buf_init(&again, TEXT_MAX);
    if (!smpp_text_measure(alphabet, text, &units) ||
        smpp_text_ends_like_filling(alphabet, text, fill))
        return;
    assert(smpp_text_encode(alphabet, text, fill, &octets));
    smpp_text_decode(alphabet, buf_str(&octets), fill, &again);
    assert(str_eq(buf_str(&again), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    BUF_CLEANUP struct buf text;

    buf_init(&text, TEXT_MAX);
    if (size < HEAD)
        return 0;
    int alphabet = smpp_text_alphabet(data[0], (enum smpp_alphabet)(data[1] % ALPHABETS));
    unsigned fill = data[1] / ALPHABETS % FILLS;
    struct str octets = {(const char *)data + HEAD, size - HEAD};
    if (alphabet < 0)
        return 0;
    smpp_text_decode((enum smpp_alphabet)alphabet, octets, fill, &text);
    assert(text.failed || utf8_valid(buf_str(&text)));
    check_again((enum smpp_alphabet)alphabet, buf_str(&text), fill);
    return 0;
}
