/* /v1/opt-outs: who must not be written to, for the caller's account and mode. */
#include "api/call.h"
#include "messaging/check.h"
#include "messaging/optout.h"
#include "messaging/words.h"

#include <errno.h>

static void put_opt_out(struct json_writer *w, const struct opt_out_record *o)
{
    json_begin_object(w);
    json_member_text(w, "number", o->number);
    json_member_text(w, "source", str_of(opt_out_source_word(o->source)));
    json_key(w, "keyword");
    if (o->keyword.n)
        json_put_string(w, o->keyword);
    else
        json_put_null(w);
    json_member_time(w, "createdAt", o->created_us);
    json_end(w);
}

/* The number in the path; false when it is none, which is answered. */
static bool number_of_call(struct call *c)
{
    struct problem p = {0};

    if (check_number(c->parameter, "number", &c->http->arena, &p))
        return true;
    answer_problem(c, &p);
    return false;
}

static bool no_opt_out(struct call *c, struct problem *p)
{
    return problem_set(
        p, PROBLEM_OPT_OUT_NOT_FOUND, NULL,
        arena_printf(&c->http->arena, "%.*s is not on the opt-out list.", STR_FMT(c->parameter)));
}

/* ---- reading ---- */

static bool read_cursor(struct call *c, struct str value, void *out, struct problem *p)
{
    return page_read_cursor(c, value, OPT_OUT_ID_PREFIX, &((struct page_query *)out)->cursor, p);
}

static const struct query_field list_fields[] = {
    {"limit", page_read_limit},
    {"cursor", read_cursor},
};

static void answer_page(struct call *c, const struct opt_out_page *page)
{
    struct json_writer w = answer_json(c, 200);

    json_begin_object(&w);
    json_key(&w, "data");
    json_begin_array(&w);
    for (size_t i = 0; i < page->count; i++)
        put_opt_out(&w, &page->records[i]);
    json_end(&w);
    page_put(&w, c, OPT_OUT_ID_PREFIX, page->next, page->previous, page->total);
    json_end(&w);
}

void opt_outs_list(struct call *c)
{
    struct page_query q = {.limit = PAGE_LIMIT_DEFAULT};
    struct problem p = {0};
    struct opt_out_page page;

    if (!query_read(c, list_fields, sizeof list_fields / sizeof *list_fields, &q, &p)) {
        answer_problem(c, &p);
        return;
    }
    int failed = store_opt_out_page(c->worker->reader, c->key->account, c->key->mode, q.cursor,
                                    q.limit, &c->http->arena, &page);
    if (failed)
        answer_store_trouble(c, failed);
    else
        answer_page(c, &page);
}

void opt_outs_get(struct call *c)
{
    struct opt_out_record found;
    struct problem p = {0};

    if (!number_of_call(c))
        return;
    int failed = store_opt_out_get(c->worker->reader, c->key->account, c->key->mode, c->parameter,
                                   &c->http->arena, &found);
    if (failed == -ENOENT) {
        no_opt_out(c, &p);
        answer_problem(c, &p);
    } else if (failed) {
        answer_store_trouble(c, failed);
    } else {
        struct json_writer w = answer_json(c, 200);
        put_opt_out(&w, &found);
    }
}

/* ---- writing ---- */

struct opting {
    struct writing w;
    struct opt_out_record record;
};

static void opt_render(const struct writing *w, struct json_writer *out)
{
    put_opt_out(out, &((const struct opting *)w)->record);
}

static int add_apply(struct writing *w, struct store *s)
{
    struct opting *o = (struct opting *)w;
    int r = store_opt_out_add(s, &w->call.http->arena, &o->record);

    if (r == 0) /* it was there */
        w->status = 200;
    return r < 0 ? r : 0;
}

/* Only now: what a crash takes back must not have been refused meanwhile. */
static void add_written(struct writing *w)
{
    struct opting *o = (struct opting *)w;
    optouts_add(w->call.api->options.optouts, w->account, w->mode, o->record.number);
}

static const struct writing_ops add_ops = {
    .apply = add_apply, .written = add_written, .render = opt_render, .status = 201};

struct opt_out_body {
    struct str number;
    bool has_number;
};

static const struct json_field add_fields[] = {
    JSON_FIELD(struct opt_out_body, number, JSON_TEXT, "number", NULL),
};
static const struct body_table add_table = BODY_TABLE(add_fields, 1);

void opt_outs_create(struct call *c)
{
    struct opting *o = writing_new(c, sizeof *o);
    struct opt_out_body body = {.has_number = false};
    struct problem p = {0};

    if (!o)
        return;
    if (!body_decode(c, &add_table, &body, &p) ||
        !check_number(body.number, "number", &c->http->arena, &p) ||
        !writing_once(&o->w, &add_table, &body, &p)) {
        answer_problem(c, &p);
        return;
    }
    o->record = (struct opt_out_record){.account = o->w.account,
                                        .mode = o->w.mode,
                                        .number = body.number,
                                        .source = OPT_OUT_BY_API};
    writing_start(&o->w, &add_ops, 1);
}

static int remove_apply(struct writing *w, struct store *s)
{
    struct opting *o = (struct opting *)w;
    int r = store_opt_out_remove(s, w->account, w->mode, w->call.parameter, &w->call.http->arena,
                                 &o->record);

    if (r == 0)
        no_opt_out(&w->call, &w->problem);
    return r < 0 ? r : 0;
}

static void remove_written(struct writing *w)
{
    struct opting *o = (struct opting *)w;
    optouts_remove(w->call.api->options.optouts, w->account, w->mode, o->record.number);
}

static const struct writing_ops remove_ops = {
    .apply = remove_apply, .written = remove_written, .render = opt_render, .status = 200};

void opt_outs_remove(struct call *c)
{
    struct opting *o = number_of_call(c) ? writing_new(c, sizeof *o) : NULL;

    if (o)
        writing_start(&o->w, &remove_ops, 1);
}
