/* The routes: every path the service knows, what it needs, and who answers. */
#include "api/answered.h"
#include "api/call.h"

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
    const char *path; /* {…} stands for one segment. What comes first counts, so words stand before
                         what any word fits. */
    unsigned access;
    enum permission permission; /* with WITH_KEY, unless ANY_PERMISSION */
    call_handler *handler;
} routes[] = {
    {HTTP_POST, "/v1/send", WITH_KEY, PERMISSION_SMS_SEND, send_create},
    {HTTP_GET, "/v1/messages/{messageId}", WITH_KEY, PERMISSION_SMS_READ, messages_get},
    {HTTP_GET, "/v1/messages/{messageId}/events", WITH_KEY, PERMISSION_SMS_READ, messages_events},
    {HTTP_GET, "/v1/messages/{messageId}/media/{mediaNumber}", WITH_KEY, PERMISSION_SMS_READ,
     messages_media},
    {HTTP_POST, "/v1/messages/{messageId}/cancel", WITH_KEY, PERMISSION_SMS_SEND, messages_cancel},
    {HTTP_GET, "/v1/messages", WITH_KEY, PERMISSION_SMS_READ, messages_list},
    {HTTP_POST, "/v1/messages/batch", WITH_KEY | LARGE, PERMISSION_SMS_SEND, batch_create},
    {HTTP_GET, "/v1/messages/batch/{batchId}", WITH_KEY, PERMISSION_SMS_READ, batch_get},
    {HTTP_GET, "/v1/stats/live", WITH_KEY, PERMISSION_SMS_READ, stats_live_get},
    {HTTP_GET, "/v1/rate-limits", WITH_KEY | ANY_PERMISSION | UNCOUNTED, 0, rate_limits_get},
    {HTTP_GET, "/v1/analytics/usage", WITH_KEY, PERMISSION_ANALYTICS_READ, analytics_usage},
    {HTTP_GET, "/v1/analytics/delivery", WITH_KEY, PERMISSION_ANALYTICS_READ, analytics_delivery},
    {HTTP_GET, "/v1/analytics/delivery-reports", WITH_KEY, PERMISSION_ANALYTICS_READ,
     analytics_delivery},
    {HTTP_GET, "/v1/analytics/costs", WITH_KEY, PERMISSION_ANALYTICS_READ, analytics_costs},
    {HTTP_GET, "/v1/analytics/cost-analysis", WITH_KEY, PERMISSION_ANALYTICS_READ, analytics_costs},
    {HTTP_GET, "/v1/keys", WITH_KEY, PERMISSION_KEYS_READ, keys_list},
    {HTTP_POST, "/v1/keys", WITH_KEY, PERMISSION_KEYS_WRITE, keys_create},
    {HTTP_GET, "/v1/keys/{keyId}", WITH_KEY, PERMISSION_KEYS_READ, keys_get},
    {HTTP_POST, "/v1/keys/{keyId}/rotate", WITH_KEY, PERMISSION_KEYS_WRITE, keys_rotate},
    {HTTP_DELETE, "/v1/keys/{keyId}", WITH_KEY, PERMISSION_KEYS_WRITE, keys_revoke},
    {HTTP_GET, "/v1/opt-outs", WITH_KEY, PERMISSION_OPTOUTS_READ, opt_outs_list},
    {HTTP_POST, "/v1/opt-outs", WITH_KEY, PERMISSION_OPTOUTS_WRITE, opt_outs_create},
    {HTTP_GET, "/v1/opt-outs/{number}", WITH_KEY, PERMISSION_OPTOUTS_READ, opt_outs_get},
    {HTTP_DELETE, "/v1/opt-outs/{number}", WITH_KEY, PERMISSION_OPTOUTS_WRITE, opt_outs_remove},
    {HTTP_GET, "/v1/webhooks", WITH_KEY, PERMISSION_WEBHOOKS_READ, webhooks_list},
    {HTTP_POST, "/v1/webhooks", WITH_KEY, PERMISSION_WEBHOOKS_WRITE, webhooks_create},
    {HTTP_GET, "/v1/webhooks/event-types", WITH_KEY, PERMISSION_WEBHOOKS_READ, event_types_list},
    {HTTP_POST, "/v1/webhooks/message-secret/rotate", WITH_KEY, PERMISSION_WEBHOOKS_WRITE,
     message_secret_rotate},
    {HTTP_GET, "/v1/webhooks/{webhookId}", WITH_KEY, PERMISSION_WEBHOOKS_READ, webhooks_get},
    {HTTP_PATCH, "/v1/webhooks/{webhookId}", WITH_KEY, PERMISSION_WEBHOOKS_WRITE, webhooks_change},
    {HTTP_DELETE, "/v1/webhooks/{webhookId}", WITH_KEY, PERMISSION_WEBHOOKS_WRITE, webhooks_remove},
    {HTTP_POST, "/v1/webhooks/{webhookId}/rotate-secret", WITH_KEY, PERMISSION_WEBHOOKS_WRITE,
     webhook_secret_rotate},
    {HTTP_POST, "/v1/webhooks/{webhookId}/test", WITH_KEY, PERMISSION_WEBHOOKS_WRITE, webhook_try},
    {HTTP_POST, "/v1/webhooks/{webhookId}/redeliver", WITH_KEY, PERMISSION_WEBHOOKS_WRITE,
     deliveries_redeliver},
    {HTTP_GET, "/v1/webhooks/{webhookId}/deliveries", WITH_KEY, PERMISSION_WEBHOOKS_READ,
     deliveries_list},
    {HTTP_GET, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}", WITH_KEY,
     PERMISSION_WEBHOOKS_READ, deliveries_get},
    {HTTP_POST, "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/retry", WITH_KEY,
     PERMISSION_WEBHOOKS_WRITE, delivery_retry},
    {HTTP_POST, "/v1/test/inbound", WITH_KEY | TEST_ONLY | LARGE, PERMISSION_SMS_SEND,
     inbound_create},
    {HTTP_GET, "/v1/test/inbox", WITH_KEY | TEST_ONLY, PERMISSION_SMS_READ, inbox_get},
    {HTTP_GET, "/v1/events", WITH_KEY, PERMISSION_WEBHOOKS_READ, events_get},
    {HTTP_GET, "/v1/openapi.json", PUBLIC, 0, service_openapi},
    {HTTP_GET, "/livez", PUBLIC, 0, service_livez},
    {HTTP_GET, "/readyz", PUBLIC, 0, service_readyz},
    {HTTP_GET, "/docs", PUBLIC, 0, service_docs},
    {HTTP_GET, "/docs/api-reference/errors", PUBLIC, 0, service_errors_page},
};

enum { ROUTE_COUNT = sizeof routes / sizeof *routes, ROUTE_PARAMETERS = 2 };

/* What each is about, for the operator's counts. */
static unsigned handlers[ROUTE_COUNT];

void routes_prepare(void)
{
    for (size_t i = 0; i < ROUTE_COUNT; i++)
        handlers[i] = handler_of(routes[i].path);
}

/* ---- finding the route ---- */

/* Segment by segment; what stands in the places of {…} goes into `parameters`, in turn. */
static bool path_matches(const char *pattern, struct str path,
                         struct str parameters[ROUTE_PARAMETERS])
{
    if (!strchr(pattern, '{'))
        return str_is(path, pattern);
    struct str rest = str_of(pattern);
    size_t count = 0;

    while (rest.p && path.p) {
        struct str wanted = str_cut(&rest, '/'), given = str_cut(&path, '/');
        if (wanted.n == 0 || wanted.p[0] != '{') {
            if (!str_eq(wanted, given))
                return false;
        } else if (given.n == 0) {
            return false;
        } else {
            parameters[count++] = given;
        }
    }
    return !rest.p && !path.p;
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
    struct str parameters[ROUTE_PARAMETERS];
    const char *list = "";

    for (size_t i = 0; list && i < ROUTE_COUNT; i++)
        if (path_matches(routes[i].path, c->http->head.path, parameters) &&
            !strstr(list, method_word(routes[i].method)))
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

    for (size_t i = 0; i < ROUTE_COUNT; i++) {
        struct str parameters[ROUTE_PARAMETERS] = {{NULL, 0}};
        if (routes[i].method == method &&
            path_matches(routes[i].path, c->http->head.path, parameters)) {
            c->parameter = parameters[0];
            c->second = parameters[1];
            c->http->about = handlers[i];
            return &routes[i];
        }
    }
    return NULL;
}

/* What cannot be decoded stays as it is: there is nothing of that name. */
static void decode_parameter(struct call *c, struct str *parameter)
{
    struct str decoded;

    if (parameter->n && memchr(parameter->p, '%', parameter->n) &&
        form_unescape(*parameter, FORM_PATH, &c->http->arena, &decoded) == 0)
        *parameter = decoded;
}

/* ---- the checks before a handler, in the order the API promises ---- */

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
    memcpy(c->http->caller, c->key->last_four, sizeof c->key->last_four);
    usage_note(c->api->options.usage, c->key->id, c->now_us, c->http->peer->text);
    if (route->access & UNCOUNTED) {
        allowance_show(c);
        return check_rights(c, route);
    }
    bool granted = allowance_take(c, &view);
    return check_rights(c, route) && allowance_check(c, &view, granted);
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
    decode_parameter(&c, &c.parameter);
    decode_parameter(&c, &c.second);
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
    bool may = call_find_key(&c) && permission_allows(c.key->permissions, route->permission) &&
               (!(route->access & TEST_ONLY) || c.key->mode == MODE_TEST);
    return may ? API_LARGE_BODY_MAX : API_BODY_MAX;
}
