#include "base/calendar.h"

/* Both ways by eras of 400 years, which begin on the first of March: so the odd day is the last. */
struct civil_date civil_of_days(int64_t days)
{
    days += 719468;
    unsigned era = (unsigned)(days / 146097);
    unsigned doe = (unsigned)(days - (int64_t)era * 146097);
    unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    unsigned mp = (5 * doy + 2) / 153;
    unsigned month = mp < 10 ? mp + 3 : mp - 9;

    return (struct civil_date){.year = yoe + era * 400 + (month <= 2),
                               .month = month,
                               .day = doy - (153 * mp + 2) / 5 + 1};
}

int64_t civil_to_days(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400, yoe = year - era * 400;
    int64_t doy = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

bool civil_exists(int64_t year, int64_t month, int64_t day)
{
    static const int64_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return year >= 1970 && month >= 1 && month <= 12 && day >= 1 &&
           day <= lengths[month - 1] + (leap && month == 2);
}

bool date_parse(struct str text, int64_t *ret_days)
{
    uint64_t year, month, day;

    if (text.n != 10 || text.p[4] != '-' || text.p[7] != '-' ||
        !str_to_u64((struct str){text.p, 4}, &year) ||
        !str_to_u64((struct str){text.p + 5, 2}, &month) ||
        !str_to_u64((struct str){text.p + 8, 2}, &day) ||
        !civil_exists((int64_t)year, (int64_t)month, (int64_t)day))
        return false;
    *ret_days = civil_to_days((int64_t)year, (int64_t)month, (int64_t)day);
    return true;
}
