/* One delivery, with what belongs to it: where it goes, how its tries went, what it says. */
#include "api/webhook.h"
#include "base/utf8.h"
#include "view/notice_json.h"

#include <errno.h>

/* That of a message goes where the message says, and not to the origin that stands for it. */
static int find_address(struct call *c, struct delivery_view *v)
{
    struct message m;

    v->url = v->endpoint->url;
    if (!v->endpoint->of_messages || !v->record.message)
        return 0;
    int failed = store_message_find(c->worker->reader, v->record.message, &c->http->arena, &m);
    if (failed)
        return failed == -ENOENT ? 0 : failed;
    v->url = m.webhook_url;
    return 0;
}

int delivery_look(struct call *c, const struct endpoint_record *e, const struct delivery_record *d,
                  struct delivery_view *ret)
{
    *ret = (struct delivery_view){.endpoint = e, .record = *d};
    int failed = find_address(c, ret);
    if (failed || d->attempts == 0)
        return failed;
    return store_attempt_list(c->worker->reader, d->id, &c->http->arena, &ret->attempts,
                              &ret->attempt_count);
}

static bool no_delivery(struct call *c)
{
    struct str shown = utf8_shown(c->second, 40);

    answer_simple_problem(
        c, PROBLEM_DELIVERY_NOT_FOUND, NULL,
        arena_printf(&c->http->arena,
                     "There is no delivery %.*s of this webhook among those of this key's mode.",
                     STR_FMT(shown)));
    return false;
}

bool delivery_of_call(struct call *c, const struct endpoint_record *e, struct delivery_view *ret)
{
    struct delivery_record d;
    int64_t id;

    int failed = public_id_parse(api_ids(c->api), DELIVERY_ID_PREFIX, c->second, &id)
                     ? store_delivery_get(c->worker->reader, id, &d)
                     : -ENOENT;
    if (failed == 0 && (d.endpoint != e->id || d.mode != c->key->mode))
        failed = -ENOENT;
    if (failed == 0)
        failed = delivery_look(c, e, &d, ret);
    else if (failed == -ENOENT)
        return no_delivery(c);
    if (failed)
        answer_store_trouble(c, failed);
    return failed == 0;
}

int delivery_body(struct call *c, const struct delivery_record *d, struct buf *out)
{
    const struct id_cipher *ids = api_ids(c->api);
    struct notice_record n;
    struct json_writer w;
    struct message m;

    json_writer_init(&w, out);
    if (d->kind == NOTICE_TEST) {
        notice_put_test(&w, ids, d);
        return 0;
    }
    int failed = store_notice_get(c->worker->reader, d->account, d->mode, d->notice, &n);
    if (!failed)
        failed = store_message_at(c->worker->reader, &n, &c->http->arena, &m);
    if (!failed)
        notice_put(&w, ids, &n, &m);
    return failed == -ENOENT ? 0 : failed;
}
