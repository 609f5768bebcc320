#include "view/hook_headers.h"

#include "base/clock.h"
#include "messaging/notice.h"

#include <inttypes.h>

const char *const *hook_headers_make(const struct hook_headers *h, struct arena *a)
{
    const char **list = arena_alloc(a, HOOK_HEADERS_MAX * sizeof *list);
    char at[RFC3339_SIZE];
    size_t n = 0;

    if (!list)
        return NULL;
    rfc3339_format(h->at_us, at);
    list[n++] = "Content-Type: application/json";
    list[n++] = "User-Agent: Skylark/" SKYLARK_VERSION;
    list[n++] = arena_printf(a, "X-Service-Signature: %.*s", STR_FMT(h->signature));
    list[n++] = arena_printf(a, "X-Service-Event-Id: %s", h->event);
    list[n++] = arena_printf(a, "X-Service-Event-Type: %s", notice_word(h->kind));
    list[n++] = arena_printf(a, "X-Service-Delivery: %s", h->delivery);
    list[n++] = arena_printf(a, "X-Service-Timestamp: %s", at);
    list[n++] = arena_printf(a, "X-Service-Attempt: %u", h->attempt);
    list[n++] = arena_printf(a, "webhook-id: %s", h->event);
    list[n++] = arena_printf(a, "webhook-timestamp: %" PRId64, h->at_us / 1000000);
    list[n++] = arena_printf(a, "webhook-signature: %.*s", STR_FMT(h->standard));
    return a->failed ? NULL : list;
}
