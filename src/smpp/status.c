#include "smpp/status.h"

#include "smpp/pdu.h"

#include <ctype.h>

static const struct {
    uint32_t code;
    const char *name;
    struct smpp_verdict verdict;
} statuses[] = {
#define X(code, name, class, blame) {code, #name, {SMPP_CLASS_##class, SMPP_BLAME_##blame}},
#include "smpp/status.def"
#undef X
};

enum { STATUS_COUNT = sizeof statuses / sizeof *statuses };

const char *smpp_status_name(uint32_t status)
{
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (statuses[i].code == status)
            return statuses[i].name;
    return NULL;
}

struct smpp_verdict smpp_status_verdict(uint32_t status, const struct smpp_exceptions *own)
{
    for (size_t i = 0; own && i < own->count; i++)
        if (status >= own->list[i].first && status <= own->list[i].last)
            return own->list[i].verdict;
    for (size_t i = 0; i < STATUS_COUNT; i++)
        if (statuses[i].code == status)
            return statuses[i].verdict;
    return (struct smpp_verdict){SMPP_CLASS_UNKNOWN, SMPP_BLAME_MESSAGE};
}

/* ---- exceptions ---- */

static const char *const class_words[] = {
#define X(name, word) word,
    SMPP_CLASSES(X)
#undef X
};

static const char *const blame_words[] = {
#define X(name, word) word,
    SMPP_BLAMES(X)
#undef X
};

/* The place of a word in a list, from `first` on; -1. */
static int word_of(struct str word, const char *const *words, int first, size_t count)
{
    for (int i = first; i < (int)count; i++)
        if (str_is(word, words[i]))
            return i;
    return -1;
}

static bool read_code(struct str text, uint32_t *ret)
{
    uint64_t code = 0;

    if (!str_starts_nocase(text, STR("0x"))) {
        if (!str_to_u64(text, &code) || code > UINT32_MAX)
            return false;
        *ret = (uint32_t)code;
        return true;
    }
    text = str_skip(text, 2);
    if (text.n == 0 || text.n > 8)
        return false;
    for (size_t i = 0; i < text.n; i++) {
        int digit = hex_value(text.p[i]);
        if (digit < 0)
            return false;
        code = code << 4 | (unsigned)digit;
    }
    *ret = (uint32_t)code;
    return true;
}

static const char *read_codes(struct str text, struct smpp_exception *ret)
{
    struct str first = str_cut(&text, '-');

    if (!read_code(first, &ret->first))
        return "the status must be a number like 0x45, or two like 0x400-0x4ff";
    ret->last = ret->first;
    if (text.p && !read_code(text, &ret->last))
        return "the last status must be a number like 0x4ff";
    if (ret->first == 0)
        return "status 0 is success and cannot be an exception";
    if (ret->last < ret->first)
        return "the last status is below the first one";
    return NULL;
}

/* Faults of a message itself are permanent, or nobody's yet; all else is the carrier's. */
static enum smpp_blame usual_blame(enum smpp_class class)
{
    return class == SMPP_CLASS_PERMANENT || class == SMPP_CLASS_UNKNOWN ? SMPP_BLAME_MESSAGE
                                                                        : SMPP_BLAME_CARRIER;
}

static const char *read_verdict(struct str text, struct smpp_verdict *ret)
{
    struct str word = str_cut(&text, ':');
    int class = word_of(word, class_words, SMPP_CLASS_OK + 1, sizeof class_words / sizeof(char *));

    if (class < 0)
        return "write =temporary, =throttled, =permanent, =unknown or =session behind the status";
    ret->class = (enum smpp_class) class;
    ret->blame = usual_blame(ret->class);
    if (!text.p)
        return NULL;
    int blame = word_of(text, blame_words, 0, sizeof blame_words / sizeof(char *));
    if (blame < 0)
        return "behind the colon write message, recipient, sender, blocked, spam or carrier";
    ret->blame = (enum smpp_blame)blame;
    return NULL;
}

static const char *read_exception(struct str text, struct smpp_exceptions *list)
{
    struct smpp_exception exception;
    struct str codes = str_cut(&text, '=');
    const char *fault = read_codes(codes, &exception);

    if (!fault)
        fault = read_verdict(text, &exception.verdict);
    if (!fault && list->count == SMPP_EXCEPTIONS_MAX)
        fault = "there are too many exceptions; at most 32 are allowed";
    if (!fault)
        list->list[list->count++] = exception;
    return fault;
}

/* Cuts the first word off the front of a text that has one there. */
static struct str take_word(struct str *rest)
{
    struct str word = {rest->p, 0};

    while (word.n < rest->n && !isspace((unsigned char)rest->p[word.n]))
        word.n++;
    *rest = str_trim(str_skip(*rest, word.n));
    return word;
}

bool smpp_exceptions_read(struct str text, struct smpp_exceptions *ret, char *why, size_t why_size)
{
    struct smpp_exceptions list = {.count = 0};
    struct str rest = str_trim(text);

    while (rest.n > 0) {
        struct str one = take_word(&rest);
        const char *fault = read_exception(one, &list);
        if (fault) {
            str_format(why, why_size, "'%.*s': %s.", STR_FMT(one), fault);
            return false;
        }
    }
    *ret = list;
    return true;
}
