/* What is read out of the text of a message: whatever the bytes, a code consists of digits of the
 * text in their order, and a keyword is the whole of it. */
#include "messaging/code.h"
#include "messaging/keyword.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether the digits stand in the text, with at most one byte between two of them. */
static bool stands_at(struct str text, const char *digits)
{
    size_t gaps = 0;

    while (*digits && text.n) {
        if (text.p[0] == *digits)
            digits++;
        else if (++gaps > 1)
            return false;
        text = str_skip(text, 1);
    }
    return !*digits;
}

static bool stands_in(struct str text, const char *digits)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == digits[0] && stands_at(str_skip(text, i), digits))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    const struct keyword *word = keyword_find(text);
    struct code code;

    assert((word->wish == KEYWORD_NONE) == (word->word[0] == '\0'));
    assert(word->wish == KEYWORD_NONE || str_eq_nocase(str_trim(text), str_of(word->word)));
    if (!code_find(text, &code))
        return 0;
    size_t n = strlen(code.digits);
    assert(n >= CODE_DIGITS_MIN && n <= CODE_DIGITS_MAX);
    assert(strspn(code.digits, "0123456789") == n);
    assert(stands_in(text, code.digits));
    return 0;
}
