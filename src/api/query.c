/* Query strings, by a table of parameters. Strict: what is not understood is said, because a filter
 * that is silently ignored shows more than was asked for. */
#include "api/call.h"
#include "base/guess.h"
#include "base/utf8.h"
#include "messaging/number.h"
#include "json/form.h"

#include <assert.h>

enum { NAME_SHOWN = 40, SENDER_NAME_MAX = 11, SHORT_CODE_MAX = 8 };

static const struct query_field *find_field(const struct query_field *fields, size_t count,
                                            struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_is(name, fields[i].name))
            return &fields[i];
    return NULL;
}

static bool unknown(struct call *c, const struct query_field *fields, size_t count, struct str name,
                    struct problem *p)
{
    struct arena *a = &c->http->arena;
    struct str shown = arena_copy(a, utf8_shown(name, NAME_SHOWN));
    struct guess guess = {.given = shown.p ? shown.p : ""};

    for (size_t i = 0; i < count; i++)
        guess_try(&guess, fields[i].name);
    const char *message =
        guess.best ? arena_printf(a, "There is no parameter '%s' here; did you mean '%s'?",
                                  guess.given, guess.best)
                   : arena_printf(a, "There is no parameter '%s' here.", guess.given);
    return problem_set(p, PROBLEM_INVALID_PARAMETER, guess.given[0] ? guess.given : NULL, message);
}

static bool read_one(struct call *c, const struct query_field *field, struct str value, void *out,
                     struct problem *p)
{
    if (value.n && memchr(value.p, '\0', value.n))
        return problem_set(p, PROBLEM_INVALID_PARAMETER, field->name,
                           arena_printf(&c->http->arena,
                                        "The parameter '%s' contains a NUL character (%%00); "
                                        "remove it.",
                                        field->name));
    return field->read(c, value, out, p);
}

bool query_read(struct call *c, const struct query_field *fields, size_t count, void *out,
                struct problem *p)
{
    struct form form = form_of(c->http->head.query);
    bool seen[QUERY_FIELDS_MAX] = {false};
    struct str name, value;
    int more;

    assert(count <= QUERY_FIELDS_MAX);
    while ((more = form_next(&form, &c->http->arena, &name, &value)) > 0) {
        const struct query_field *field = find_field(fields, count, name);
        if (!field)
            return unknown(c, fields, count, name, p);
        if (seen[field - fields])
            return problem_set(p, PROBLEM_INVALID_PARAMETER, field->name,
                               arena_printf(&c->http->arena,
                                            "The parameter '%s' is given twice; give it once.",
                                            field->name));
        seen[field - fields] = true;
        if (!read_one(c, field, value, out, p))
            return false;
    }
    if (more < 0)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, NULL,
                           "The query string is not properly percent-encoded UTF-8.");
    return true;
}

struct str query_number(struct call *c, struct str value)
{
    char *copy;

    if (value.n == 0 || value.p[0] != ' ' || !(copy = arena_bytes(&c->http->arena, value.n)))
        return value;
    memcpy(copy, value.p, value.n);
    copy[0] = '+';
    return (struct str){copy, value.n};
}

/* A short code or a name. More digits than a short code has are a number without its +. */
static bool is_name(struct str s)
{
    size_t digits = 0;

    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c >= '0' && c <= '9')
            digits++;
        else if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || strchr(" &._-", c)))
            return false;
    }
    return s.n > 0 && s.n <= SENDER_NAME_MAX && (digits < s.n || digits <= SHORT_CODE_MAX);
}

bool query_sender(struct call *c, struct str value, struct str *ret, struct problem *p)
{
    struct str number = query_number(c, value);

    *ret = number_valid(number) ? number : value;
    return number_valid(*ret) || is_name(*ret) ||
           problem_set(p, PROBLEM_INVALID_PARAMETER, "from",
                       "from must be a number in international format, its + written as %2B, or a "
                       "sender's name.");
}

bool query_tag(struct str value, struct str *ret, struct problem *p)
{
    *ret = value;
    return (value.n > 0 && utf8_length(value) <= TAG_MAX_POINTS && !check_has_control(value)) ||
           problem_set(p, PROBLEM_INVALID_PARAMETER, "tag",
                       "tag must have 1 to 50 characters, none of them a control character.");
}

bool query_time(struct str value, const char *field, int64_t *ret_us, struct problem *p)
{
    if (rfc3339_parse(value, ret_us)) {
        if (*ret_us == 0) /* a bound like others, but in filters 0 is none */
            *ret_us = 1;
        return true;
    }
    return problem_set(p, PROBLEM_INVALID_DATE_RANGE, field,
                       "This is not a time that exists; write it like 2026-01-31T09:00:00Z, or "
                       "with an offset whose + is written as %2B.");
}
