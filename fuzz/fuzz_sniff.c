/* The first bytes of a media file, behind a line that stands for its Content-Type: only these bytes
 * count, a web page is never text, and what is text is called so by its server. */
#include "media/sniff.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str head = {(const char *)data, size}, said = str_cut(&head, '\n');

    if (!head.p)
        head = STR("");
    struct sniffed s = sniff(head, said);
    assert(s.kind <= MEDIA_TEXT && strlen(media_type_of(s.kind)) <= MEDIA_TYPE_MAX);
    if (head.n > SNIFF_BYTES) {
        struct sniffed same = sniff((struct str){head.p, SNIFF_BYTES}, said);
        assert(same.verdict == s.verdict && same.kind == s.kind);
    }
    if (s.verdict == SNIFF_KNOWN && s.kind >= MEDIA_VCARD) {
        assert(str_starts_nocase(media_type_said(said), STR("text/")));
        assert(!str_eq_nocase(media_type_said(said), STR("text/html")));
        assert(!str_starts_nocase(head, STR("<html")));
        assert(!memchr(head.p, '\0', head.n < SNIFF_BYTES ? head.n : SNIFF_BYTES));
    }
    return 0;
}
