#include "store/origin.h"

#include <string.h>

static struct str drop(struct str s, size_t n)
{
    return (struct str){s.p + n, s.n - n};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool begins_with(struct str s, const char *word)
{
    size_t n = strlen(word);

    if (s.n < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (lower(s.p[i]) != word[i])
            return false;
    return true;
}

/* Host and port: what stands between the slashes, without a name and password before them. */
static struct str authority_of(struct str rest)
{
    size_t end = 0, begin = 0;

    while (end < rest.n && !strchr("/?#\\", rest.p[end]))
        end++;
    for (size_t i = 0; i < end; i++)
        if (rest.p[i] == '@')
            begin = i + 1;
    return (struct str){rest.p + begin, end - begin};
}

static struct str without_port(struct str authority, const char *port)
{
    size_t n = strlen(port);

    if (authority.n > n && memcmp(authority.p + authority.n - n, port, n) == 0)
        authority.n -= n;
    return authority;
}

size_t origin_of(struct str url, char out[ORIGIN_MAX])
{
    static const struct {
        const char *scheme, *port;
    } kinds[] = {{"https://", ":443"}, {"http://", ":80"}};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t n = strlen(kinds[k].scheme);
        if (!begins_with(url, kinds[k].scheme))
            continue;
        struct str authority = without_port(authority_of(drop(url, n)), kinds[k].port);
        if (authority.n == 0 || n + authority.n > ORIGIN_MAX)
            return 0;
        memcpy(out, kinds[k].scheme, n);
        for (size_t i = 0; i < authority.n; i++)
            out[n + i] = lower(authority.p[i]);
        return n + authority.n;
    }
    return 0;
}
