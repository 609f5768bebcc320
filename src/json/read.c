#include "json/read.h"

#include <jansson.h>
#include <stdio.h>

/* Doubles hold every whole number up to here exactly. */
static const double exact_max = 9007199254740992.0;

static const char *const wanted[] = {
    [JSON_TEXT] = "must be a string",
    [JSON_TEXT_LIST] = "must be an array of strings",
    [JSON_INT64] = "must be a whole number",
    [JSON_BOOLEAN] = "must be true or false",
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

static enum json_result malformed(struct json_error *error, const json_error_t *e)
{
    static const char either[] = "'[' or ";
    const char *text = e->text;

    /* jansson would take an array too; we do not. */
    if (strncmp(text, either, sizeof either - 1) == 0)
        text += sizeof either - 1;
    snprintf(error->message, sizeof error->message, "%s (line %d, column %d)", text, e->line,
             e->column);
    /* The text near the fault may end within a character, but an answer must be UTF-8. */
    for (char *c = error->message; *c; c++)
        if (*c & 0x80)
            *c = '?';
    return JSON_MALFORMED;
}

static bool copy_text(const json_t *value, struct arena *a, struct str *ret)
{
    *ret = arena_copy(a, (struct str){json_string_value(value), json_string_length(value)});
    return ret->p != NULL;
}

static enum json_result read_list(const json_t *value, const struct json_field *field,
                                  struct str_list *ret, struct arena *a, struct json_error *error)
{
    struct str_list list = {NULL, json_array_size(value)};
    char message[64];

    if (list.count && !(list.items = arena_alloc(a, list.count * sizeof *list.items)))
        return JSON_NO_MEMORY;
    for (size_t i = 0; i < list.count; i++) {
        const json_t *item = json_array_get(value, i);
        if (!json_is_string(item)) {
            snprintf(message, sizeof message, "must be an array of strings; item %zu is not", i);
            return json_wrong_type(error, field, message);
        }
        if (!copy_text(item, a, &list.items[i]))
            return JSON_NO_MEMORY;
    }
    *ret = list;
    return JSON_OK;
}

/* 5.0 is a whole number too: JSON has but one kind of number. */
static bool read_integer(const json_t *value, int64_t *ret)
{
    if (json_is_integer(value)) {
        *ret = json_integer_value(value);
        return true;
    }
    double real = json_is_real(value) ? json_real_value(value) : 0.5;
    if (real < -exact_max || real > exact_max || (double)(int64_t)real != real)
        return false;
    *ret = (int64_t)real;
    return true;
}

static enum json_result read_value(const json_t *value, const struct json_field *field, void *at,
                                   struct arena *a, struct json_error *error)
{
    switch (field->kind) {
    case JSON_TEXT:
        if (json_is_string(value))
            return copy_text(value, a, at) ? JSON_OK : JSON_NO_MEMORY;
        break;
    case JSON_TEXT_LIST:
        if (json_is_array(value))
            return read_list(value, field, at, a, error);
        break;
    case JSON_INT64:
        if (read_integer(value, at))
            return JSON_OK;
        break;
    case JSON_BOOLEAN:
        if (json_is_boolean(value)) {
            *(bool *)at = json_is_true(value);
            return JSON_OK;
        }
        break;
    }
    return json_wrong_type(error, field, wanted[field->kind]);
}

static const json_t *find(const json_t *object, const struct json_field *field)
{
    const json_t *value = json_object_get(object, field->name);

    if (!value && field->alias)
        value = json_object_get(object, field->alias);
    return json_is_null(value) ? NULL : value;
}

static enum json_result read_object(const json_t *object, const struct json_field *fields,
                                    size_t count, char *out, struct arena *a,
                                    struct json_error *error)
{
    enum json_result result = JSON_OK;

    for (size_t i = 0; i < count; i++) {
        const json_t *value = find(object, &fields[i]);
        if (!value)
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
    json_error_t e;

    *error = (struct json_error){0};
    json_t *root =
        json_loadb(body.n ? body.p : "", body.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &e);
    if (!root)
        return malformed(error, &e);
    enum json_result result = JSON_MALFORMED;
    if (json_is_object(root))
        result = read_object(root, fields, count, out, a, error);
    else
        snprintf(error->message, sizeof error->message, "'{' expected near '[' (line 1, column 1)");
    json_decref(root);
    return result;
}
