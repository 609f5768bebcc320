#include "messaging/check.h"

#include "base/utf8.h"
#include "messaging/number.h"

enum { ECHO_MAX = 32 };

/* What the client wrote, so that it finds it again; cut short, and only if it can be printed. */
bool check_number(struct str number, const char *field, struct arena *a, struct problem *problem)
{
    if (number_valid(number))
        return true;
    struct str shown = utf8_shown(number, ECHO_MAX);
    return problem_set(problem, PROBLEM_INVALID_PHONE_NUMBER, field,
                       arena_printf(a,
                                    "The number '%.*s%s' is not in international format; write + "
                                    "and 7 to 15 digits, for example +15551234567.",
                                    STR_FMT(shown), shown.n < number.n ? "…" : ""));
}

bool check_text(struct str text, bool has_media, struct arena *a, struct problem *problem)
{
    if (text.n == 0 && !has_media)
        return problem_set(problem, PROBLEM_TEXT_REQUIRED, "text",
                           "The text is empty; an empty text is allowed only with mediaUrls.");
    if (!utf8_valid(text))
        return problem_set(problem, PROBLEM_INVALID_PARAMETER, "text",
                           "The text is not valid UTF-8; encode it as UTF-8.");
    if (text.n > 0 && memchr(text.p, '\0', text.n))
        return problem_set(problem, PROBLEM_INVALID_PARAMETER, "text",
                           "The text contains a NUL character (U+0000); remove it.");
    if (text.n <= TEXT_MAX_POINTS)
        return true;
    size_t points = utf8_length(text);
    if (points <= TEXT_MAX_POINTS)
        return true;
    return problem_set(problem, PROBLEM_TEXT_TOO_LONG, "text",
                       arena_printf(a,
                                    "The text has %zu characters; at most %d are allowed. Shorten "
                                    "it or send several messages.",
                                    points, TEXT_MAX_POINTS));
}

bool check_has_control(struct str s)
{
    return utf8_shown(s, s.n).n < s.n;
}
