/* Time, injected: whoever needs the hour is handed a clock, so tests can turn its hands. */
#pragma once

#include "base/str.h"

struct clock {
    int64_t (*now_us)(const struct clock *c); /* unix time in microseconds */
};

/* The machine's own clock. */
extern const struct clock clock_real;

static inline int64_t clock_now_us(const struct clock *c)
{
    return c->now_us(c);
}

/* Microseconds that never jump, for time-outs. */
int64_t clock_monotonic_us(void);

enum { RFC3339_SIZE = 25 }; /* "2026-11-15T01:02:03.004Z" and a NUL */

/* UTC with milliseconds; years 1970 to 9999. */
void rfc3339_format(int64_t unix_us, char out[RFC3339_SIZE]);
/* The other way: "2026-11-15T01:02:03Z", with any number of decimals, with "+01:00" in place of Z;
 * what is finer than a microsecond is dropped. False for what has another form, for what no
 * calendar or clock shows, leap seconds among it, and for times outside the years above. */
bool rfc3339_parse(struct str text, int64_t *ret_us);
