/* Problems become HTTP answers here and nowhere else. */
#include "api/call.h"

#include "base/log.h"

#include <string.h>

const char *error_type(unsigned status)
{
    switch (status) {
    case 401:
    case 403:
        return "authentication_error";
    case 429:
        return "rate_limit_exceeded";
    case 500:
    case 503:
        return "api_error";
    default:
        return "validation_error";
    }
}

struct json_writer answer_json(struct call *c, unsigned status)
{
    struct json_writer w;

    c->http->status = status;
    buf_clear(&c->http->out);
    json_writer_init(&w, &c->http->out);
    return w;
}

/* Not from the request's memory, which may be used up. */
static void put_documentation(struct json_writer *w, const struct call *c, const char *code)
{
    char url[sizeof c->api->docs_url + 128];

    str_format(url, sizeof url, "%s/api-reference/errors#%s", c->api->docs_url, code);
    json_member_word(w, "documentation", url);
}

void problem_put(struct json_writer *w, const struct call *c, const struct problem *p)
{
    const struct problem_entry *entry = problem_entry(p->code);

    json_begin_object(w);
    json_member_word(w, "error", error_type(entry->status));
    json_member_word(w, "message", p->message ? p->message : entry->cause);
    json_member_word(w, "code", entry->code);
    json_member_i64(w, "statusCode", entry->status);
    if (p->field)
        json_member_word(w, "field", p->field);
    if (p->retry_after_s) {
        json_key(w, "retryAfter");
        json_put_i64(w, p->retry_after_s);
    }
    put_documentation(w, c, entry->code);
    json_end(w);
}

void answer_problem(struct call *c, const struct problem *p)
{
    unsigned status = problem_entry(p->code)->status;
    struct json_writer w = answer_json(c, status);

    problem_put(&w, c, p);
    if (p->retry_after_s)
        http_request_add_header(c->http, "Retry-After",
                                arena_printf(&c->http->arena, "%u", p->retry_after_s));
    if (status == 401)
        http_request_add_header(c->http, "WWW-Authenticate", "Bearer");
}

void answer_simple_problem(struct call *c, enum problem_code code, const char *field,
                           const char *message)
{
    answer_problem(c, &(struct problem){.code = code, .field = field, .message = message});
}

void answer_store_trouble(struct call *c, int error)
{
    log_error("store", "a read failed: %s", strerror(-error));
    answer_problem(c, &(struct problem){.code = PROBLEM_SERVICE_UNAVAILABLE,
                                        .message = "The store cannot be read at the moment; try "
                                                   "again in 5 seconds.",
                                        .retry_after_s = 5});
}
