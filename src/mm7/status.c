#include "mm7/status.h"

static const struct {
    unsigned code;
    const char *text;
    struct mm7_verdict verdict;
} statuses[] = {
#define X(code, text, class, fail) {code, text, {MM7_CLASS_##class, MM7_FAIL_##fail}},
#include "mm7/status.def"
#undef X
};

enum { STATUS_COUNT = sizeof statuses / sizeof *statuses };

const char *mm7_status_text(unsigned code)
{
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (statuses[i].code == code)
            return statuses[i].text;
    return NULL;
}

/* The first digit says whose fault it is. */
static struct mm7_verdict by_thousands(unsigned code)
{
    switch (code / 1000) {
    case 1:
        return (struct mm7_verdict){MM7_CLASS_OK, MM7_FAIL_NONE};
    case 3:
    case 4:
        return (struct mm7_verdict){MM7_CLASS_PERMANENT, MM7_FAIL_CARRIER};
    }
    return (struct mm7_verdict){MM7_CLASS_PERMANENT, MM7_FAIL_REFUSED};
}

struct mm7_verdict mm7_status_verdict(unsigned code)
{
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (statuses[i].code == code)
            return statuses[i].verdict;
    return by_thousands(code);
}

/* ---- MMStatus ---- */

static const char *const mm_words[] = {
#define X(name, word) word,
    MM7_MM_STATUSES(X)
#undef X
};

enum mm7_mm_status mm7_mm_status_of(struct str word)
{
    for (int i = 0; i < MM7_MM_STRANGE; i++)
        if (str_eq_nocase(word, str_of(mm_words[i])))
            return (enum mm7_mm_status)i;
    if (str_eq_nocase(word, STR("Unrecognized")))
        return MM7_MM_UNRECOGNISED;
    return MM7_MM_STRANGE;
}

const char *mm7_mm_status_word(enum mm7_mm_status status)
{
    return mm_words[status];
}
