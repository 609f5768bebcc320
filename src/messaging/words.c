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
WORDS_OF(opt_out_source_word, opt_out_source, OPT_OUT_SOURCES)
WORDS_OF(carrier_state_word, carrier_state, CARRIER_STATES)
/* clang-format on */
#undef X

#define X(name, number, word)                                                                      \
    if (str_is(given, word)) {                                                                     \
        *ret = (number);                                                                           \
        return true;                                                                               \
    }
#define FROM_WORD(function, type, table)                                                           \
    bool function(struct str given, enum type *ret)                                                \
    {                                                                                              \
        table(X) return false;                                                                     \
    }

/* clang-format off */
FROM_WORD(message_type_from_word, message_type, MESSAGE_TYPES)
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

bool mode_from_word(struct str word, enum mode *ret)
{
    *ret = str_is(word, "live") ? MODE_LIVE : MODE_TEST;
    return *ret == MODE_LIVE || str_is(word, "test");
}
