#include "cli/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *figure_grouped(struct str number, char out[FIGURE_SIZE])
{
    size_t sign = number.n && number.p[0] == '-', end = sign, n = 0;

    while (end < number.n && is_digit(number.p[end]))
        end++;
    for (size_t i = 0; i < number.n && n < FIGURE_SIZE - 2; i++) {
        if (i > sign && i < end && (end - i) % 3 == 0)
            out[n++] = ',';
        out[n++] = number.p[i];
    }
    out[n] = '\0';
    return out;
}

static void drop_zeros(char *text)
{
    size_t n = strlen(text);

    if (!strchr(text, '.'))
        return;
    while (n && text[n - 1] == '0')
        text[--n] = '\0';
    if (n && text[n - 1] == '.')
        text[n - 1] = '\0';
}

const char *figure_short(double value, char out[FIGURE_SIZE])
{
    static const char *const units[] = {"", "k", "M", "B", "T"};
    char number[FIGURE_SIZE];
    size_t unit = 0;

    for (; value >= 1000 && unit < 4; unit++)
        value /= 1000;
    snprintf(number, sizeof number, value < 1 && unit == 0 ? "%.7f" : "%.3f", value);
    drop_zeros(number);
    str_format(out, FIGURE_SIZE, "%s%s", number, units[unit]);
    return out;
}

/* Numbers of the API are short; a longer text is not one of them. */
static double number_of(struct str text)
{
    char copy[FIGURE_SIZE];

    str_format(copy, sizeof copy, "%.*s", STR_FMT(text));
    return strtod(copy, NULL);
}

const char *figure_percent(struct str ratio, char out[FIGURE_SIZE])
{
    char number[FIGURE_SIZE];

    str_format(number, sizeof number, "%.2f", number_of(ratio) * 100);
    drop_zeros(number);
    str_format(out, FIGURE_SIZE, "%s %%", number);
    return out;
}

const char *figure_duration(struct str seconds, char out[FIGURE_SIZE])
{
    static const struct {
        int64_t seconds, less;
        const char *unit, *less_unit;
    } steps[] = {{86400, 3600, "d", "h"}, {3600, 60, "h", "min"}, {60, 1, "min", "s"}};
    double value = number_of(seconds);
    long long whole = value < 1e15 ? llround(value) : 0;

    for (size_t i = 0; i < 3; i++)
        if (whole >= steps[i].seconds) {
            long long rest = whole % steps[i].seconds / steps[i].less;
            int n = snprintf(out, FIGURE_SIZE, "%lld %s", whole / steps[i].seconds, steps[i].unit);
            if (rest)
                snprintf(out + n, FIGURE_SIZE - (size_t)n, " %lld %s", rest, steps[i].less_unit);
            return out;
        }
    str_format(out, FIGURE_SIZE, "%.*s s", STR_FMT(seconds));
    return out;
}
