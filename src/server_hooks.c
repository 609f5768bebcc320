/* Webhooks in the server: their loop, the way out, and the sender on it. */
#include "server_internal.h"

#include "base/random.h"
#include "hooks/hook_set.h"
#include "net/address_guard.h"
#include "net/tls_trust.h"

#include <errno.h>

enum { CONNECT_MS = 10000, TOTAL_MS = 30000 };

bool server_webhooks_good(const struct config *c, struct buf *faults)
{
    struct address_guard_options guarded = {.allow = c->webhooks_allow};
    struct address_guard *guard = NULL;
    struct tls_trust *trust = NULL;
    char why[ADDRESS_WHY_SIZE], ca_why[TLS_WHY_SIZE];

    bool allow = address_guard_new(&guard, &guarded, why) == 0;
    bool ca = !c->webhooks_ca[0] || tls_trust_new(&trust, c->webhooks_ca, ca_why) == 0;
    if (!allow)
        buf_printf(faults, "%s: webhooks.allow: %s\n", c->origins[CONFIG_webhooks_allow], why);
    if (!ca)
        buf_printf(faults, "%s: webhooks.ca: %s\n", c->origins[CONFIG_webhooks_ca], ca_why);
    address_guard_free(guard);
    tls_trust_free(trust);
    return allow && ca;
}

static int build(struct server *s)
{
    const struct config *c = s->config;
    struct loop_http_options http = {.guard = s->guard,
                                     .ca_file = c->webhooks_ca,
                                     .max_connections = (size_t)c->webhooks_connections,
                                     .connect_ms = CONNECT_MS,
                                     .total_ms = TOTAL_MS};
    struct hook_set_options hooks = {.store = s->store,
                                     .clock = &clock_real,
                                     .connections = (unsigned)c->webhooks_connections,
                                     .per_endpoint = (unsigned)c->webhooks_per_endpoint,
                                     .random = random_fast};
    int failed = loop_new(&s->hook_loop);

    _Static_assert((int)LIVE_WHY_SIZE >= (int)LOOP_HTTP_WHY_SIZE, "room for its reasons");
    if (failed)
        return failed;
    failed = loop_http_new(&s->hook_http, s->hook_loop, &http, s->why);
    if (failed)
        return failed;
    hooks.loop = s->hook_loop;
    hooks.port = hook_port_http(s->hook_http);
    return hook_set_new(&s->hooks, &hooks);
}

int server_build_hooks(struct server *s)
{
    int failed = build(s);
    return failed ? server_fail(s, failed, "cannot prepare webhooks") : 0;
}

int server_start_hooks(struct server *s)
{
    hook_set_start(s->hooks, s->writer);
    int failed = loop_start(s->hook_loop, "hooks");
    return failed ? server_fail(s, failed, "cannot start webhooks") : 0;
}

void server_stop_hooks(struct server *s)
{
    if (s->hook_loop)
        loop_stop(s->hook_loop);
}

void server_free_hooks(struct server *s)
{
    if (s->hook_http)
        loop_http_free(s->hook_http);
    hook_set_free(s->hooks);
    if (s->hook_loop)
        loop_free(s->hook_loop);
}
