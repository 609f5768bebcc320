/* The routes: every path the service knows, what it needs, and who answers. */
#include "api/call.h"

#include "messaging/plan.h"

enum access { PUBLIC, WITH_KEY };

static const struct route {
    enum http_method method;
    const char *path; /* one {…} stands for one segment */
    enum access access;
    enum permission permission; /* with WITH_KEY */
    call_handler *handler;
} routes[] = {
    {HTTP_POST, "/v1/send", WITH_KEY, PERMISSION_SMS_SEND, send_create},
    {HTTP_GET, "/v1/messages/{messageId}", WITH_KEY, PERMISSION_SMS_READ, messages_get},
    {HTTP_GET, "/v1/messages", WITH_KEY, PERMISSION_SMS_READ, messages_list},
    {HTTP_GET, "/v1/openapi.json", PUBLIC, 0, service_openapi},
    {HTTP_GET, "/livez", PUBLIC, 0, service_livez},
    {HTTP_GET, "/readyz", PUBLIC, 0, service_readyz},
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
    return method == HTTP_POST ? "POST" : "GET";
}

bool route_at(size_t index, const char **ret_method, const char **ret_path)
{
    if (index >= ROUTE_COUNT)
        return false;
    *ret_method = method_word(routes[index].method);
    *ret_path = routes[index].path;
    return true;
}

static void answer_no_route(struct call *c, const struct route *same_path)
{
    struct arena *a = &c->http->arena;
    struct str method = c->http->head.method, path = c->http->head.path;
    char *message;

    if (path.n > 100)
        path.n = 100;
    if (method.n > 10)
        method.n = 10;
    if (same_path)
        message = arena_printf(a, "There is no %.*s %.*s; this path takes %s.", STR_FMT(method),
                               STR_FMT(path), method_word(same_path->method));
    else
        message = arena_printf(a, "There is no %.*s %.*s; /v1/openapi.json lists all paths.",
                               STR_FMT(method), STR_FMT(path));
    answer_simple_problem(c, PROBLEM_NOT_FOUND, NULL, message);
}

static const struct route *find_route(struct call *c, const struct route **ret_same_path)
{
    enum http_method method = c->http->method == HTTP_HEAD ? HTTP_GET : c->http->method;

    *ret_same_path = NULL;
    for (size_t i = 0; i < ROUTE_COUNT; i++) {
        if (!path_matches(routes[i].path, c->http->head.path, &c->parameter))
            continue;
        if (routes[i].method == method)
            return &routes[i];
        *ret_same_path = &routes[i];
    }
    return NULL;
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
    const struct plan *plan = plan_find(str_of(c->key->plan));
    int64_t now_us = clock_now_us(c->api->options.clock);

    if (!plan) /* it was taken out of the configuration */
        plan = plan_find(STR(PLAN_DEFAULT));
    bool granted = limiter_take(c->api->limiter, c->key->id, plan->limits, now_us, ret);
    show_limits(c, ret, now_us);
    return granted;
}

static bool check_limits(struct call *c, const struct limit_view *view, bool granted)
{
    struct problem p = {0};

    if (granted)
        return true;
    problem_set(
        &p, PROBLEM_RATE_LIMIT_EXCEEDED, NULL,
        arena_printf(&c->http->arena,
                     "The limit of %u requests per %s is reached; try again in %u second%s.",
                     view->limit, view->window, view->retry_after_s,
                     view->retry_after_s == 1 ? "" : "s"));
    p.retry_after_s = view->retry_after_s;
    answer_problem(c, &p);
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
    bool granted = take_from_limits(c, &view);
    if (!permission_allows(c->key->permissions, route->permission)) {
        answer_simple_problem(c, PROBLEM_INSUFFICIENT_PERMISSIONS, NULL,
                              arena_printf(&c->http->arena, "This key lacks the permission %s.",
                                           permission_word(route->permission)));
        return false;
    }
    return check_limits(c, &view, granted);
}

static bool check_size(struct call *c)
{
    const char *message = NULL;

    if (c->http->head_too_large)
        message = "The headers are larger than 16384 bytes.";
    else if (c->http->body_too_large)
        message = "The body is larger than 262144 bytes.";
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

void api_handle(struct http_request *r)
{
    struct api_worker *worker = r->worker_context;
    struct call c = {.http = r, .api = worker->api, .worker = worker};
    const struct route *same_path, *route;

    if (r->malformed) {
        answer_unreadable(&c);
        return;
    }
    route = find_route(&c, &same_path);
    if (!route)
        answer_no_route(&c, same_path);
    else if ((route->access == PUBLIC || check_key(&c, route)) && check_size(&c))
        route->handler(&c);
}
