#include "base/clock.h"

#include "base/calendar.h"

#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t real_now_us(const struct clock *c)
{
    (void)c;
    return read_clock(CLOCK_REALTIME);
}

const struct clock clock_real = {real_now_us};

int64_t clock_monotonic_us(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static char *digits(char *at, unsigned value, int width)
{
    for (int i = width - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return at + width;
}

/* "2026-11-15T"; nearly always of the same day as the one before. */
static char *put_date(char *at, int64_t days)
{
    static _Thread_local int64_t known_days = -1;
    static _Thread_local char known[11];

    if (days != known_days) {
        struct civil_date date = civil_of_days(days);
        digits(known, date.year, 4);
        known[4] = '-';
        digits(known + 5, date.month, 2);
        known[7] = '-';
        digits(known + 8, date.day, 2);
        known[10] = 'T';
        known_days = days;
    }
    memcpy(at, known, sizeof known);
    return at + sizeof known;
}

void rfc3339_format(int64_t unix_us, char out[RFC3339_SIZE])
{
    int64_t ms = unix_us < 0 ? 0 : unix_us / 1000;
    unsigned of_day = (unsigned)(ms % 86400000);
    char *at = put_date(out, ms / 86400000);

    at = digits(at, of_day / 3600000, 2);
    *at++ = ':';
    at = digits(at, of_day / 60000 % 60, 2);
    *at++ = ':';
    at = digits(at, of_day / 1000 % 60, 2);
    *at++ = '.';
    at = digits(at, of_day % 1000, 3);
    *at++ = 'Z';
    *at = '\0';
}

/* Takes `width` digits off the front of *s. */
static bool take_digits(struct str *s, size_t width, int64_t *ret)
{
    uint64_t value;

    if (s->n < width || !str_to_u64((struct str){s->p, width}, &value))
        return false;
    *s = str_skip(*s, width);
    *ret = (int64_t)value;
    return true;
}

/* Takes one of these characters off the front of *s; 0 when there is none of them. */
static char take_mark(struct str *s, const char *marks)
{
    if (s->n == 0 || s->p[0] == '\0' || !strchr(marks, s->p[0]))
        return 0;
    char mark = s->p[0];
    *s = str_skip(*s, 1);
    return mark;
}

/* Three numbers with marks between them, "2026-11-15", each with its number of digits. */
static bool take_three(struct str *s, size_t first_width, const char *mark, int64_t ret[3])
{
    return take_digits(s, first_width, &ret[0]) && take_mark(s, mark) &&
           take_digits(s, 2, &ret[1]) && take_mark(s, mark) && take_digits(s, 2, &ret[2]);
}

/* ".25" as microseconds; without a point there are none. */
static bool take_fraction(struct str *s, int64_t *ret_us)
{
    int64_t digit, unit = 100000;

    *ret_us = 0;
    if (!take_mark(s, "."))
        return true;
    if (!take_digits(s, 1, &digit))
        return false;
    do {
        *ret_us += digit * unit;
        unit /= 10;
    } while (take_digits(s, 1, &digit));
    return true;
}

/* "Z" or "+01:30", as minutes ahead of UTC. */
static bool take_offset(struct str *s, int64_t *ret_minutes)
{
    int64_t hours, minutes;
    char mark = take_mark(s, "Zz+-");

    *ret_minutes = 0;
    if (mark == 'Z' || mark == 'z')
        return true;
    if (!mark || !take_digits(s, 2, &hours) || !take_mark(s, ":") || !take_digits(s, 2, &minutes) ||
        hours > 23 || minutes > 59)
        return false;
    *ret_minutes = (hours * 60 + minutes) * (mark == '-' ? -1 : 1);
    return true;
}

bool rfc3339_parse(struct str text, int64_t *ret_us)
{
    int64_t date[3], time[3], fraction_us, offset_min;

    if (!take_three(&text, 4, "-", date) || !take_mark(&text, "Tt") ||
        !take_three(&text, 2, ":", time) || !take_fraction(&text, &fraction_us) ||
        !take_offset(&text, &offset_min) || text.n > 0)
        return false;
    if (!civil_exists(date[0], date[1], date[2]) || time[0] > 23 || time[1] > 59 || time[2] > 59)
        return false;
    int64_t days = civil_to_days(date[0], date[1], date[2]);
    int64_t seconds = days * 86400 + time[0] * 3600 + (time[1] - offset_min) * 60 + time[2];
    if (seconds < 0 || seconds >= INT64_C(253402300800)) /* past 9999 by its offset */
        return false;
    *ret_us = seconds * 1000000 + fraction_us;
    return true;
}
