#include "json/read.h"

#include "json/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const wanted[] = {
    [JSON_TEXT] = "must be a string",
    [JSON_TEXT_OR_NULL] = "must be a string or null",
    [JSON_TEXT_LIST] = "must be an array of strings",
    [JSON_INT64] = "must be a whole number",
    [JSON_BOOLEAN] = "must be true or false",
    [JSON_RAW_OBJECT] = "must be a JSON object",
    [JSON_RAW_ARRAY] = "must be an array",
};

const char *json_kind_wanted(enum json_kind kind)
{
    return wanted[kind];
}

/* What the body holds for one field. Nothing is filled before the whole body is known to be
 * well-formed. */
struct found {
    struct json_value value;
    bool by_name; /* and not by the alias */
};

enum json_result json_wrong_type(struct json_error *error, const struct json_field *field,
                                 const char *message)
{
    if (!error->field) {
        error->field = field->name;
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return JSON_WRONG_TYPE;
}

/* ---- the body, once over ---- */

/* null says nothing, so it does not take the place of what the other name says; unless the field
 * may be null, which then says something. */
static bool says_nothing(const struct json_field *field, const struct json_value *value)
{
    return value->type == JSON_TYPE_NULL && field->kind != JSON_TEXT_OR_NULL;
}

static void note(struct found *found, const struct json_field *fields, size_t count,
                 struct str name, const struct json_value *value)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(name, (struct str){fields[i].name, fields[i].name_size})) {
            if (!says_nothing(&fields[i], value))
                found[i] = (struct found){*value, true};
            return;
        }
    for (size_t i = 0; i < count; i++)
        if (fields[i].alias && str_is(name, fields[i].alias) && !found[i].by_name &&
            !says_nothing(&fields[i], value))
            found[i] = (struct found){*value, false};
}

static int scan_body(struct json_scan *s, const struct json_field *fields, size_t count,
                     struct found *found)
{
    struct json_value value;
    struct str name;
    size_t mark;
    int r = json_scan_object_begin(s, &mark);

    while (r == 0 && (r = json_scan_object_next(s, mark, &name)) > 0) {
        r = json_scan_value(s, &value);
        if (r == 0)
            note(found, fields, count, name, &value);
    }
    return r < 0 ? r : json_scan_end(s);
}

/* ---- the fields, out of what was found ---- */

static enum json_result read_text(const struct json_value *value, struct arena *a, struct str *ret)
{
    return json_value_text(value, a, ret) < 0 ? JSON_NO_MEMORY : JSON_OK;
}

/* The items of an array that are strings, up to the first that is none; with `items` their texts
 * as well. */
static enum json_result walk_list(const struct json_value *array, struct arena *a,
                                  struct str *items, size_t *ret_count, bool *ret_whole)
{
    enum json_result result = JSON_OK;
    struct json_value item;
    struct json_scan s;
    size_t n = 0;
    int more;

    json_scan_init(&s, array->raw, a);
    json_scan_array_begin(&s);
    while ((more = json_scan_array_next(&s, n == 0)) > 0 && *s.next == '"' && result == JSON_OK) {
        json_scan_value(&s, &item);
        if (items)
            result = read_text(&item, a, &items[n]);
        n++;
    }
    *ret_count = n;
    *ret_whole = more == 0;
    return result;
}

static enum json_result read_list(const struct json_value *value, const struct json_field *field,
                                  struct str_list *ret, struct arena *a, struct json_error *error)
{
    struct str_list list = {NULL, 0};
    char message[64];
    bool whole;

    walk_list(value, a, NULL, &list.count, &whole);
    if (!whole) {
        snprintf(message, sizeof message, "must be an array of strings; item %zu is not",
                 list.count);
        return json_wrong_type(error, field, message);
    }
    if (list.count) {
        list.items = arena_alloc(a, list.count * sizeof *list.items);
        if (!list.items || walk_list(value, a, list.items, &list.count, &whole) != JSON_OK)
            return JSON_NO_MEMORY;
    }
    *ret = list;
    return JSON_OK;
}

/* 5.0 is a whole number too: JSON has but one kind of number. */
static bool read_integer(const struct json_value *value, int64_t *ret)
{
    const double max = (double)JSON_INT_MAX;
    int64_t whole;

    if (value->type == JSON_TYPE_INTEGER) {
        if (!str_to_i64(value->raw, &whole) || whole < -JSON_INT_MAX || whole > JSON_INT_MAX)
            return false;
        *ret = whole;
        return true;
    }
    if (value->type != JSON_TYPE_REAL)
        return false;
    /* What follows it in the body, a comma or a bracket, ends it. */
    double real = strtod(value->raw.p, NULL);
    if (real < -max || real > max || (double)(int64_t)real != real)
        return false;
    *ret = (int64_t)real;
    return true;
}

static enum json_result read_value(const struct json_value *value, const struct json_field *field,
                                   void *at, struct arena *a, struct json_error *error)
{
    switch (field->kind) {
    case JSON_TEXT:
    case JSON_TEXT_OR_NULL:
        if (value->type == JSON_TYPE_NULL) /* was noted, so it may stand here */
            return JSON_OK;
        if (value->type == JSON_TYPE_STRING)
            return read_text(value, a, at);
        break;
    case JSON_TEXT_LIST:
        if (value->type == JSON_TYPE_ARRAY)
            return read_list(value, field, at, a, error);
        break;
    case JSON_INT64:
        if (read_integer(value, at))
            return JSON_OK;
        break;
    case JSON_BOOLEAN:
        if (value->type == JSON_TYPE_TRUE || value->type == JSON_TYPE_FALSE) {
            *(bool *)at = value->type == JSON_TYPE_TRUE;
            return JSON_OK;
        }
        break;
    case JSON_RAW_OBJECT:
    case JSON_RAW_ARRAY:
        if (value->type == (field->kind == JSON_RAW_OBJECT ? JSON_TYPE_OBJECT : JSON_TYPE_ARRAY)) {
            *(struct str *)at = value->raw;
            return JSON_OK;
        }
        break;
    }
    return json_wrong_type(error, field, wanted[field->kind]);
}

static enum json_result fill(const struct found *found, const struct json_field *fields,
                             size_t count, char *out, struct arena *a, struct json_error *error)
{
    enum json_result result = JSON_OK;

    for (size_t i = 0; i < count; i++) {
        const struct json_value *value = &found[i].value;
        if (value->type == JSON_TYPE_NONE)
            continue;
        *(bool *)(out + fields[i].set_offset) = true;
        enum json_result r = read_value(value, &fields[i], out + fields[i].offset, a, error);
        if (r == JSON_NO_MEMORY)
            return r;
        if (r != JSON_OK)
            result = r;
    }
    return result;
}

enum json_result json_decode(struct str body, const struct json_field *fields, size_t count,
                             void *out, struct arena *a, struct json_error *error)
{
    struct found *found = arena_alloc(a, count * sizeof *found);
    struct json_scan s;

    *error = (struct json_error){0};
    json_scan_init(&s, body, a);
    int r = found ? scan_body(&s, fields, count, found) : -ENOMEM;
    if (r == -ENOMEM)
        return JSON_NO_MEMORY;
    if (r < 0) {
        json_scan_describe(&s, error->message, sizeof error->message);
        return JSON_MALFORMED;
    }
    return fill(found, fields, count, out, a, error);
}
