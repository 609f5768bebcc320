/* Days and dates of the Gregorian calendar, from 1970 on. */
#pragma once

#include "base/str.h"

struct civil_date {
    unsigned year, month, day; /* from 1 */
};

/* Whether there is, or was, such a day; none is before 1970. */
bool civil_exists(int64_t year, int64_t month, int64_t day);
/* Days since 1970-01-01, of a date that exists; and the other way. */
int64_t civil_to_days(int64_t year, int64_t month, int64_t day);
struct civil_date civil_of_days(int64_t days);
/* "2026-11-15" as days since 1970-01-01. False for another form, and for days that do not exist. */
bool date_parse(struct str text, int64_t *ret_days);
