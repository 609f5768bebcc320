/* What a key may use of its limits: taken before a call, and shown in its headers. */
#include "api/call.h"
#include "base/metric.h"
#include "messaging/plan.h"

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

bool allowance_take(struct call *c, struct limit_view *ret)
{
    bool granted =
        limiter_take(c->api->options.limiter, c->key->id, plan_limits(c->key), c->now_us, ret);

    show_limits(c, ret, c->now_us);
    return granted;
}

/* Of the two windows the one with fewer left, or with the later end. */
void allowance_show(struct call *c)
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

bool allowance_check(struct call *c, const struct limit_view *view, bool granted)
{
    struct problem p = {0};

    if (granted)
        return true;
    metric_add(METRIC_HTTP_LIMITED, 0, 1);
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
