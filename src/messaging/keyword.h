/* What a handset asks for with a single word, "STOP" or "START". */
#pragma once

#include "base/str.h"

enum keyword_wish { KEYWORD_NONE, KEYWORD_OPT_OUT, KEYWORD_OPT_IN, KEYWORD_HELP };

struct keyword {
    const char *word;
    enum keyword_wish wish;
};

/* Of a whole text, whatever its case and the space around it. Never NULL: a text that is no keyword
 * has KEYWORD_NONE. */
const struct keyword *keyword_find(struct str text);
