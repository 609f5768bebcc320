#include "messaging/number.h"

#include "messaging/numbering_table.h"

#include <assert.h>

enum { LEAST_DIGITS = 7, MOST_DIGITS = 15, MOST_CODE_DIGITS = 3 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool number_valid(struct str number)
{
    if (number.n < 1 + LEAST_DIGITS || number.n > 1 + MOST_DIGITS)
        return false;
    if (number.p[0] != '+' || number.p[1] == '0')
        return false;
    for (size_t i = 1; i < number.n; i++)
        if (!is_digit(number.p[i]))
            return false;
    return true;
}

static const struct numbering_code *code_find(unsigned code)
{
    size_t low = 0, high = numbering_code_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (numbering_codes[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == numbering_code_count || numbering_codes[low].code != code)
        return NULL;
    return &numbering_codes[low];
}

/* No calling code begins with another, so the first that fits is the one. */
static const struct numbering_code *code_of(struct str digits, unsigned *ret_length)
{
    unsigned code = 0;

    for (unsigned n = 0; n < MOST_CODE_DIGITS; n++) {
        code = code * 10 + (unsigned)(digits.p[n] - '0');
        const struct numbering_code *found = code_find(code);
        if (found) {
            *ret_length = n + 1;
            return found;
        }
    }
    return NULL;
}

static uint32_t first_digits(struct str national)
{
    uint32_t value = 0;

    for (size_t i = 0; i < NUMBERING_RANGE_DIGITS; i++)
        value = value * 10 + (i < national.n ? (uint32_t)(national.p[i] - '0') : 0);
    return value;
}

static const struct numbering_country *country_of(const struct numbering_code *code,
                                                  struct str national)
{
    size_t low = code->first_range, end = low + code->ranges, high = end;
    uint32_t digits = first_digits(national);

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (numbering_ranges[middle].last < digits)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && numbering_ranges[low].first <= digits)
        return &numbering_countries[numbering_ranges[low].country];
    return &numbering_countries[code->country];
}

static bool code_has(const struct numbering_code *code, const char *country)
{
    if (strcmp(numbering_countries[code->country].iso, country) == 0)
        return true;
    for (size_t i = code->first_range; i < (size_t)code->first_range + code->ranges; i++)
        if (strcmp(numbering_countries[numbering_ranges[i].country].iso, country) == 0)
            return true;
    return false;
}

unsigned number_calling_code(const char *country)
{
    for (size_t i = 0; country[0] && i < numbering_code_count; i++)
        if (code_has(&numbering_codes[i], country))
            return numbering_codes[i].code;
    return 0;
}

void number_place(struct str number, struct number_place *ret)
{
    unsigned code_length;

    assert(number_valid(number));
    *ret = (struct number_place){0};
    const struct numbering_code *code = code_of(str_skip(number, 1), &code_length);
    if (!code)
        return;
    struct str national = str_skip(number, 1 + code_length);
    const struct numbering_country *country = country_of(code, national);
    ret->assigned = true;
    ret->calling_code = code->code;
    memcpy(ret->country, country->iso, sizeof ret->country);
    ret->possible = country->lengths >> national.n & 1;
}

/* ---- without a plus ---- */

static bool is_possible(struct str number)
{
    struct number_place place = {0};

    if (number_valid(number))
        number_place(number, &place);
    return place.possible;
}

static bool with_code(unsigned code, struct str digits, char ret[NUMBER_SIZE])
{
    char front[8] = "+";

    if (code)
        str_format(front, sizeof front, "+%u", code);
    if (strlen(front) + digits.n >= NUMBER_SIZE)
        return false;
    str_format(ret, NUMBER_SIZE, "%s%.*s", front, STR_FMT(digits));
    return is_possible(str_of(ret));
}

bool number_complete(struct str digits, unsigned home, char ret[NUMBER_SIZE])
{
    if (str_starts(digits, STR("00")))
        return with_code(0, str_skip(digits, 2), ret);
    if (str_starts(digits, STR("0"))) /* which nobody writes in North America */
        return home > 1 && with_code(home, str_skip(digits, 1), ret);
    return (home && with_code(home, digits, ret)) || with_code(0, digits, ret);
}
