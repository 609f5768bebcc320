/* Reads a text as clusters: groups of digits that hang together by single joiners, "123-456",
 * "15/11/2026", "+1 800 555 1234". The shape of a cluster says which of its groups can be a code;
 * the characters and words around them say which are something else; the distance to a word like
 * "code" says which one is meant. */
#include "messaging/code.h"

#include <stdint.h>

enum {
    GROUPS_MAX = 4,   /* longer clusters are no codes, whatever they are */
    NEAR = 64,        /* bytes between a code and the word that announces it */
    FAR = 2 * NEAR,   /* no such word is near */
    WORDS_BACK = 2,   /* words in front of a number that may say what it is */
    TOKEN_BACK = 256, /* bytes back to the beginning of an address */
    WORD_MAX = 16
};

/* Announce a code. Each matches with letters in front of it, too, for "passcode" and
 * "Sicherheitscode", unless it is short and common inside other words. */
static const struct announcement {
    struct str word;
    bool whole;
} announcements[] = {
#define TAIL(text)                                                                                 \
    {                                                                                              \
        STR(text), false                                                                           \
    }
#define WHOLE(text)                                                                                \
    {                                                                                              \
        STR(text), true                                                                            \
    }
    TAIL("code"),     TAIL("codes"),    WHOLE("pin"),     WHOLE("otp"),         WHOLE("2fa"),
    TAIL("password"), TAIL("passwort"), TAIL("token"),    TAIL("verification"), WHOLE("verify"),
    WHOLE("codice"),  WHOLE("codigo"),  WHOLE("código"),  WHOLE("kod"),         WHOLE("kode"),
    WHOLE("koodi"),   TAIL("Код"),      TAIL("код"),      TAIL("пароль"),       TAIL("验证码"),
    TAIL("驗證碼"),   TAIL("コード"),   TAIL("인증번호"), TAIL("رمز"),
#undef TAIL
#undef WHOLE
};

/* Words in front of a number that is something else. */
static const char *const other_numbers[] = {
    "order",   "invoice", "ref",  "reference", "account", "acct",    "ticket",
    "booking", "room",    "gate", "postcode",  "zip",     "zipcode", "barcode",
    "flight",  "ending",  "ext",  "call",      "phone",   "tel",     "dial",
};

/* Words that may stand between. */
static const char *const fillers[] = {"number", "no", "nr", "id", "is", "in", "the"};

static const char *const currencies[] = {
    "usd", "eur", "gbp", "inr", "cad", "aud",     "chf",   "jpy",  "cny",
    "rs",  "kr",  "zl",  "sek", "nok", "dollars", "euros", "euro", "pounds",
};

static const struct str currency_signs[] = {STR("$"), STR("€"), STR("£"), STR("¥"), STR("₹")};

static const char *const months[] = {
    "jan",  "january", "feb",  "february", "mar",       "march", "apr",      "april",
    "may",  "jun",     "june", "jul",      "july",      "aug",   "august",   "sep",
    "sept", "october", "oct",  "nov",      "september", "dec",   "november", "december",
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* The byte at i, or a space outside of the text. */
static char at(struct str s, size_t i)
{
    return i < s.n ? s.p[i] : ' ';
}

static char before(struct str s, size_t i)
{
    return i > 0 ? s.p[i - 1] : ' ';
}

/* ---- words around a number ---- */

/* The letters that end at or before `end`, past anything but letters and digits; empty when a digit
 * comes first. Moves *end in front of them. */
static struct str word_before(struct str text, size_t *end)
{
    size_t to = *end, from;

    while (to > 0 && !is_letter(text.p[to - 1])) {
        if (is_digit(text.p[to - 1]) || to + WORD_MAX < *end)
            return (struct str){"", 0};
        to--;
    }
    for (from = to; from > 0 && is_letter(text.p[from - 1]) && to - from <= WORD_MAX;)
        from--;
    *end = from;
    return (struct str){text.p + from, to - from};
}

static struct str word_after(struct str text, size_t from)
{
    size_t to;

    if (at(text, from) == ' ')
        from++;
    for (to = from; is_letter(at(text, to)) && to - from <= WORD_MAX;)
        to++;
    return (struct str){to > from ? text.p + from : "", to - from};
}

static bool is_among(struct str word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(word, str_of(words[i])))
            return true;
    return false;
}

static bool announces(struct str word)
{
    for (size_t i = 0; i < COUNT(announcements); i++) {
        struct str tail = announcements[i].word;
        if (word.n >= tail.n && (!announcements[i].whole || word.n == tail.n) &&
            str_eq_nocase(str_skip(word, word.n - tail.n), tail))
            return true;
    }
    return false;
}

static bool is_year(struct str text, size_t from, size_t n)
{
    return n == 4 && (str_starts((struct str){text.p + from, n}, STR("19")) ||
                      str_starts((struct str){text.p + from, n}, STR("20")));
}

/* "order 48291", "account number is 48291", "ending in 4821", "15 November 2026". */
static bool is_named_otherwise(struct str text, size_t from, size_t n)
{
    size_t end = from;

    for (int i = 0; i < WORDS_BACK;) {
        struct str word = word_before(text, &end);
        if (word.n == 0)
            return false;
        if (is_among(word, other_numbers, COUNT(other_numbers)) ||
            (is_year(text, from, n) && is_among(word, months, COUNT(months))))
            return true;
        if (announces(word))
            return false;
        i += !is_among(word, fillers, COUNT(fillers));
    }
    return false;
}

static bool is_price(struct str text, size_t from, size_t to)
{
    size_t end = from, sign_end = from > 0 && text.p[from - 1] == ' ' ? from - 1 : from;
    struct str left = {text.p, sign_end}, right = str_skip(text, to + (at(text, to) == ' '));

    for (size_t i = 0; i < COUNT(currency_signs); i++) {
        struct str sign = currency_signs[i];
        if (str_starts(right, sign) ||
            (left.n >= sign.n && str_starts(str_skip(left, left.n - sign.n), sign)))
            return true;
    }
    return is_among(word_before(text, &end), currencies, COUNT(currencies)) ||
           is_among(word_after(text, to), currencies, COUNT(currencies));
}

/* Inside of https://example.com/123456. */
static bool is_in_address(struct str text, size_t from)
{
    for (size_t i = from, steps = 0; i > 0 && steps < TOKEN_BACK; i--, steps++) {
        struct str rest = {text.p + i - 1, text.n - i + 1};
        if (rest.p[0] == ' ' || rest.p[0] == '\n')
            return false;
        if (str_starts(rest, STR("://")) || str_starts_nocase(rest, STR("www.")))
            return true;
    }
    return false;
}

/* Stuck to something that makes it a piece of another thing. */
static bool is_stuck(struct str text, size_t from, size_t to)
{
    char left = before(text, from), right = at(text, to);

    if (is_letter(left) || is_letter(right) || is_one_of(left, "*+./@") || is_one_of(right, "%@/*"))
        return true;
    if (left == '-' && from > 1 && is_letter(text.p[from - 2])) /* G-123456, but not INV-123456 */
        return from > 2 && is_letter(text.p[from - 3]);
    return (right == '-' || right == '.') && is_letter(at(text, to + 1));
}

/* Bytes between the number and the nearest announcement; FAR when none is near. */
static unsigned distance(struct str text, size_t from, size_t to)
{
    size_t start = from > NEAR ? from - NEAR : 0, stop = to + NEAR < text.n ? to + NEAR : text.n;
    unsigned best = FAR;

    for (size_t i = start; i < stop; i++)
        for (size_t k = 0; k < COUNT(announcements); k++) {
            struct str word = announcements[k].word;
            size_t end = i + word.n;
            if (!str_starts_nocase(str_skip(text, i), word) || is_letter(at(text, end)) ||
                (announcements[k].whole && is_letter(before(text, i))))
                continue;
            size_t gap = end <= from ? from - end : i >= to ? i - to : NEAR;
            if (gap < best)
                best = (unsigned)gap;
        }
    return best;
}

/* ---- clusters ---- */

struct group {
    size_t from, to;
    char joiner; /* in front of it; of several, the one that is no space */
};

struct cluster {
    struct group groups[GROUPS_MAX];
    size_t count;  /* may be more than are kept */
    size_t digits; /* of all groups */
    bool spaced;   /* all joiners are spaces */
};

/* How many bytes join the digits before `i` to digits behind; 0: nothing does. */
static size_t joiner_size(struct str text, size_t i, char *ret)
{
    if (i >= text.n || !is_one_of(text.p[i], " -./:,()"))
        return 0;
    *ret = text.p[i];
    if (is_digit(at(text, i + 1)))
        return 1;
    /* (800) 555, 1 (800 */
    bool bracket = (*ret == ')' && is_one_of(at(text, i + 1), " -")) ||
                   (*ret == ' ' && at(text, i + 1) == '(');
    if (!bracket || !is_digit(at(text, i + 2)))
        return 0;
    *ret = '(';
    return 2;
}

/* Reads the cluster whose first digit is at `from`; returns where it ends. */
static size_t read_cluster(struct str text, size_t from, struct cluster *c)
{
    char joiner = ' ';
    size_t i = from;

    *c = (struct cluster){.spaced = true};
    for (;;) {
        struct group g = {.from = i, .joiner = joiner};
        while (is_digit(at(text, i)))
            i++;
        g.to = i;
        if (c->count < GROUPS_MAX)
            c->groups[c->count] = g;
        c->count++;
        c->digits += g.to - g.from;
        size_t joined = joiner_size(text, i, &joiner);
        if (joined == 0)
            return i;
        c->spaced = c->spaced && joiner == ' ';
        i += joined;
    }
}

/* 123-456, 1234 5678. */
static bool is_halved(const struct cluster *c)
{
    size_t n = c->groups[0].to - c->groups[0].from;

    return c->count == 2 && c->groups[1].to - c->groups[1].from == n && (n == 3 || n == 4) &&
           (c->groups[1].joiner == '-' || c->groups[1].joiner == ' ');
}

/* ---- choosing ---- */

struct choice {
    struct code code;
    unsigned rank; /* less is better */
    bool found;
};

static void consider(struct choice *best, struct str text, size_t from, size_t to)
{
    struct code code = {{0}};
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        if (is_digit(text.p[i])) {
            if (n == CODE_DIGITS_MAX)
                return;
            code.digits[n++] = text.p[i];
        }
    if (n < CODE_DIGITS_MIN || is_stuck(text, from, to) || is_price(text, from, to) ||
        is_named_otherwise(text, from, n) || is_in_address(text, from))
        return;
    unsigned far = distance(text, from, to);
    if (far == FAR && is_year(text, from, to - from))
        return;
    unsigned rank = 2 * far + (n != 6); /* six digits are the custom */
    if (!best->found || rank < best->rank)
        *best = (struct choice){code, rank, true};
}

static void consider_cluster(struct choice *best, struct str text, const struct cluster *c)
{
    if (is_halved(c)) {
        consider(best, text, c->groups[0].from, c->groups[1].to);
    } else if (c->count == 1 || (c->spaced && (c->count == 2 || c->digits <= CODE_DIGITS_MAX))) {
        for (size_t i = 0; i < c->count && i < GROUPS_MAX; i++)
            consider(best, text, c->groups[i].from, c->groups[i].to);
    }
}

bool code_find(struct str text, struct code *ret)
{
    struct choice best = {.found = false};
    struct cluster c;

    for (size_t i = 0; i < text.n;) {
        if (!is_digit(text.p[i])) {
            i++;
            continue;
        }
        size_t from = i;
        i = read_cluster(text, i, &c);
        if (before(text, from) != '+')
            consider_cluster(&best, text, &c);
    }
    if (best.found)
        *ret = best.code;
    return best.found;
}
