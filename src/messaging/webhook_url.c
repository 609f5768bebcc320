#include "messaging/webhook_url.h"

#include "messaging/https_url.h"

static bool refuse(const char *field, const char *fault, struct arena *a, struct problem *problem)
{
    return problem_set(problem, PROBLEM_INVALID_WEBHOOK_URL, field,
                       arena_printf(a, "%s %s", field, fault));
}

/* What stands between a developer and his own machine, and two ways there. */
static bool refuse_plain(const char *field, const char *why, struct arena *a,
                         struct problem *problem)
{
    return problem_set(problem, PROBLEM_INVALID_WEBHOOK_URL, field,
                       arena_printf(a,
                                    "%s must start with https://, and %s. For development, "
                                    "'skylark webhooks listen' brings events to your machine, or "
                                    "the operator lets it through (webhooks.allow_localhost).",
                                    field, why));
}

bool webhook_url_check(struct str url, const char *field, const struct address_guard *guard,
                       struct arena *a, struct problem *problem)
{
    char why[ADDRESS_WHY_SIZE];
    const char *fault = https_url_fault(url);

    if (!http_url_fault(url) && url_has_user(url))
        return refuse(field,
                      "must not have a user name or password, which others would see; requests are "
                      "signed, so check their signature instead.",
                      a, problem);
    if (fault && !http_url_fault(url)) { /* it is plain HTTP, and else it is well */
        if (address_guard_allows_plain(guard, url_host(url)))
            return true;
        if (!address_guard_allows_host(guard, url_host(url), why))
            return refuse_plain(field, why, a, problem);
    }
    if (fault)
        return refuse(field, fault, a, problem);
    if (address_guard_allows_host(guard, url_host(url), why))
        return true;
    return problem_set(problem, PROBLEM_INVALID_WEBHOOK_URL, field,
                       arena_printf(a,
                                    "%s must lead to the public internet, and %s. The operator of "
                                    "this service can let it through (webhooks.allow, "
                                    "webhooks.allow_localhost).",
                                    field, why));
}
