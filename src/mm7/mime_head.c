/* Heads: fields, and what a Content-Type holds. */
#include "mm7/mime.h"

#include <ctype.h>
#include <errno.h>

/* ---- fields ---- */

/* The first line without its end; what comes behind it is left in *rest. */
static struct str cut_line(struct str *rest)
{
    struct str line = str_cut(rest, '\n');

    if (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

struct str mime_cut_head(struct str *bytes)
{
    struct str rest = *bytes;

    while (rest.n > 0) {
        const char *start = rest.p;
        if (cut_line(&rest).n > 0)
            continue;
        struct str head = {bytes->p, (size_t)(start - bytes->p)};
        *bytes = rest;
        return head;
    }
    struct str head = *bytes;
    *bytes = str_skip(*bytes, bytes->n);
    return head;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A field with the lines that go on with it; its name is cut off. */
static struct str cut_field(struct str *rest, struct str *ret_name)
{
    struct str line = cut_line(rest), value = line;

    *ret_name = str_trim(str_cut(&value, ':'));
    while (rest->n > 0 && is_blank(rest->p[0])) {
        struct str more = cut_line(rest);
        if (value.p)
            value.n = (size_t)(more.p + more.n - value.p);
    }
    return value.p ? value : STR("");
}

static struct str unfold(struct arena *a, struct str value)
{
    value = str_trim(value);
    if (!memchr(value.p, '\n', value.n))
        return value;
    struct str copy = arena_copy(a, value);
    for (size_t i = 0; i < copy.n; i++)
        if (copy.p[i] == '\r' || copy.p[i] == '\n')
            ((char *)copy.p)[i] = ' ';
    return copy.p ? copy : STR("");
}

struct str mime_field(struct arena *a, struct str head, const char *name)
{
    while (head.n > 0) {
        struct str found;
        struct str value = cut_field(&head, &found);
        if (value.n > 0 && str_eq_nocase(found, str_of(name)))
            return unfold(a, value);
    }
    return STR("");
}

/* ---- Content-Type ---- */

static struct str small_letters(struct arena *a, struct str text)
{
    struct str copy = arena_copy(a, text);

    for (size_t i = 0; i < copy.n; i++)
        ((char *)copy.p)[i] = (char)tolower((unsigned char)copy.p[i]);
    return copy;
}

/* A quoted string at the front, without its quotes and backslashes. */
static struct str cut_quoted(struct arena *a, struct str *rest)
{
    char *out = arena_bytes(a, rest->n);
    size_t n = 0, i = 1;

    for (; i < rest->n && rest->p[i] != '"'; i++) {
        if (rest->p[i] == '\\' && i + 1 < rest->n)
            i++;
        if (out)
            out[n++] = rest->p[i];
    }
    *rest = str_skip(*rest, i + 1);
    str_cut(rest, ';');
    return out ? (struct str){out, n} : (struct str){NULL, 0};
}

static struct str cut_value(struct arena *a, struct str *rest)
{
    *rest = str_trim(*rest);
    if (rest->n > 0 && rest->p[0] == '"')
        return cut_quoted(a, rest);
    return str_trim(str_cut(rest, ';'));
}

/* "name=value; " at the front. A name without a value is passed over. */
static struct str cut_parameter(struct arena *a, struct str *rest, struct str *ret_name)
{
    size_t end = 0;

    while (end < rest->n && rest->p[end] != '=' && rest->p[end] != ';')
        end++;
    *ret_name = str_trim((struct str){rest->p, end});
    bool has_value = end < rest->n && rest->p[end] == '=';
    *rest = str_skip(*rest, end + 1);
    return has_value ? cut_value(a, rest) : STR("");
}

struct str mime_parameter(struct arena *a, struct str value, const char *name)
{
    str_cut(&value, ';');
    while (value.n > 0) {
        struct str found;
        struct str text = cut_parameter(a, &value, &found);
        if (str_eq_nocase(found, str_of(name)))
            return text;
    }
    return STR("");
}

int mime_type_read(struct mime_type *ret, struct arena *a, struct str text)
{
    struct str rest = text;
    struct mime_type t = {.type = small_letters(a, str_trim(str_cut(&rest, ';')))};

    t.boundary = str_trim(mime_parameter(a, text, "boundary"));
    t.start = mime_id(mime_parameter(a, text, "start"));
    t.charset = small_letters(a, mime_parameter(a, text, "charset"));
    t.name = mime_parameter(a, text, "name");
    if (!t.type.p || !t.boundary.p || !t.start.p || !t.charset.p || !t.name.p)
        return -ENOMEM;
    *ret = t;
    return 0;
}

bool mime_type_is_multipart(const struct mime_type *t)
{
    return str_starts(t->type, STR("multipart/"));
}

struct str mime_id(struct str text)
{
    text = str_trim(text);
    if (str_starts_nocase(text, STR("cid:")))
        text = str_trim(str_skip(text, 4));
    if (text.n > 0 && text.p[0] == '<')
        text = str_skip(text, 1);
    if (text.n > 0 && text.p[text.n - 1] == '>')
        text.n--;
    return str_trim(text);
}
