#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

/* ASCII only, whatever the locale. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* strncasecmp would stop at a NUL, and bytes from the network may hold one. */
static bool same_nocase(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] && lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

bool str_eq_nocase(struct str a, struct str b)
{
    return a.n == b.n && same_nocase(a.p, b.p, a.n);
}

bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool str_starts_nocase(struct str s, struct str prefix)
{
    return s.n >= prefix.n && same_nocase(s.p, prefix.p, prefix.n);
}

struct str str_skip(struct str s, size_t n)
{
    if (n > s.n)
        n = s.n;
    return n ? (struct str){s.p + n, s.n - n} : s;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
    while (s.n && is_space(s.p[0]))
        s = str_skip(s, 1);
    while (s.n && is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct str str_cut(struct str *s, char mark)
{
    const char *at = s->n ? memchr(s->p, mark, s->n) : NULL;
    struct str head = *s;

    if (!at) {
        *s = (struct str){NULL, 0};
        return head;
    }
    head.n = (size_t)(at - s->p);
    *s = str_skip(*s, head.n + 1);
    return head;
}

int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool str_to_u64(struct str s, uint64_t *ret)
{
    uint64_t value = 0;

    if (s.n == 0)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s.p[i] - '0'), &value))
            return false;
    }
    *ret = value;
    return true;
}

bool str_to_i64(struct str s, int64_t *ret)
{
    bool minus = s.n && s.p[0] == '-';
    uint64_t size;

    if (!str_to_u64(minus ? str_skip(s, 1) : s, &size) || size > (uint64_t)INT64_MAX + minus)
        return false;
    *ret = minus ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

unsigned str_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    unsigned row[LONGEST + 1];
    size_t na = strlen(a), nb = strlen(b);

    if (na > LONGEST || nb > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

void str_format(char *out, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(out, size, format, args);
    va_end(args);
}
