#include "cli/csv.h"

#include <errno.h>

static char most_of(struct str line)
{
    static const char candidates[] = ",;\t";
    size_t counts[3] = {0, 0, 0}, best = 0;

    for (size_t i = 0; i < line.n; i++)
        for (size_t k = 0; k < 3; k++)
            counts[k] += line.p[i] == candidates[k];
    for (size_t k = 1; k < 3; k++)
        if (counts[k] > counts[best])
            best = k;
    return candidates[best];
}

void csv_init(struct csv *c, struct str bytes, struct arena *memory)
{
    if (str_starts(bytes, STR("\xef\xbb\xbf")))
        bytes = str_skip(bytes, 3);
    struct str rest = bytes;
    *c = (struct csv){bytes, most_of(str_cut(&rest, '\n')), 1, memory};
}

/* ---- fields ---- */

/* The field as it stands between quotes, with each pair of quotes made one. */
static bool unquote(struct arena *a, struct str inside, struct str *ret)
{
    char *out = arena_bytes(a, inside.n);
    size_t n = 0;

    if (!out)
        return false;
    for (size_t i = 0; i < inside.n; i++) {
        out[n++] = inside.p[i];
        i += inside.p[i] == '"';
    }
    *ret = (struct str){out, n};
    return true;
}

/* Where the quote is that ends what begins at `from`, or past the end. */
static size_t closing_quote(struct str bytes, size_t from, bool *ret_pairs)
{
    for (size_t at = from; at < bytes.n; at++) {
        if (bytes.p[at] != '"')
            continue;
        if (at + 1 == bytes.n || bytes.p[at + 1] != '"')
            return at;
        *ret_pairs = true;
        at++;
    }
    return bytes.n;
}

static unsigned line_breaks(struct str s)
{
    unsigned n = 0;

    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\n';
    return n;
}

static const char *take_quoted(struct csv *c, struct str *ret)
{
    bool pairs = false;
    size_t end = closing_quote(c->rest, 1, &pairs);
    struct str inside = {c->rest.p + 1, end - 1};

    if (end == c->rest.n)
        return "a quote begins here and does not end";
    c->next_line += line_breaks(inside);
    c->rest = str_skip(c->rest, end + 1);
    *ret = inside;
    return pairs && !unquote(c->memory, inside, ret) ? "the file is too large" : NULL;
}

static bool ends_record(const struct csv *c)
{
    return c->rest.n == 0 || c->rest.p[0] == '\n' || str_starts(c->rest, STR("\r\n"));
}

static void take_plain(struct csv *c, struct str *ret)
{
    size_t n = 0;

    while (n < c->rest.n && c->rest.p[n] != c->separator && c->rest.p[n] != '\n')
        n++;
    bool before_break = n < c->rest.n && c->rest.p[n] == '\n';
    if (before_break && n > 0 && c->rest.p[n - 1] == '\r')
        n--;
    *ret = (struct str){c->rest.p, n};
    c->rest = str_skip(c->rest, n);
}

/* NULL, or what is wrong. Leaves the separator or the end of the record in front. */
static const char *take_field(struct csv *c, struct csv_record *r)
{
    const char *why = NULL;

    if (r->count == CSV_FIELDS_MAX)
        return "the line has more than 64 fields";
    if (c->rest.n && c->rest.p[0] == '"')
        why = take_quoted(c, &r->fields[r->count]);
    else
        take_plain(c, &r->fields[r->count]);
    if (!why && !ends_record(c) && c->rest.p[0] != c->separator)
        why = "something stands behind the closing quote of a field";
    r->count++;
    return why;
}

/* ---- records ---- */

static void skip_break(struct csv *c)
{
    if (c->rest.n == 0)
        return;
    c->rest = str_skip(c->rest, c->rest.p[0] == '\r' ? 2 : 1);
    c->next_line++;
}

int csv_next(struct csv *c, struct csv_record *ret, const char **why)
{
    while (c->rest.n && ends_record(c))
        skip_break(c);
    ret->line = c->next_line;
    ret->count = 0;
    if (c->rest.n == 0)
        return 0;
    for (;;) {
        *why = take_field(c, ret);
        if (*why)
            return -EBADMSG;
        if (ends_record(c))
            break;
        c->rest = str_skip(c->rest, 1);
    }
    skip_break(c);
    return 1;
}
