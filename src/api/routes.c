/* The routes: every path the service knows, what it needs, and who answers. */
#include "api/call.h"

#include "messaging/plan.h"
#include "json/form.h"

/* What a route asks for, besides the permission. */
enum access {
    PUBLIC = 0,
    WITH_KEY = 1,
    ANY_PERMISSION = 2, /* any key will do */
    UNCOUNTED = 4,      /* calls do not count against the limits */
    TEST_ONLY = 8,      /* a test key */
    LARGE = 16,         /* a body may have API_LARGE_BODY_MAX bytes */
};

static const struct route {
    enum http_method method;
    const char *path; /* one {…} stands for one segment */
    unsigned access;
    enum permission permission; /* with WITH_KEY, unless ANY_PERMISSION */
    call_handler *handler;
} routes[] = {
    {HTTP_POST, "/v1/send", WITH_KEY, PERMISSION_SMS_SEND, send_create},
    {HTTP_GET, "/v1/messages/{messageId}", WITH_KEY, PERMISSION_SMS_READ, messages_get},
    {HTTP_GET, "/v1/messages/{messageId}/events", WITH_KEY, PERMISSION_SMS_READ, messages_events},
    {HTTP_POST, "/v1/messages/{messageId}/cancel", WITH_KEY, PERMISSION_SMS_SEND, messages_cancel},
    {HTTP_GET, "/v1/messages", WITH_KEY, PERMISSION_SMS_READ, messages_list},
    {HTTP_POST, "/v1/messages/batch", WITH_KEY | LARGE, PERMISSION_SMS_SEND, batch_create},
    {HTTP_GET, "/v1/messages/batch/{batchId}", WITH_KEY, PERMISSION_SMS_READ, batch_get},
    {HTTP_GET, "/v1/rate-limits", WITH_KEY | ANY_PERMISSION | UNCOUNTED, 0, rate_limits_get},
    {HTTP_GET, "/v1/keys", WITH_KEY, PERMISSION_KEYS_READ, keys_list},
    {HTTP_POST, "/v1/keys", WITH_KEY, PERMISSION_KEYS_WRITE, keys_create},
    {HTTP_GET, "/v1/keys/{keyId}", WITH_KEY, PERMISSION_KEYS_READ, keys_get},
    {HTTP_POST, "/v1/keys/{keyId}/rotate", WITH_KEY, PERMISSION_KEYS_WRITE, keys_rotate},
    {HTTP_DELETE, "/v1/keys/{keyId}", WITH_KEY, PERMISSION_KEYS_WRITE, keys_revoke},
    {HTTP_GET, "/v1/opt-outs", WITH_KEY, PERMISSION_OPTOUTS_READ, opt_outs_list},
    {HTTP_POST, "/v1/opt-outs", WITH_KEY, PERMISSION_OPTOUTS_WRITE, opt_outs_create},
    {HTTP_GET, "/v1/opt-outs/{number}", WITH_KEY, PERMISSION_OPTOUTS_READ, opt_outs_get},
    {HTTP_DELETE, "/v1/opt-outs/{number}", WITH_KEY, PERMISSION_OPTOUTS_WRITE, opt_outs_remove},
    {HTTP_POST, "/v1/test/inbound", WITH_KEY | TEST_ONLY, PERMISSION_SMS_SEND, inbound_create},
    {HTTP_GET, "/v1/test/inbox", WITH_KEY | TEST_ONLY, PERMISSION_SMS_READ, inbox_get},
    {HTTP_GET, "/v1/events", WITH_KEY, PERMISSION_WEBHOOKS_READ, events_get},
    {HTTP_GET, "/v1/openapi.json", PUBLIC, 0, service_openapi},
    {HTTP_GET, "/livez", PUBLIC, 0, service_livez},
    {HTTP_GET, "/readyz", PUBLIC, 0, service_readyz},
    {HTTP_GET, "/docs", PUBLIC, 0, service_docs},
    {HTTP_GET, "/docs/api-reference/errors", PUBLIC, 0, service_errors_page},
};

enum { ROUTE_COUNT = sizeof routes / sizeof *routes };

/* ---- finding the route ---- */

static bool path_matches(const char *pattern, struct str path, struct str *ret_parameter)
{
    const char *open = strchr(pattern, '{');

    if (!open)
        return str_is(path, pattern);
    size_t before = (size_t)(open - pattern);
    const char *after = strchr(open, '}') + 1;
    size_t tail = strlen(after);
    if (path.n <= before + tail || memcmp(path.p, pattern, before) != 0 ||
        memcmp(path.p + path.n - tail, after, tail) != 0)
        return false;
    *ret_parameter = (struct str){path.p + before, path.n - before - tail};
    return !memchr(ret_parameter->p, '/', ret_parameter->n);
}

static const char *method_word(enum http_method method)
{
    switch (method) {
    case HTTP_GET:
    case HTTP_HEAD:
        return "GET";
    case HTTP_POST:
        return "POST";
    case HTTP_PATCH:
        return "PATCH";
    case HTTP_DELETE:
        return "DELETE";
    case HTTP_OTHER:
        break;
    }
    return "";
}

bool route_at(size_t index, const char **ret_method, const char **ret_path)
{
    if (index >= ROUTE_COUNT)
        return false;
    *ret_method = method_word(routes[index].method);
    *ret_path = routes[index].path;
    return true;
}

/* "GET, POST": what the path takes; "" when there is no such path. */
static const char *methods_of(struct call *c)
{
    const char *list = "";
    struct str parameter;

    for (size_t i = 0; i < ROUTE_COUNT; i++)
        if (path_matches(routes[i].path, c->http->head.path, &parameter))
            list = arena_printf(&c->http->arena, "%s%s%s", list, *list ? ", " : "",
                                method_word(routes[i].method));
    return list;
}

static void answer_no_route(struct call *c)
{
    struct arena *a = &c->http->arena;
    struct str method = c->http->head.method, path = c->http->head.path;
    const char *methods = methods_of(c);
    char *message;

    if (path.n > 100)
        path.n = 100;
    if (method.n > 10)
        method.n = 10;
    if (methods && *methods)
        message = arena_printf(a, "There is no %.*s %.*s; this path takes %s.", STR_FMT(method),
                               STR_FMT(path), methods);
    else
        message = arena_printf(a, "There is no %.*s %.*s; /v1/openapi.json lists all paths.",
                               STR_FMT(method), STR_FMT(path));
    answer_simple_problem(c, PROBLEM_NOT_FOUND, NULL, message);
}

static const struct route *find_route(struct call *c)
{
    enum http_method method = c->http->method == HTTP_HEAD ? HTTP_GET : c->http->method;

    for (size_t i = 0; i < ROUTE_COUNT; i++)
        if (routes[i].method == method &&
            path_matches(routes[i].path, c->http->head.path, &c->parameter))
            return &routes[i];
    return NULL;
}

/* What cannot be decoded stays as it is: there is nothing of that name. */
static void decode_parameter(struct call *c)
{
    struct str decoded;

    if (c->parameter.n && memchr(c->parameter.p, '%', c->parameter.n) &&
        form_unescape(c->parameter, FORM_PATH, &c->http->arena, &decoded) == 0)
        c->parameter = decoded;
}

/* ---- the checks before a handler, in the order the API promises ---- */

static void add_number_header(struct call *c, const char *name, int64_t value)
{
    http_request_add_header(c->http, name, arena_number(&c->http->arena, value));
}

/* Plans without a limit still show numbers, too large to reach. */
static void show_limits(struct call *c, const struct limit_view *view, int64_t now_us)
{
    bool limited = view->limit != 0;

    add_number_header(c, "X-RateLimit-Limit", limited ? view->limit : INT32_MAX);
    add_number_header(c, "X-RateLimit-Remaining", limited ? view->remaining : INT32_MAX);
    add_number_header(c, "X-RateLimit-Reset",
                      limited ? view->reset_s : (now_us / 60000000 + 1) * 60);
}

static bool take_from_limits(struct call *c, struct limit_view *ret)
{
    bool granted =
        limiter_take(c->api->options.limiter, c->key->id, plan_limits(c->key), c->now_us, ret);

    show_limits(c, ret, c->now_us);
    return granted;
}

/* The same view without taking: of the two windows the one with fewer left, or with the later end.
 */
static void look_at_limits(struct call *c)
{
    struct limit_window windows[LIMIT_WINDOWS];
    struct limit_view view = {.limit = 0};

    limiter_peek(c->api->options.limiter, c->key->id, plan_limits(c->key), c->now_us, windows);
    for (size_t i = 0; i < LIMIT_WINDOWS; i++)
        if (windows[i].limit && (!view.limit || windows[i].remaining <= view.remaining))
            view = (struct limit_view){.limit = windows[i].limit,
                                       .remaining = windows[i].remaining,
                                       .reset_s = windows[i].reset_s};
    show_limits(c, &view, c->now_us);
}

static bool check_limits(struct call *c, const struct limit_view *view, bool granted)
{
    struct problem p = {0};

    if (granted)
        return true;
    problem_set(
        &p, PROBLEM_RATE_LIMIT_EXCEEDED, NULL,
        arena_printf(&c->http->arena,
                     "The limit of %u request%s per %s is reached; try again in %u second%s.",
                     view->limit, view->limit == 1 ? "" : "s", view->window, view->retry_after_s,
                     view->retry_after_s == 1 ? "" : "s"));
    p.retry_after_s = view->retry_after_s;
    answer_problem(c, &p);
    return false;
}

/* What the key may not, whatever its limits. */
static bool check_rights(struct call *c, const struct route *route)
{
    if (c->key->account_suspended) {
        answer_simple_problem(c, PROBLEM_ACCOUNT_SUSPENDED, NULL,
                              "The account is suspended; ask the operator of this service.");
        return false;
    }
    if (!(route->access & ANY_PERMISSION) &&
        !permission_allows(c->key->permissions, route->permission)) {
        answer_simple_problem(c, PROBLEM_INSUFFICIENT_PERMISSIONS, NULL,
                              arena_printf(&c->http->arena, "This key lacks the permission %s.",
                                           permission_word(route->permission)));
        return false;
    }
    if ((route->access & TEST_ONLY) && c->key->mode != MODE_TEST) {
        answer_simple_problem(c, PROBLEM_TEST_KEY_REQUIRED, NULL,
                              "This operation needs a test key (sl_test_…).");
        return false;
    }
    return true;
}

/* What the service says of itself goes on. */
static bool check_maintenance(struct call *c, const struct route *route)
{
    if (route->access == PUBLIC ||
        !atomic_load_explicit(&c->api->maintenance, memory_order_relaxed))
        return true;
    answer_problem(c, &(struct problem){.code = PROBLEM_MAINTENANCE,
                                        .message = "The service is in maintenance; try again in "
                                                   "60 seconds.",
                                        .retry_after_s = MAINTENANCE_RETRY_S});
    return false;
}

static bool check_key(struct call *c, const struct route *route)
{
    struct problem p = {0};
    struct limit_view view = {0};

    if (!call_authenticate(c, &p)) {
        answer_problem(c, &p);
        return false;
    }
    usage_note(c->api->options.usage, c->key->id, c->now_us, c->http->peer->text);
    if (route->access & UNCOUNTED) {
        look_at_limits(c);
        return check_rights(c, route);
    }
    bool granted = take_from_limits(c, &view);
    return check_rights(c, route) && check_limits(c, &view, granted);
}

static size_t body_max(const struct route *route)
{
    return route->access & LARGE ? API_LARGE_BODY_MAX : API_BODY_MAX;
}

static bool check_size(struct call *c, const struct route *route)
{
    const char *message = NULL;

    if (c->http->head_too_large)
        message = "The headers are larger than 16384 bytes.";
    else if (c->http->body_too_large)
        message =
            arena_printf(&c->http->arena, "The body is larger than %zu bytes.", body_max(route));
    if (message)
        answer_simple_problem(c, PROBLEM_REQUEST_TOO_LARGE, NULL, message);
    return !message;
}

/* It is not HTTP as far as we can read: there is no key and no path to speak of. */
static void answer_unreadable(struct call *c)
{
    answer_simple_problem(
        c, PROBLEM_INVALID_PARAMETER, NULL,
        arena_printf(&c->http->arena, "The request is not valid HTTP: %s.", c->http->malformed));
}

static struct call call_of(struct http_request *r)
{
    struct api_worker *worker = r->worker_context;
    return (struct call){.http = r,
                         .api = worker->api,
                         .worker = worker,
                         .now_us = clock_now_us(worker->api->options.clock)};
}

void api_handle(struct http_request *r)
{
    struct call c = call_of(r);

    if (r->malformed) {
        answer_unreadable(&c);
        return;
    }
    const struct route *route = find_route(&c);
    if (!route) {
        answer_no_route(&c);
        return;
    }
    call_read_headers(&c);
    decode_parameter(&c);
    if (check_maintenance(&c, route) && (route->access == PUBLIC || check_key(&c, route)) &&
        check_size(&c, route))
        route->handler(&c);
}

/* Room for a large body is given to those who may send one, so that others cannot fill memory. */
size_t api_body_max(struct http_request *r)
{
    struct call c = call_of(r);
    const struct route *route = find_route(&c);

    if (!route || !(route->access & LARGE))
        return API_BODY_MAX;
    call_read_headers(&c);
    bool may = call_find_key(&c) && permission_allows(c.key->permissions, route->permission);
    return may ? API_LARGE_BODY_MAX : API_BODY_MAX;
}
