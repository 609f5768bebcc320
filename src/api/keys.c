/* GET /v1/keys, GET and DELETE /v1/keys/{keyId}: the keys of the caller's account and mode. Making
 * them is in keys_create.c. */
#include "api/call.h"
#include "base/utf8.h"

#include <errno.h>

/* ---- one ---- */

bool key_of_call(struct call *c, struct key_record *ret)
{
    struct str shown = utf8_shown(c->parameter, 40);
    int64_t id;

    int failed = public_id_parse(api_ids(c->api), KEY_ID_PREFIX, c->parameter, &id)
                     ? store_key_get(c->worker->reader, c->key->account, id, ret)
                     : -ENOENT;
    if (failed == 0 && ret->mode != c->key->mode)
        failed = -ENOENT;
    if (failed == -ENOENT)
        answer_simple_problem(
            c, PROBLEM_KEY_NOT_FOUND, NULL,
            arena_printf(&c->http->arena,
                         "There is no key %.*s among those of this key's account and mode.",
                         STR_FMT(shown)));
    else if (failed)
        answer_store_trouble(c, failed);
    return failed == 0;
}

void keys_get(struct call *c)
{
    struct key_record k;
    struct key_usage usage;

    if (!key_of_call(c, &k))
        return;
    int failed = store_key_usage(c->worker->reader, k.id, &usage);
    if (failed) {
        answer_store_trouble(c, failed);
        return;
    }
    struct json_writer w = answer_json(c, 200);
    key_put(&w, c->api, &k, &usage, c->now_us);
}

/* ---- many ---- */

static bool read_cursor(struct call *c, struct str value, void *out, struct problem *p)
{
    return page_read_cursor(c, value, KEY_ID_PREFIX, &((struct page_query *)out)->cursor, p);
}

static const struct query_field list_fields[] = {
    {"limit", page_read_limit},
    {"cursor", read_cursor},
};

static int put_keys(struct json_writer *w, struct call *c, const struct key_page *page)
{
    struct key_usage usage;
    int failed = 0;

    json_key(w, "data");
    json_begin_array(w);
    for (size_t i = 0; i < page->count && !failed; i++) {
        failed = store_key_usage(c->worker->reader, page->keys[i].id, &usage);
        if (!failed)
            key_put(w, c->api, &page->keys[i], &usage, c->now_us);
    }
    json_end(w);
    return failed;
}

void keys_list(struct call *c)
{
    struct page_query q = {.limit = PAGE_LIMIT_DEFAULT};
    struct problem p = {0};
    struct key_page page;

    if (!query_read(c, list_fields, sizeof list_fields / sizeof *list_fields, &q, &p)) {
        answer_problem(c, &p);
        return;
    }
    int failed = store_key_page(c->worker->reader, c->key->account, c->key->mode, q.cursor, q.limit,
                                &c->http->arena, &page);
    if (!failed) {
        struct json_writer w = answer_json(c, 200);
        json_begin_object(&w);
        failed = put_keys(&w, c, &page);
        page_put(&w, c, KEY_ID_PREFIX, page.next, page.previous, page.total);
        json_end(&w);
    }
    if (failed)
        answer_store_trouble(c, failed);
}

/* ---- off ---- */

struct revoking {
    struct writing w;
    struct key_record key;
    struct key_usage usage;
};

static int revoke_apply(struct writing *w, struct store *s)
{
    struct revoking *r = (struct revoking *)w;
    return store_key_revoke(s, w->account, r->key.id, w->call.now_us);
}

static void revoke_render(const struct writing *w, struct json_writer *out)
{
    const struct revoking *r = (const struct revoking *)w;
    key_put(out, w->call.api, &r->key, &r->usage, w->call.now_us);
}

static const struct writing_ops revoke_ops = {
    .apply = revoke_apply, .render = revoke_render, .status = 200};

void keys_revoke(struct call *c)
{
    struct key_record k;

    if (!key_of_call(c, &k))
        return;
    struct revoking *r = writing_new(c, sizeof *r);
    if (!r)
        return;
    r->key = k;
    if (key_state(&k, c->now_us) != KEY_REVOKED)
        r->key.revoked_us = c->now_us;
    int failed = store_key_usage(c->worker->reader, k.id, &r->usage);
    if (failed)
        answer_store_trouble(c, failed);
    else
        writing_start(&r->w, &revoke_ops, 1);
}
