/* GET /v1/webhooks, GET and DELETE /v1/webhooks/{webhookId}: where the caller's account wants to be
 * told. Making and changing them is in webhooks_create.c and webhooks_change.c. */
#include "api/webhook.h"
#include "base/utf8.h"

#include <errno.h>

/* ---- one ---- */

static bool no_webhook(struct call *c, struct problem *p)
{
    struct str shown = utf8_shown(c->parameter, 40);

    return problem_set(
        p, PROBLEM_WEBHOOK_NOT_FOUND, NULL,
        arena_printf(&c->http->arena,
                     "There is no webhook %.*s among those of this key's account and mode.",
                     STR_FMT(shown)));
}

/* Whether a key of this mode may use it so. What messages bring along has no owner who could change
 * it; sending it again touches nothing but the key's own mode. */
static bool judge(struct call *c, const struct endpoint_record *e, enum mode mode,
                  enum webhook_use use, struct problem *p)
{
    if (!(e->modes >> mode & 1))
        return no_webhook(c, p);
    if (use == WEBHOOK_READ || (use == WEBHOOK_RESEND && e->of_messages))
        return true;
    if (e->of_messages)
        return problem_set(p, PROBLEM_WEBHOOK_NOT_FOUND, NULL,
                           "This webhook stands for the webhookUrl of messages: its deliveries can "
                           "be read and sent again, but it cannot be changed.");
    if (mode == MODE_TEST && e->modes >> MODE_LIVE & 1)
        return problem_set(p, PROBLEM_LIVE_KEY_REQUIRED, NULL,
                           "This webhook tells of live messages; a live key (sl_live_…) is needed "
                           "to change it.");
    return true;
}

bool webhook_of_call(struct call *c, enum webhook_use use, struct endpoint_record *ret)
{
    struct problem p = {0};
    int64_t id;

    int failed =
        public_id_parse(api_ids(c->api), ENDPOINT_ID_PREFIX, c->parameter, &id)
            ? store_endpoint_get(c->worker->reader, c->key->account, id, &c->http->arena, ret)
            : -ENOENT;
    if (failed && failed != -ENOENT) {
        answer_store_trouble(c, failed);
        return false;
    }
    if (failed == -ENOENT ? no_webhook(c, &p) : judge(c, ret, c->key->mode, use, &p))
        return true;
    answer_problem(c, &p);
    return false;
}

int webhook_of_writing(struct writing *w, struct store *s, enum webhook_use use,
                       struct endpoint_record *ret)
{
    struct call *c = &w->call;
    int64_t id;

    int r = public_id_parse(api_ids(c->api), ENDPOINT_ID_PREFIX, c->parameter, &id)
                ? store_endpoint_find(s, w->account, id, &c->http->arena, ret)
                : -ENOENT;
    if (r == -ENOENT)
        no_webhook(c, &w->problem);
    else if (r == 0)
        judge(c, ret, w->mode, use, &w->problem);
    return r == -ENOENT ? 0 : r;
}

int webhook_pending(struct call *c, const struct endpoint_record *e, int64_t *ret)
{
    struct delivery_filter waiting = {
        .endpoint = e->id, .modes = 1u << c->key->mode, .states = 1u << DELIVERY_WAITING};
    return store_delivery_count(c->worker->reader, &waiting, ret);
}

void webhooks_get(struct call *c)
{
    struct endpoint_record e;
    int64_t pending;

    if (!webhook_of_call(c, WEBHOOK_READ, &e))
        return;
    int failed = webhook_pending(c, &e, &pending);
    if (failed) {
        answer_store_trouble(c, failed);
        return;
    }
    struct json_writer w = answer_json(c, 200);
    webhook_put(&w, c->api, &e, pending, c->now_us);
}

/* ---- many ---- */

static bool read_cursor(struct call *c, struct str value, void *out, struct problem *p)
{
    return page_read_cursor(c, value, ENDPOINT_ID_PREFIX, &((struct page_query *)out)->cursor, p);
}

static const struct query_field list_fields[] = {
    {"limit", page_read_limit},
    {"cursor", read_cursor},
};

/* Those that the key sees, newest first, in the place of `all`. */
static size_t keep_visible(const struct call *c, struct endpoint_record *all, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (all[i].modes >> c->key->mode & 1)
            all[kept++] = all[i];
    for (size_t i = 0; i < kept / 2; i++) {
        struct endpoint_record other = all[i];
        all[i] = all[kept - 1 - i];
        all[kept - 1 - i] = other;
    }
    return kept;
}

static int put_webhooks(struct json_writer *w, struct call *c, const struct endpoint_record *e,
                        size_t from, size_t to)
{
    int failed = 0;

    json_key(w, "data");
    json_begin_array(w);
    for (size_t i = from; i < to && !failed; i++) {
        int64_t pending;
        failed = webhook_pending(c, &e[i], &pending);
        if (!failed)
            webhook_put(w, c->api, &e[i], pending, c->now_us);
    }
    json_end(w);
    return failed;
}

/* There are ENDPOINTS_MAX at most: a page is a piece of them. */
static int answer_page(struct call *c, const struct page_query *q, const struct endpoint_record *e,
                       size_t count)
{
    struct json_writer w = answer_json(c, 200);
    size_t from = 0;

    while (q->cursor && from < count && e[from].id > q->cursor)
        from++;
    size_t to = count - from > q->limit ? from + q->limit : count;
    size_t before = from > q->limit ? from - q->limit : 0;

    json_begin_object(&w);
    int failed = put_webhooks(&w, c, e, from, to);
    page_put(&w, c, ENDPOINT_ID_PREFIX, to < count ? e[to].id : 0, from > 0 ? e[before].id : 0,
             (int64_t)count);
    json_end(&w);
    return failed;
}

void webhooks_list(struct call *c)
{
    struct page_query q = {.limit = PAGE_LIMIT_DEFAULT};
    struct problem p = {0};
    struct endpoint_record *all;
    size_t count;

    if (!query_read(c, list_fields, sizeof list_fields / sizeof *list_fields, &q, &p)) {
        answer_problem(c, &p);
        return;
    }
    int failed =
        store_endpoint_list(c->worker->reader, c->key->account, &c->http->arena, &all, &count);
    if (!failed)
        failed = answer_page(c, &q, all, keep_visible(c, all, count));
    if (failed)
        answer_store_trouble(c, failed);
}

/* ---- gone ---- */

struct removing {
    struct writing w;
    struct endpoint_record endpoint;
};

static int remove_apply(struct writing *w, struct store *s)
{
    struct removing *r = (struct removing *)w;
    int failed = webhook_of_writing(w, s, WEBHOOK_CHANGE, &r->endpoint);

    if (failed || w->problem.code != PROBLEM_NONE)
        return failed;
    return store_endpoint_remove(s, w->account, r->endpoint.id);
}

static void remove_render(const struct writing *w, struct json_writer *out)
{
    const struct removing *r = (const struct removing *)w;

    json_begin_object(out);
    webhook_put_id(out, w->call.api, &r->endpoint);
    json_member_bool(out, "deleted", true);
    json_end(out);
}

static const struct writing_ops remove_ops = {
    .apply = remove_apply, .render = remove_render, .status = 200};

void webhooks_remove(struct call *c)
{
    struct endpoint_record e;
    struct removing *r = webhook_of_call(c, WEBHOOK_CHANGE, &e) ? writing_new(c, sizeof *r) : NULL;

    if (r)
        writing_start(&r->w, &remove_ops, 1);
}
