/* GET /v1/messages and GET /v1/messages/{messageId}. */
#include "api/call.h"
#include "json/form.h"

#include <errno.h>

enum { LIMIT_DEFAULT = 50, LIMIT_MAX = 100 };

struct list_query {
    int64_t cursor; /* 0 = the newest */
    size_t limit;
};

static bool read_limit(struct str value, struct list_query *q, struct problem *p)
{
    uint64_t limit;

    if (!str_to_u64(value, &limit) || limit < 1 || limit > LIMIT_MAX)
        return problem_set(p, PROBLEM_INVALID_LIMIT, "limit",
                           "limit must be a whole number from 1 to 100.");
    q->limit = limit;
    return true;
}

static bool cursor_problem(struct problem *p)
{
    return problem_set(p, PROBLEM_INVALID_CURSOR, "cursor",
                       "The cursor is not the id of one of your messages; pass nextCursor or "
                       "previousCursor of an earlier page unchanged.");
}

static bool read_query(struct call *c, struct list_query *q, struct problem *p)
{
    struct form form = form_of(c->http->head.query);
    struct str name, value;
    int more;

    while ((more = form_next(&form, &c->http->arena, &name, &value)) > 0) {
        if (str_is(name, "limit") && !read_limit(value, q, p))
            return false;
        if (str_is(name, "cursor") && !message_id_parse(c->api, value, &q->cursor))
            return cursor_problem(p);
    }
    if (more < 0)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, NULL,
                           "The query string is not properly percent-encoded UTF-8.");
    return true;
}

static void put_cursor(struct json_writer *w, struct call *c, const char *key, int64_t id)
{
    char text[MESSAGE_ID_SIZE];

    json_key(w, key);
    if (id == 0) {
        json_put_null(w);
        return;
    }
    message_id_format(c->api, id, text);
    json_put_string(w, (struct str){text, sizeof text});
}

static void answer_page(struct call *c, const struct message_page *page)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_key(&w, "data");
    json_begin_array(&w);
    for (size_t i = 0; i < page->count; i++)
        message_put(&w, c->api, &page->messages[i]);
    json_end(&w);
    json_key(&w, "pagination");
    json_begin_object(&w);
    json_key(&w, "hasMore");
    json_put_bool(&w, page->next != 0);
    put_cursor(&w, c, "nextCursor", page->next);
    put_cursor(&w, c, "previousCursor", page->previous);
    json_key(&w, "totalCount");
    json_put_i64(&w, page->total);
    json_end(&w);
    json_end(&w);
}

void messages_list(struct call *c)
{
    struct list_query q = {.limit = LIMIT_DEFAULT};
    struct problem p = {0};
    struct message_page page;

    if (!read_query(c, &q, &p)) {
        answer_problem(c, &p);
        return;
    }
    int failed = store_message_page(c->worker->reader, c->key->account, c->key->mode, NULL,
                                    q.cursor, q.limit, &c->http->arena, &page);
    if (failed == -ENOENT) {
        cursor_problem(&p);
        answer_problem(c, &p);
    } else if (failed) {
        answer_store_trouble(c, failed);
    } else {
        answer_page(c, &page);
    }
}

static void answer_no_message(struct call *c)
{
    struct str id = c->parameter;

    if (id.n > 40)
        id.n = 40;
    answer_simple_problem(
        c, PROBLEM_MESSAGE_NOT_FOUND, NULL,
        arena_printf(&c->http->arena,
                     "There is no message %.*s among those of this key's account and mode.",
                     STR_FMT(id)));
}

void messages_get(struct call *c)
{
    struct message m;
    int64_t id;

    int failed = message_id_parse(c->api, c->parameter, &id)
                     ? store_message_get(c->worker->reader, c->key->account, c->key->mode, id,
                                         &c->http->arena, &m)
                     : -ENOENT;
    if (failed == -ENOENT) {
        answer_no_message(c);
    } else if (failed) {
        answer_store_trouble(c, failed);
    } else {
        struct json_writer w = answer_json(c, 200);
        message_put(&w, c->api, &m);
    }
}
