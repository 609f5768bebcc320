#include "messaging/words.h"

#define X(name, number, word)                                                                      \
    case number:                                                                                   \
        return word;
#define WORDS_OF(function, type, table)                                                            \
    const char *function(enum type value)                                                          \
    {                                                                                              \
        switch ((int)value) {                                                                      \
            table(X)                                                                               \
        }                                                                                          \
        return "unknown";                                                                          \
    }

/* clang-format off */
WORDS_OF(status_word, message_status, MESSAGE_STATUSES)
WORDS_OF(number_type_word, number_type, NUMBER_TYPES)
WORDS_OF(coverage_word, coverage, COVERAGES)
WORDS_OF(reason_word, route_reason, ROUTE_REASONS)
WORDS_OF(encoding_word, encoding, ENCODINGS)
WORDS_OF(direction_word, direction, DIRECTIONS)
WORDS_OF(kind_word, message_kind, MESSAGE_KINDS)
WORDS_OF(message_type_word, message_type, MESSAGE_TYPES)
/* clang-format on */
#undef X

const char *mode_word(enum mode value)
{
    return value == MODE_LIVE ? "live" : "test";
}

const char *failure_code(enum failure value)
{
    switch ((int)value) {
    case FAILURE_NONE:
        return NULL;
#define X(name, number, code, text)                                                                \
    case number:                                                                                   \
        return code;
        FAILURES(X)
#undef X
    }
    return "unknown";
}

const char *failure_text(enum failure value)
{
    switch ((int)value) {
    case FAILURE_NONE:
        return NULL;
#define X(name, number, code, text)                                                                \
    case number:                                                                                   \
        return text;
        FAILURES(X)
#undef X
    }
    return failure_text(FAILURE_UNKNOWN);
}

struct word {
    const char *word;
    int value;
};

#define X(name, number, word) {word, number},
static const struct word statuses[] = {MESSAGE_STATUSES(X)};
static const struct word message_types[] = {MESSAGE_TYPES(X)};
#undef X

static bool value_of(const struct word *words, size_t count, struct str word, int *ret)
{
    for (size_t i = 0; i < count; i++)
        if (str_is(word, words[i].word)) {
            *ret = words[i].value;
            return true;
        }
    return false;
}

bool status_from_word(struct str word, enum message_status *ret)
{
    int value;

    if (!value_of(statuses, sizeof statuses / sizeof *statuses, word, &value))
        return false;
    *ret = (enum message_status)value;
    return true;
}

bool message_type_from_word(struct str word, enum message_type *ret)
{
    int value;

    if (!value_of(message_types, sizeof message_types / sizeof *message_types, word, &value))
        return false;
    *ret = (enum message_type)value;
    return true;
}

bool mode_from_word(struct str word, enum mode *ret)
{
    *ret = str_is(word, "live") ? MODE_LIVE : MODE_TEST;
    return *ret == MODE_LIVE || str_is(word, "test");
}
