/* GET /v1/messages and GET /v1/messages/{messageId}. */
#include "api/call.h"
#include "base/utf8.h"

#include <errno.h>

static void answer_page(struct call *c, const struct message_page *page)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_key(&w, "data");
    json_begin_array(&w);
    for (size_t i = 0; i < page->count; i++)
        message_put(&w, api_ids(c->api), &page->messages[i]);
    json_end(&w);
    page_put(&w, c, MESSAGE_ID_PREFIX, page->next, page->previous, page->total);
    json_end(&w);
}

void messages_list(struct call *c)
{
    struct message_query q;
    struct problem p = {0};
    struct message_page page;

    if (!message_query_read(c, &q, &p)) {
        answer_problem(c, &p);
        return;
    }
    int failed = store_message_page(c->worker->reader, c->key->account, c->key->mode, &q.filter,
                                    q.page.cursor, q.page.limit, &c->http->arena, &page);
    if (failed == -ENOENT) {
        page_cursor_problem(&p);
        answer_problem(c, &p);
    } else if (failed) {
        answer_store_trouble(c, failed);
    } else {
        answer_page(c, &page);
    }
}

static void answer_no_message(struct call *c)
{
    struct str id = utf8_shown(c->parameter, 40);

    answer_simple_problem(
        c, PROBLEM_MESSAGE_NOT_FOUND, NULL,
        arena_printf(&c->http->arena,
                     "There is no message %.*s among those of this key's account and mode.",
                     STR_FMT(id)));
}

bool message_find(struct call *c, struct message *ret)
{
    int64_t id;

    int failed = public_id_parse(api_ids(c->api), MESSAGE_ID_PREFIX, c->parameter, &id)
                     ? store_message_get(c->worker->reader, c->key->account, c->key->mode, id,
                                         &c->http->arena, ret)
                     : -ENOENT;
    if (failed == -ENOENT)
        answer_no_message(c);
    else if (failed)
        answer_store_trouble(c, failed);
    return !failed;
}

void messages_get(struct call *c)
{
    struct message m;

    if (message_find(c, &m)) {
        struct json_writer w = answer_json(c, 200);
        message_put(&w, api_ids(c->api), &m);
    }
}
