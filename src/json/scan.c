#include "json/scan_internal.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

void json_scan_init(struct json_scan *s, struct str text, struct arena *a)
{
    s->start = s->next = text.n ? text.p : "";
    s->end = s->start + text.n;
    s->depth = 0;
    s->arena = a;
    s->names = s->few_names;
    s->name_count = 0;
    s->name_room = sizeof s->few_names / sizeof *s->few_names;
    s->fault = NULL;
    s->near = (struct str){s->start, 0};
}

/* ---- faults ---- */

/* The bytes of the character at p, or 1 where there is none in UTF-8; 0 at the end. */
static size_t character_size(const struct json_scan *s, const char *p)
{
    unsigned bytes = 1;

    if (p == s->end)
        return 0;
    return utf8_decode((struct str){p, (size_t)(s->end - p)}, &bytes) < 0 ? 1 : bytes;
}

int json_fault_between(struct json_scan *s, const char *what, const char *from, const char *to)
{
    s->fault = what;
    s->near = (struct str){from, (size_t)(to - from)};
    return -EBADMSG;
}

/* The next character is at fault, or that the text is over. */
int json_fault_from(struct json_scan *s, const char *what, const char *from)
{
    return json_fault_between(s, what, from, s->next + character_size(s, s->next));
}

int json_fault(struct json_scan *s, const char *what)
{
    return json_fault_from(s, what, s->next);
}

static bool continues(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* The last few characters of s, each outside of printable ASCII as a question mark: the fault may
 * lie within a character, but an answer must be UTF-8. */
static void printable(struct str s, char *out, size_t size)
{
    size_t n = 0;

    if (s.n > size - 1)
        s = str_skip(s, s.n - (size - 1));
    for (size_t i = 0; i < s.n; i++) {
        bool plain = s.p[i] >= 0x20 && s.p[i] < 0x7f;
        if (plain || !continues(s.p[i]) || n == 0)
            out[n++] = plain ? s.p[i] : '?';
    }
    out[n] = '\0';
}

/* The place is that of the last character looked at. */
void json_scan_describe(const struct json_scan *s, char *out, size_t size)
{
    const char *to = s->near.p + s->near.n;
    size_t line = 1, column = 0;
    char near[32];

    for (const char *p = s->start; p < to; p++) {
        if (*p == '\n') {
            line++;
            column = 0;
        } else if (!continues(*p)) {
            column++;
        }
    }
    printable(s->near, near, sizeof near);
    const char *quote = s->near.n ? "'" : "";
    str_format(out, size, "%s near %s%s%s (line %zu, column %zu)", s->fault, quote,
               s->near.n ? near : "end of file", quote, line, column);
}

/* ---- numbers and words ---- */

static size_t skip_digits(struct json_scan *s)
{
    const char *from = s->next;

    while (s->next < s->end && *s->next >= '0' && *s->next <= '9')
        s->next++;
    return (size_t)(s->next - from);
}

static bool take(struct json_scan *s, char c)
{
    if (s->next == s->end || *s->next != c)
        return false;
    s->next++;
    return true;
}

static bool scan_exponent(struct json_scan *s)
{
    if (!take(s, '+'))
        take(s, '-');
    return skip_digits(s) > 0;
}

static int scan_number(struct json_scan *s, struct json_value *ret)
{
    const char *from = s->next;

    take(s, '-');
    const char *digits = s->next;
    size_t n = skip_digits(s);
    bool good = n == 1 || (n > 1 && *digits != '0');
    ret->type = JSON_TYPE_INTEGER;
    if (good && take(s, '.')) {
        ret->type = JSON_TYPE_REAL;
        good = skip_digits(s) > 0;
    }
    if (good && (take(s, 'e') || take(s, 'E'))) {
        ret->type = JSON_TYPE_REAL;
        good = scan_exponent(s);
    }
    ret->raw = (struct str){from, (size_t)(s->next - from)};
    return good ? 0 : json_fault_between(s, "invalid number", from, s->next);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int scan_word(struct json_scan *s, struct json_value *ret)
{
    const char *from = s->next;

    while (s->next < s->end && is_letter(*s->next))
        s->next++;
    ret->raw = (struct str){from, (size_t)(s->next - from)};
    if (str_eq(ret->raw, STR("true")))
        ret->type = JSON_TYPE_TRUE;
    else if (str_eq(ret->raw, STR("false")))
        ret->type = JSON_TYPE_FALSE;
    else if (str_eq(ret->raw, STR("null")))
        ret->type = JSON_TYPE_NULL;
    else if (ret->raw.n)
        return json_fault_between(s, "a value expected", from, s->next);
    else
        return json_fault(s, "a value expected");
    return 0;
}

/* ---- names ---- */

static bool names_grow(struct json_scan *s)
{
    struct json_name *more = arena_alloc(s->arena, s->name_room * 2 * sizeof *more);

    if (!more)
        return false;
    memcpy(more, s->names, s->name_count * sizeof *more);
    s->names = more;
    s->name_room *= 2;
    return true;
}

static int name_push(struct json_scan *s, const struct json_value *v, struct str *ret)
{
    int r = json_value_text(v, s->arena, ret);

    if (r < 0 || (s->name_count == s->name_room && !names_grow(s)))
        return -ENOMEM;
    if (v->escaped && memchr(ret->p, '\0', ret->n))
        return json_fault_between(s, "a name with U+0000 in it", v->raw.p, s->next);
    s->names[s->name_count++] = (struct json_name){*ret, v->raw};
    return 0;
}

/* Any order will do that puts equal names side by side; of those the later one last. */
static int name_compare(const void *a, const void *b)
{
    const struct json_name *x = a, *y = b;

    if (x->text.n != y->text.n)
        return x->text.n < y->text.n ? -1 : 1;
    int order = x->text.n ? memcmp(x->text.p, y->text.p, x->text.n) : 0;
    if (order)
        return order;
    return x->raw.p < y->raw.p ? -1 : 1;
}

static const struct json_name *find_twice(const struct json_name *names, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (str_eq(names[i].text, names[k].text))
                return &names[i];
    return NULL;
}

/* The same for names in order. */
static const struct json_name *find_neighbours(const struct json_name *names, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (str_eq(names[i].text, names[i - 1].text))
            return &names[i];
    return NULL;
}

/* At the end of an object. Sorting many names keeps a body full of them from costing the square
 * of their number. */
static int names_pop(struct json_scan *s, size_t mark)
{
    enum { FEW = 8 };
    struct json_name *names = s->names + mark;
    size_t n = s->name_count - mark;
    const struct json_name *twice;

    if (n > FEW)
        qsort(names, n, sizeof *names, name_compare);
    twice = n > FEW ? find_neighbours(names, n) : find_twice(names, n);
    if (twice)
        return json_fault_between(s, "a name given twice", twice->raw.p,
                                  twice->raw.p + twice->raw.n);
    s->name_count = mark;
    return 0;
}

/* ---- the whole ---- */

/* The next byte that is no white space, left where it is; -1 at the end. */
static int peek(struct json_scan *s)
{
    while (s->next < s->end) {
        char c = *s->next;
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            return (unsigned char)c;
        s->next++;
    }
    return -1;
}

static int enter(struct json_scan *s, char bracket, const char *expected)
{
    if (peek(s) != bracket)
        return json_fault(s, expected);
    if (s->depth == JSON_LEVELS_MAX)
        return json_fault(s, "more than 64 levels");
    s->next++;
    s->depth++;
    return 0;
}

static void leave(struct json_scan *s)
{
    s->next++;
    s->depth--;
}

int json_scan_object_begin(struct json_scan *s, size_t *ret_mark)
{
    *ret_mark = s->name_count;
    return enter(s, '{', "'{' expected");
}

static int scan_name(struct json_scan *s, struct str *ret)
{
    struct json_value name;
    int r = json_scan_string(s, &name);

    if (r == 0)
        r = name_push(s, &name, ret);
    if (r < 0)
        return r;
    if (peek(s) != ':')
        return json_fault(s, "':' expected");
    s->next++;
    return 1;
}

int json_scan_object_next(struct json_scan *s, size_t mark, struct str *ret_name)
{
    bool first = s->name_count == mark;
    int c = peek(s);

    if (c == '}') {
        leave(s);
        return names_pop(s, mark);
    }
    if (!first) {
        if (c != ',')
            return json_fault(s, "'}' expected");
        s->next++;
        c = peek(s);
    }
    if (c != '"')
        return json_fault(s, first ? "a name in double quotes or '}' expected"
                                   : "a name in double quotes expected");
    return scan_name(s, ret_name);
}

int json_scan_array_begin(struct json_scan *s)
{
    return enter(s, '[', "'[' expected");
}

int json_scan_array_next(struct json_scan *s, bool first)
{
    int c = peek(s);

    if (c == ']') {
        leave(s);
        return 0;
    }
    if (!first) {
        if (c != ',')
            return json_fault(s, "']' expected");
        s->next++;
        peek(s);
    }
    return 1;
}

static int skip_object(struct json_scan *s)
{
    struct json_value value;
    struct str name;
    size_t mark;
    int r = json_scan_object_begin(s, &mark);

    while (r == 0 && (r = json_scan_object_next(s, mark, &name)) > 0)
        r = json_scan_value(s, &value);
    return r;
}

static int skip_array(struct json_scan *s)
{
    struct json_value item;
    int r = json_scan_array_begin(s);

    for (bool first = true; r == 0; first = false) {
        r = json_scan_array_next(s, first);
        if (r <= 0)
            break;
        r = json_scan_value(s, &item);
    }
    return r;
}

/* An object or an array, without looking at what is in it. */
static int scan_nested(struct json_scan *s, enum json_type type, struct json_value *ret)
{
    const char *from = s->next;
    int r = type == JSON_TYPE_OBJECT ? skip_object(s) : skip_array(s);

    ret->type = type;
    ret->raw = (struct str){from, (size_t)(s->next - from)};
    return r;
}

int json_scan_value(struct json_scan *s, struct json_value *ret)
{
    int c = peek(s);

    ret->escaped = false;
    if (c == '"')
        return json_scan_string(s, ret);
    if (c == '{')
        return scan_nested(s, JSON_TYPE_OBJECT, ret);
    if (c == '[')
        return scan_nested(s, JSON_TYPE_ARRAY, ret);
    if (c == '-' || (c >= '0' && c <= '9'))
        return scan_number(s, ret);
    return scan_word(s, ret);
}

int json_scan_end(struct json_scan *s)
{
    return peek(s) < 0 ? 0 : json_fault(s, "end of file expected");
}

int json_scan_items(struct str array, struct arena *a, struct json_value *ret, size_t max,
                    size_t *ret_count)
{
    struct json_value beyond;
    struct json_scan s;
    size_t n = 0;
    int r;

    json_scan_init(&s, array, a);
    json_scan_array_begin(&s);
    while ((r = json_scan_array_next(&s, n == 0)) > 0 &&
           (r = json_scan_value(&s, n < max ? &ret[n] : &beyond)) == 0)
        n++;
    *ret_count = n;
    return r;
}
