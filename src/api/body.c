/* Request bodies: which format, then the fields of a table, then what is wrong with them. */
#include "api/call.h"
#include "base/utf8.h"
#include "json/form.h"

static bool is_media_type(struct str header, struct str type)
{
    return str_eq_nocase(str_trim(str_cut(&header, ';')), type);
}

/* ---- what a decoder's result means ---- */

static bool is_set(const struct json_field *field, const void *out)
{
    return *(const bool *)((const char *)out + field->set_offset);
}

bool body_too_many_values(struct problem *p)
{
    return problem_set(p, PROBLEM_REQUEST_TOO_LARGE, NULL, "The body holds too many values.");
}

static bool missing(const struct json_field *field, struct arena *a, struct problem *p)
{
    return problem_set(p, PROBLEM_MISSING_REQUIRED_FIELD, field->name,
                       arena_printf(a, "The field '%s' is required.", field->name));
}

bool body_judge(const struct body_table *table, enum json_result result,
                const struct json_error *error, const void *out, struct arena *a, struct problem *p)
{
    if (result == JSON_NO_MEMORY)
        return body_too_many_values(p);
    for (size_t i = 0; i < table->required; i++)
        if (!is_set(&table->fields[i], out))
            return missing(&table->fields[i], a, p);
    if (result == JSON_WRONG_TYPE)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, error->field,
                           arena_printf(a, "The field '%s' %s.", error->field, error->message));
    return true;
}

static bool malformed(const char *kind, const struct json_error *error, struct arena *a,
                      struct problem *p)
{
    return problem_set(p, PROBLEM_INVALID_JSON, NULL,
                       arena_printf(a, "The body is not valid %s: %s.", kind, error->message));
}

/* ---- the formats ---- */

static bool decode_json(struct call *c, const struct body_table *t, void *out, struct problem *p)
{
    struct arena *a = &c->http->arena;
    struct json_error error;

    if (t->required == 0 && str_trim(c->http->body).n == 0)
        return true;
    enum json_result result = json_decode(c->http->body, t->fields, t->count, out, a, &error);
    return result == JSON_MALFORMED ? malformed("JSON", &error, a, p)
                                    : body_judge(t, result, &error, out, a, p);
}

static bool decode_form(struct call *c, const struct body_table *t, void *out, struct problem *p)
{
    struct arena *a = &c->http->arena;
    struct json_error error;
    enum json_result result = form_decode(c->http->body, t->fields, t->count, out, a, &error);

    return result == JSON_MALFORMED ? malformed("form data", &error, a, p)
                                    : body_judge(t, result, &error, out, a, p);
}

/* curl -d without a header: it says "form" by itself, and no form of ours begins like this. */
static bool looks_like_json(struct str body)
{
    body = str_trim(body);
    return body.n && body.p[0] == '{';
}

static bool unsupported(struct call *c, const struct body_table *t, struct problem *p)
{
    struct str type = utf8_shown(c->headers.content_type, 60);

    return problem_set(p, PROBLEM_UNSUPPORTED_CONTENT_TYPE, NULL,
                       arena_printf(&c->http->arena,
                                    "Content-Type '%.*s' is not supported; send "
                                    "application/json%s.",
                                    STR_FMT(type),
                                    t->json_only ? "" : " or application/x-www-form-urlencoded"));
}

bool body_decode(struct call *c, const struct body_table *table, void *out, struct problem *p)
{
    struct str type = c->headers.content_type;

    if (c->headers.two_content_types)
        return problem_set(p, PROBLEM_UNSUPPORTED_CONTENT_TYPE, NULL,
                           "The Content-Type header is given twice; give it once.");
    if (type.n == 0 || is_media_type(type, STR("application/json")))
        return decode_json(c, table, out, p);
    if (!is_media_type(type, STR("application/x-www-form-urlencoded")))
        return unsupported(c, table, p);
    if (looks_like_json(c->http->body))
        return problem_set(p, PROBLEM_UNSUPPORTED_CONTENT_TYPE, NULL,
                           "The body is JSON but its Content-Type says that it is a form; add -H "
                           "'Content-Type: application/json'.");
    return table->json_only ? unsupported(c, table, p) : decode_form(c, table, out, p);
}
