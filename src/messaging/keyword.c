#include "messaging/keyword.h"

static const struct keyword keywords[] = {
#define X(word, wish) {word, KEYWORD_##wish},
#include "messaging/keywords.def"
#undef X
};

const struct keyword *keyword_find(struct str text)
{
    static const struct keyword none = {"", KEYWORD_NONE};

    text = str_trim(text);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (str_eq_nocase(text, str_of(keywords[i].word)))
            return &keywords[i];
    return &none;
}
