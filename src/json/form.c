#include "json/form.h"

#include "base/utf8.h"
#include "json/scan.h"

#include <errno.h>
#include <stdio.h>

/* Decodes into `to`, which has room for s.n bytes; -EBADMSG on a bad escape. */
static int unescape(struct str s, enum form_plus plus, char *to, size_t *ret_n)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i] == '+' && plus == FORM_PAIR ? ' ' : s.p[i];
        if (c == '%') {
            int high = i + 2 < s.n ? hex_value(s.p[i + 1]) : -1;
            int low = i + 2 < s.n ? hex_value(s.p[i + 2]) : -1;
            if (high < 0 || low < 0)
                return -EBADMSG;
            c = (char)(high << 4 | low);
            i += 2;
        }
        to[n++] = c;
    }
    *ret_n = n;
    return 0;
}

int form_unescape(struct str text, enum form_plus plus, struct arena *a, struct str *ret)
{
    char *bytes = arena_bytes(a, text.n);
    struct str decoded = {bytes, 0};

    if (!bytes)
        return -ENOMEM;
    int r = unescape(text, plus, bytes, &decoded.n);
    if (r < 0)
        return r;
    if (!utf8_valid(decoded))
        return -EBADMSG;
    *ret = decoded;
    return 0;
}

int form_next(struct form *f, struct arena *a, struct str *ret_name, struct str *ret_value)
{
    struct str pair = {NULL, 0};

    while (pair.n == 0) {
        if (f->rest.n == 0)
            return 0;
        pair = str_cut(&f->rest, '&');
    }
    if (++f->pairs > FORM_PAIRS_MAX)
        return -E2BIG;
    struct str name = str_cut(&pair, '=');
    int r = form_unescape(name, FORM_PAIR, a, ret_name);
    if (r == 0)
        r = form_unescape(pair, FORM_PAIR, a, ret_value);
    return r < 0 ? r : 1;
}

static struct str without_brackets(struct str name)
{
    if (name.n > 2 && memcmp(name.p + name.n - 2, "[]", 2) == 0)
        name.n -= 2;
    return name;
}

static bool field_is(const struct json_field *field, struct str name, bool alias)
{
    const char *own = alias ? field->alias : field->name;

    if (field->kind == JSON_TEXT_LIST)
        name = without_brackets(name);
    return own && str_is(name, own);
}

/* All values of one field, in the order given. */
struct values {
    struct str_list list;
    bool alias;
};

/* Doubles the room whenever the count reaches a power of two. */
static bool values_add(struct values *v, struct arena *a, struct str value)
{
    size_t count = v->list.count;

    if ((count & (count - 1)) == 0) {
        struct str *items = arena_alloc(a, (count ? count * 2 : 1) * sizeof *items);
        if (!items)
            return false;
        if (count)
            memcpy(items, v->list.items, count * sizeof *items);
        v->list.items = items;
    }
    v->list.items[v->list.count++] = value;
    return true;
}

/* A value under the alias counts only while none came under the name itself. */
static bool note_value(struct values *v, const struct json_field *field, struct arena *a,
                       struct str name, struct str value)
{
    bool alias = !field_is(field, name, false);

    if (alias && !field_is(field, name, true))
        return true;
    if (v->list.count && alias && !v->alias)
        return true;
    if (v->list.count && !alias && v->alias)
        v->list.count = 0;
    v->alias = alias;
    return values_add(v, a, value);
}

static int collect(struct str body, const struct json_field *fields, size_t count,
                   struct values *values, struct arena *a)
{
    struct form form = form_of(body);
    struct str name, value;
    int r;

    while ((r = form_next(&form, a, &name, &value)) > 0)
        for (size_t i = 0; i < count; i++)
            if (!note_value(&values[i], &fields[i], a, name, value))
                return -ENOMEM;
    return r;
}

static enum json_result read_boolean(struct str s, const struct json_field *field, bool *ret,
                                     struct json_error *error)
{
    bool yes = str_is(s, "true") || str_is(s, "1");

    if (!yes && !str_is(s, "false") && !str_is(s, "0"))
        return json_wrong_type(error, field, json_kind_wanted(field->kind));
    *ret = yes;
    return JSON_OK;
}

static enum json_result read_integer(struct str s, const struct json_field *field, int64_t *ret,
                                     struct json_error *error)
{
    int64_t value;

    if (!str_to_i64(s, &value) || value < -JSON_INT_MAX || value > JSON_INT_MAX)
        return json_wrong_type(error, field, json_kind_wanted(field->kind));
    *ret = value;
    return JSON_OK;
}

/* A value that is JSON itself. */
static enum json_result read_json(struct str s, const struct json_field *field, struct arena *a,
                                  struct str *ret, struct json_error *error)
{
    enum json_type type = field->kind == JSON_RAW_OBJECT ? JSON_TYPE_OBJECT : JSON_TYPE_ARRAY;
    struct json_value value;
    struct json_scan scan;

    json_scan_init(&scan, s, a);
    int r = json_scan_value(&scan, &value);
    if (r == 0)
        r = json_scan_end(&scan);
    if (r == -ENOMEM)
        return JSON_NO_MEMORY;
    if (r < 0 || value.type != type)
        return json_wrong_type(error, field, json_kind_wanted(field->kind));
    *ret = value.raw;
    return JSON_OK;
}

static enum json_result read_value(const struct str_list *given, const struct json_field *field,
                                   void *at, struct arena *a, struct json_error *error)
{
    if (given->count > 1 && field->kind != JSON_TEXT_LIST)
        return json_wrong_type(error, field, "must be given only once");
    switch (field->kind) {
    case JSON_TEXT:
    case JSON_TEXT_OR_NULL:
        *(struct str *)at = given->items[0];
        break;
    case JSON_TEXT_LIST:
        *(struct str_list *)at = *given;
        break;
    case JSON_INT64:
        return read_integer(given->items[0], field, at, error);
    case JSON_BOOLEAN:
        return read_boolean(given->items[0], field, at, error);
    case JSON_RAW_OBJECT:
    case JSON_RAW_ARRAY:
        return read_json(given->items[0], field, a, at, error);
    }
    return JSON_OK;
}

static enum json_result broken(int r, struct json_error *error)
{
    if (r == -ENOMEM)
        return JSON_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "%s",
             r == -E2BIG ? "too many fields in the form"
                         : "a %-escape of the form is incomplete, or its text is not UTF-8");
    return JSON_MALFORMED;
}

enum json_result form_decode(struct str body, const struct json_field *fields, size_t count,
                             void *out, struct arena *a, struct json_error *error)
{
    struct values *values = arena_alloc(a, count * sizeof *values);
    enum json_result result = JSON_OK;

    *error = (struct json_error){0};
    int r = values ? collect(body, fields, count, values, a) : -ENOMEM;
    if (r < 0)
        return broken(r, error);
    for (size_t i = 0; i < count; i++) {
        if (values[i].list.count == 0)
            continue;
        *(bool *)((char *)out + fields[i].set_offset) = true;
        enum json_result read =
            read_value(&values[i].list, &fields[i], (char *)out + fields[i].offset, a, error);
        if (read == JSON_NO_MEMORY)
            return read;
        if (read != JSON_OK)
            result = read;
    }
    return result;
}
