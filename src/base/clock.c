#include "base/clock.h"

#include <string.h>
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

/* Days since 1970-01-01 to a civil date, by eras of 400 years. */
static void civil_from_days(int64_t days, unsigned *ret_year, unsigned *ret_month,
                            unsigned *ret_day)
{
    days += 719468;
    unsigned era = (unsigned)(days / 146097);
    unsigned doe = (unsigned)(days - (int64_t)era * 146097);
    unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = (5 * doy + 2) / 153;

    *ret_day = doy - (153 * mp + 2) / 5 + 1;
    *ret_month = mp < 10 ? mp + 3 : mp - 9;
    *ret_year = yoe + era * 400 + (*ret_month <= 2);
}

/* "2026-11-15T"; nearly always of the same day as the one before. */
static char *put_date(char *at, int64_t days)
{
    static _Thread_local int64_t known_days = -1;
    static _Thread_local char known[11];
    unsigned year, month, day;

    if (days != known_days) {
        civil_from_days(days, &year, &month, &day);
        digits(known, year, 4);
        known[4] = '-';
        digits(known + 5, month, 2);
        known[7] = '-';
        digits(known + 8, day, 2);
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
