#include "cli/forward.h"

#include "base/clock.h"
#include "cli/client.h"
#include "view/hook_headers.h"
#include "view/signature.h"

enum { ANSWER_MS = 30000, MEMORY_MAX = 1 << 16 };

const char *forward_url_fault(const char *url)
{
    struct str text = str_of(url);
    bool plain = str_starts_nocase(text, STR("http://"));

    if (!plain && !str_starts_nocase(text, STR("https://")))
        return "It must begin with http:// or https://, such as http://localhost:3000/hook";
    if (plain && !client_url_is_local(text))
        return "Plain http:// goes to this machine only; elsewhere it takes https://.";
    return NULL;
}

/* ---- the request ---- */

/* An id of a delivery that nobody made: the event's own, under the other prefix, so that it is the
 * same in every try. */
static void put_ids(struct hook_headers *h, struct str event)
{
    str_format(h->event, sizeof h->event, "%.*s", STR_FMT(event));
    str_format(h->delivery, sizeof h->delivery, DELIVERY_ID_PREFIX "%.*s",
               STR_FMT(str_skip(event, strlen(NOTICE_ID_PREFIX))));
}

static const char *const *make_headers(const struct forward *f, const struct forward_event *e,
                                       struct arena *a)
{
    struct buf of_body BUF_CLEANUP, standard BUF_CLEANUP;
    struct hook_headers h = {
        .kind = e->kind, .attempt = e->attempt, .at_us = clock_now_us(&clock_real)};
    struct signing signing = {
        .secret = f->secret, .id = e->id, .timestamp_s = h.at_us / 1000000, .body = e->body};

    buf_init(&of_body, 1024);
    buf_init(&standard, 1024);
    signature_of_body(&signing, &of_body);
    signature_standard(&signing, &standard);
    put_ids(&h, e->id);
    h.signature = buf_str(&of_body);
    h.standard = buf_str(&standard);
    return hook_headers_make(&h, a);
}

/* ---- waiting for the answer ---- */

struct waiting {
    const struct forward *forward;
    int64_t until_us;
    bool late;
};

static bool ignore(void *context, struct str bytes)
{
    return true;
}

static bool is_over(void *context)
{
    struct waiting *w = context;

    w->late = clock_monotonic_us() > w->until_us;
    return w->late || w->forward->stopped(w->forward->context);
}

void forward_send(const struct forward *f, const struct forward_event *e,
                  struct forward_result *ret)
{
    struct http_reply reply HTTP_REPLY_CLEANUP;
    struct arena memory;
    int64_t start_us = clock_monotonic_us();
    struct waiting waiting = {.forward = f, .until_us = start_us + ANSWER_MS * INT64_C(1000)};
    bool local = client_url_is_local(str_of(f->url));

    arena_init(&memory, MEMORY_MAX);
    enum http_outcome outcome =
        http_follow(&(struct http_follow){.call = {.method = "POST",
                                                   .url = f->url,
                                                   .direct = local,
                                                   .plain = local,
                                                   .headers = make_headers(f, e, &memory),
                                                   .body = e->body,
                                                   .timeout_ms = ANSWER_MS},
                                          .take = ignore,
                                          .stopped = is_over,
                                          .context = &waiting},
                    &reply);
    *ret = (struct forward_result){.duration_ms = (clock_monotonic_us() - start_us + 999) / 1000};
    if (outcome == HTTP_ANSWERED && !waiting.late)
        ret->status = reply.status;
    str_format(ret->why, sizeof ret->why, "%s",
               waiting.late || outcome == HTTP_TIMED_OUT ? "no answer within 30 s" : reply.why);
    ret->taken = ret->status >= 200 && ret->status < 300;
    arena_done(&memory);
}
