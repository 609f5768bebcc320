/* /v1/webhooks/{webhookId}/deliveries: what was, is or will be told there. */
#include "api/webhook.h"

enum { BODY_MAX = 1 << 20 }; /* far more than a message can come to */

/* ---- many ---- */

struct delivery_query {
    struct page_query page;
    struct delivery_filter filter;
};

static bool read_cursor(struct call *c, struct str value, void *out, struct problem *p)
{
    return page_read_cursor(c, value, DELIVERY_ID_PREFIX, &((struct page_query *)out)->cursor, p);
}

static bool read_status(struct call *c, struct str value, void *out, struct problem *p)
{
    struct delivery_query *q = out;

#define X(name, number, word)                                                                      \
    if (str_is(value, word))                                                                       \
        q->filter.states = 1u << (number);
    DELIVERY_STATES(X)
#undef X
    return q->filter.states || problem_set(p, PROBLEM_INVALID_PARAMETER, "status",
                                           "status must be one of pending, delivered, failed.");
}

static bool read_since(struct call *c, struct str value, void *out, struct problem *p)
{
    return query_time(value, "since", &((struct delivery_query *)out)->filter.after_us, p);
}

static bool read_until(struct call *c, struct str value, void *out, struct problem *p)
{
    return query_time(value, "until", &((struct delivery_query *)out)->filter.before_us, p);
}

static const struct query_field list_fields[] = {
    {"limit", page_read_limit}, {"cursor", read_cursor}, {"status", read_status},
    {"since", read_since},      {"until", read_until},
};

static bool read_query(struct call *c, struct delivery_query *q, struct problem *p)
{
    const struct delivery_filter *f = &q->filter;

    if (!query_read(c, list_fields, sizeof list_fields / sizeof *list_fields, q, p))
        return false;
    return !f->after_us || !f->before_us || f->after_us < f->before_us ||
           problem_set(p, PROBLEM_INVALID_DATE_RANGE, "until", "until must lie after since.");
}

static int put_deliveries(struct json_writer *w, struct call *c, const struct endpoint_record *e,
                          const struct delivery_page *page)
{
    struct delivery_view view;
    int failed = 0;

    json_key(w, "data");
    json_begin_array(w);
    for (size_t i = 0; i < page->count && !failed; i++) {
        failed = delivery_look(c, e, &page->records[i], 1, &view);
        if (!failed)
            delivery_put(w, c->api, &view, c->now_us);
    }
    json_end(w);
    return failed;
}

static void answer_page(struct call *c, const struct endpoint_record *e,
                        const struct delivery_page *page)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    int failed = put_deliveries(&w, c, e, page);
    page_put(&w, c, DELIVERY_ID_PREFIX, page->next, page->previous, page->total);
    json_end(&w);
    if (failed)
        answer_store_trouble(c, failed);
}

void deliveries_list(struct call *c)
{
    struct delivery_query q = {.page = {.limit = PAGE_LIMIT_DEFAULT}};
    struct endpoint_record e;
    struct delivery_page page;
    struct problem p = {0};

    if (!webhook_of_call(c, WEBHOOK_READ, &e))
        return;
    if (!read_query(c, &q, &p)) {
        answer_problem(c, &p);
        return;
    }
    q.filter.endpoint = e.id;
    q.filter.modes = 1u << c->key->mode;
    int failed = store_delivery_page(c->worker->reader, &q.filter, q.page.cursor, q.page.limit,
                                     &c->http->arena, &page);
    if (failed)
        answer_store_trouble(c, failed);
    else
        answer_page(c, &e, &page);
}

/* ---- one ---- */

void deliveries_get(struct call *c)
{
    struct buf body BUF_CLEANUP;
    struct endpoint_record e;
    struct delivery_view view;

    buf_init(&body, BODY_MAX);
    if (!webhook_of_call(c, WEBHOOK_READ, &e) || !delivery_of_call(c, &e, &view))
        return;
    int failed = delivery_body(c, &view.record, &body);
    if (failed) {
        answer_store_trouble(c, failed);
        return;
    }
    struct json_writer w = answer_json(c, 200);
    delivery_put_whole(&w, c, &view, buf_str(&body));
}

/* ---- once more ---- */

struct retrying {
    struct writing w;
    struct endpoint_record endpoint;
    struct delivery_view view;
};

static int retry_apply(struct writing *w, struct store *s)
{
    struct retrying *n = (struct retrying *)w;
    int r = webhook_of_writing(w, s, WEBHOOK_RESEND, &n->endpoint);

    if (r || w->problem.code != PROBLEM_NONE)
        return r;
    r = store_delivery_again(s, n->view.record.id, w->call.now_us);
    if (r == 0)
        problem_set(&w->problem, PROBLEM_DELIVERY_NOT_FOUND, NULL,
                    "The delivery is past its time and was removed just now.");
    if (r <= 0)
        return r;
    return store_delivery_find(s, n->view.record.id, &n->view.record);
}

static void retry_render(const struct writing *w, struct json_writer *out)
{
    const struct retrying *n = (const struct retrying *)w;
    delivery_put(out, w->call.api, &n->view, w->call.now_us);
}

static const struct writing_ops retry_ops = {
    .apply = retry_apply, .render = retry_render, .status = 200};

void delivery_retry(struct call *c)
{
    static const struct body_table nothing = {NULL, 0, 0, false};
    struct retrying *n = writing_new(c, sizeof *n);
    struct problem p = {0};

    if (!n || !webhook_of_call(c, WEBHOOK_RESEND, &n->endpoint) ||
        !delivery_of_call(c, &n->endpoint, &n->view))
        return;
    if (writing_once(&n->w, &nothing, NULL, &p))
        writing_start(&n->w, &retry_ops, 1);
    else
        answer_problem(c, &p);
}
