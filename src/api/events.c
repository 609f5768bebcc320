/* GET /v1/events: what became of the account's messages, as a list or, for whom accepts
 * text/event-stream, told as it happens (event_stream.c). */
#include "api/event_stream.h"
#include "api/stream.h"

#include "view/notice_json.h"

#include <errno.h>

struct events_query {
    struct page_query page; /* limit 0: none was given */
    int64_t after;
    bool has_cursor, has_after;
    uint32_t kinds;
};

/* ---- the query ---- */

static bool no_place(const char *field, struct problem *p)
{
    return problem_set(p, PROBLEM_INVALID_CURSOR, field,
                       "This leads to no event of this key's account and mode; pass the id of one "
                       "(evt_…) unchanged.");
}

static bool read_place(struct call *c, struct str value, const char *field, int64_t *ret,
                       struct problem *p)
{
    return public_id_parse(api_ids(c->api), NOTICE_ID_PREFIX, value, ret) || no_place(field, p);
}

static bool read_cursor(struct call *c, struct str value, void *out, struct problem *p)
{
    struct events_query *q = out;

    q->has_cursor = true;
    return read_place(c, value, "cursor", &q->page.cursor, p);
}

static bool read_after(struct call *c, struct str value, void *out, struct problem *p)
{
    struct events_query *q = out;

    q->has_after = true;
    q->after = 0; /* before any event */
    return str_is(value, "start") || read_place(c, value, "after", &q->after, p);
}

static bool read_types(struct call *c, struct str value, void *out, struct problem *p)
{
    struct events_query *q = out;
    enum notice_kind kind;

    do {
        if (!notice_from_word(str_cut(&value, ','), &kind) || kind == NOTICE_TEST)
            return problem_set(p, PROBLEM_INVALID_PARAMETER, "types",
                               "types must be one or several types of events, separated by commas: "
                               "message.scheduled, message.queued, message.sent, "
                               "message.delivered, message.failed, message.cancelled, "
                               "message.received, message.opt_out, message.opt_in.");
        q->kinds |= notice_bit(kind);
    } while (value.p);
    return true;
}

static const struct query_field fields[] = {
    {"limit", page_read_limit},
    {"cursor", read_cursor},
    {"after", read_after},
    {"types", read_types},
};

/* ---- places ---- */

/* Whether a number is a place in the caller's list. One from before what is kept stands for the
 * oldest that is: whose it was nobody can say any more. */
static bool check_place(struct call *c, int64_t id, const char *field, struct problem *p,
                        int *ret_failed)
{
    int64_t kept_us = store_retention(c->api->options.store)->notices_us;
    struct notice_record n;

    *ret_failed = 0;
    if (id < id_at_ms((c->now_us - kept_us) / 1000))
        return true;
    int failed = store_notice_get(c->worker->reader, c->key->account, c->key->mode, id, &n);
    if (failed == -ENOENT)
        return no_place(field, p);
    *ret_failed = failed;
    return !failed;
}

/* False when it is answered. */
static bool is_place(struct call *c, int64_t id, const char *field)
{
    struct problem p = {0};
    int failed;

    if (check_place(c, id, field, &p, &failed))
        return true;
    if (failed)
        answer_store_trouble(c, failed);
    else
        answer_problem(c, &p);
    return false;
}

/* ---- the list ---- */

static int put_event(struct json_writer *w, struct call *c, const struct notice_record *n)
{
    struct message m;
    int failed = store_message_at(c->worker->reader, n, &c->http->arena, &m);

    if (!failed)
        notice_put(w, api_ids(c->api), n, &m);
    return failed == -ENOENT ? 0 : failed;
}

static void answer_page(struct call *c, const struct notice_record *notices, size_t count,
                        int64_t next, int64_t previous)
{
    struct json_writer w = answer_json(c, 200);
    int failed = 0;

    json_begin_object(&w);
    json_key(&w, "data");
    json_begin_array(&w);
    for (size_t i = 0; i < count && !failed; i++)
        failed = put_event(&w, c, &notices[i]);
    json_end(&w);
    page_put(&w, c, NOTICE_ID_PREFIX, next, previous, PAGE_NO_TOTAL);
    json_end(&w);
    if (failed)
        answer_store_trouble(c, failed);
}

/* The first of the page before the one that begins at the cursor; 0 = there is none. */
static int find_previous(struct call *c, const struct events_query *q, int64_t *ret)
{
    struct notice_query before = {
        .kinds = q->kinds, .forward = true, .from = q->page.cursor, .limit = q->page.limit};
    struct notice_record *notices;
    size_t count = 0;
    int failed = q->has_cursor ? store_notice_list(c->worker->reader, c->key->account, c->key->mode,
                                                   &before, &c->http->arena, &notices, &count)
                               : 0;

    *ret = count ? notices[count - 1].id : 0;
    return failed;
}

static void answer_list(struct call *c, const struct events_query *q)
{
    size_t limit = q->page.limit;
    struct notice_query query = {.kinds = q->kinds,
                                 .forward = q->has_after,
                                 .from = q->has_after ? q->after : q->page.cursor,
                                 .limit = limit + 1};
    struct notice_record *notices;
    size_t count;
    int64_t previous, next = 0;

    int failed = store_notice_list(c->worker->reader, c->key->account, c->key->mode, &query,
                                   &c->http->arena, &notices, &count);
    if (!failed)
        failed = find_previous(c, q, &previous);
    if (failed) {
        answer_store_trouble(c, failed);
        return;
    }
    if (count > limit)
        next = notices[q->has_after ? limit - 1 : limit].id;
    answer_page(c, notices, count < limit ? count : limit, next, previous);
}

static void list(struct call *c, struct events_query *q)
{
    if (q->has_cursor && q->has_after) {
        answer_simple_problem(c, PROBLEM_INVALID_PARAMETER, "after",
                              "after and cursor are two ways to go on; give one of them.");
        return;
    }
    if (!q->page.limit)
        q->page.limit = PAGE_LIMIT_DEFAULT;
    if ((!q->has_cursor || is_place(c, q->page.cursor, "cursor")) &&
        (!q->has_after || is_place(c, q->after, "after")))
        answer_list(c, q);
}

/* ---- the stream ---- */

/* Where it begins: behind the last event that the client has had, or behind the newest. False when
 * it is answered that this cannot be. */
static bool find_beginning(struct call *c, const struct events_query *q, int64_t *ret)
{
    struct str last = http_head_field(&c->http->head, "Last-Event-ID");
    struct problem p = {0};

    if (last.n) {
        if (read_place(c, last, "Last-Event-ID", ret, &p))
            return is_place(c, *ret, "Last-Event-ID");
        answer_problem(c, &p);
        return false;
    }
    if (q->has_after) {
        *ret = q->after;
        return is_place(c, *ret, "after");
    }
    int failed = store_notice_last(c->worker->reader, c->key->account, c->key->mode, ret);
    if (failed)
        answer_store_trouble(c, failed);
    return !failed;
}

static void stream(struct call *c, const struct events_query *q)
{
    int64_t position;

    if (q->has_cursor || q->page.limit) {
        answer_simple_problem(c, PROBLEM_INVALID_PARAMETER, q->has_cursor ? "cursor" : "limit",
                              "A stream has no pages; give after or the header Last-Event-ID, or "
                              "ask for application/json.");
        return;
    }
    if (find_beginning(c, q, &position))
        event_stream_begin(c, position, q->kinds);
}

void events_get(struct call *c)
{
    struct events_query q = {0};
    struct problem p = {0};

    if (!query_read(c, fields, sizeof fields / sizeof *fields, &q, &p))
        answer_problem(c, &p);
    else if (stream_wanted(c))
        stream(c, &q);
    else
        list(c, &q);
}
