#include "messaging/interval.h"

#include "base/calendar.h"

static const char *const words[] = {
#define X(name, word) [INTERVAL_##name] = (word),
    INTERVALS(X)
#undef X
};

const char *interval_word(enum interval value)
{
    return words[value];
}

bool interval_from_word(struct str word, enum interval *ret)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(word, words[i])) {
            *ret = (enum interval)i;
            return true;
        }
    return false;
}

/* Months since the year 0. */
static int64_t month_number(int64_t at_us)
{
    struct civil_date d = civil_of_days(at_us / DAY_US);
    return (int64_t)d.year * 12 + d.month - 1;
}

static int64_t month_start(int64_t number)
{
    return civil_to_days(number / 12, number % 12 + 1, 1) * DAY_US;
}

int64_t interval_start(enum interval i, int64_t at_us)
{
    int64_t days = at_us / DAY_US;

    switch (i) {
    case INTERVAL_HOUR:
        return at_us / HOUR_US * HOUR_US;
    case INTERVAL_DAY:
        return days * DAY_US;
    case INTERVAL_WEEK:
        return (days - (days + 3) % 7) * DAY_US; /* 1970 began on a Thursday */
    case INTERVAL_MONTH:
        break;
    }
    return month_start(month_number(at_us));
}

static int64_t length_us(enum interval i)
{
    return i == INTERVAL_HOUR ? HOUR_US : i == INTERVAL_DAY ? DAY_US : 7 * DAY_US;
}

int64_t interval_next(enum interval i, int64_t start_us)
{
    return i == INTERVAL_MONTH ? month_start(month_number(start_us) + 1) : start_us + length_us(i);
}

size_t interval_index(enum interval i, int64_t first_us, int64_t at_us)
{
    return (size_t)(i == INTERVAL_MONTH ? month_number(at_us) - month_number(first_us)
                                        : (at_us - first_us) / length_us(i));
}
