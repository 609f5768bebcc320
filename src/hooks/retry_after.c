/* The header Retry-After: seconds, or one of the three forms of a date that HTTP knows (RFC 9110,
 * 5.6.7). What is wrong in it asks for nothing. */
#include "hooks/retry.h"

#include "base/clock.h"

#include <stdio.h>

#define CENTURY_HALF_US (50 * 365 * 24 * INT64_C(3600000000))

struct date {
    unsigned year, month, day, hour, minute, second;
};

static bool take_char(struct str *s, char c)
{
    if (!s->n || s->p[0] != c)
        return false;
    *s = str_skip(*s, 1);
    return true;
}

static bool take_number(struct str *s, size_t digits, unsigned *ret)
{
    unsigned value = 0;

    if (s->n < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (s->p[i] < '0' || s->p[i] > '9')
            return false;
        value = value * 10 + (unsigned)(s->p[i] - '0');
    }
    *s = str_skip(*s, digits);
    *ret = value;
    return true;
}

static bool take_month(struct str *s, unsigned *ret)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (unsigned i = 0; i < 12; i++)
        if (str_starts(*s, (struct str){names + i * 3, 3})) {
            *s = str_skip(*s, 3);
            *ret = i + 1;
            return true;
        }
    return false;
}

static bool take_time(struct str *s, struct date *d)
{
    return take_number(s, 2, &d->hour) && take_char(s, ':') && take_number(s, 2, &d->minute) &&
           take_char(s, ':') && take_number(s, 2, &d->second);
}

/* "06 Nov 1994 08:49:37 GMT", and "06-Nov-94 08:49:37 GMT" as of old. */
static bool read_usual(struct str s, struct date *d)
{
    if (!take_number(&s, 2, &d->day))
        return false;
    bool old = take_char(&s, '-');
    if (!(old || take_char(&s, ' ')) || !take_month(&s, &d->month) ||
        !take_char(&s, old ? '-' : ' ') || !take_number(&s, old ? 2 : 4, &d->year))
        return false;
    if (old)
        d->year += 2000;
    return take_char(&s, ' ') && take_time(&s, d) && str_is(s, " GMT");
}

/* "Nov  6 08:49:37 1994", as C writes it. */
static bool read_of_c(struct str s, struct date *d)
{
    return take_month(&s, &d->month) && take_char(&s, ' ') &&
           take_number(&s, take_char(&s, ' ') ? 1 : 2, &d->day) && take_char(&s, ' ') &&
           take_time(&s, d) && take_char(&s, ' ') && take_number(&s, 4, &d->year) && s.n == 0;
}

static bool read_date(struct str header, int64_t *ret_us)
{
    struct str rest = header;
    struct str weekday = str_cut(&rest, ',');
    struct date d;
    char text[80];

    if (rest.p) {
        if (!take_char(&rest, ' ') || !read_usual(rest, &d))
            return false;
    } else {
        str_cut(&weekday, ' ');
        if (!read_of_c(weekday, &d))
            return false;
    }
    /* The calendar has one keeper. */
    snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02uZ", d.year, d.month, d.day, d.hour,
             d.minute, d.second);
    return rfc3339_parse(str_of(text), ret_us);
}

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

int64_t retry_after_us(struct str header, int64_t now_us)
{
    int64_t at_us;
    uint64_t seconds;

    header = str_trim(header);
    if (all_digits(header)) {
        if (!str_to_u64(header, &seconds) || seconds > RETRY_AFTER_MAX_US / 1000000)
            return RETRY_AFTER_MAX_US;
        return (int64_t)seconds * 1000000;
    }
    /* A year of two digits that is far ahead means one that is past. */
    if (!read_date(header, &at_us) || at_us <= now_us || at_us - now_us > CENTURY_HALF_US)
        return 0;
    return at_us - now_us < RETRY_AFTER_MAX_US ? at_us - now_us : RETRY_AFTER_MAX_US;
}
