/* POST /v1/test/inbound: as if a handset had written. */
#include "messaging/inbound.h"

#include "api/call.h"
#include "messaging/optout.h"

/* Of the request's memory, for what the writer adds: it could not refuse this request alone. */
enum { WRITER_ROOM = 1 << 20 };

struct inbound_body {
    struct str from, text, to, media;
    bool has_from, has_text, has_to, has_media;
};

static const struct json_field fields[] = {
    JSON_FIELD(struct inbound_body, from, JSON_TEXT, "from", NULL),
    JSON_FIELD(struct inbound_body, text, JSON_TEXT, "text", NULL),
    JSON_FIELD(struct inbound_body, to, JSON_TEXT, "to", NULL),
    JSON_FIELD(struct inbound_body, media, JSON_RAW_ARRAY, "media", NULL),
};
/* Without media the text must be there, too. */
static const struct body_table inbound_table = BODY_TABLE(fields, 1);
static const struct body_table text_table = BODY_TABLE(fields, 2);

struct receiving {
    struct writing writing;
    struct message message;
    struct inbound_media *media; /* NULL: none */
    enum keyword_wish wish;      /* that was fulfilled */
};

static size_t media_count(const struct receiving *r)
{
    return r->media ? r->media->count : 0;
}

/* ---- its life ---- */

static int keep_media(struct writing *w)
{
    struct inbound_media *m = ((struct receiving *)w)->media;
    return arrival_media_keep(w->call.api->options.store, m->contents, m->files, m->count);
}

static void media_over(struct writing *w, bool accepted)
{
    const struct inbound_media *m = ((const struct receiving *)w)->media;

    if (!accepted)
        arrival_media_drop(m->files, m->count);
}

static int apply_inbound(struct writing *w, struct store *s)
{
    struct receiving *r = (struct receiving *)w;
    int failed = inbound_accept(s, &r->message, &w->call.http->arena, &r->wish);

    return failed || !r->media
               ? failed
               : arrival_media_put(s, r->message.id, r->media->files, r->media->count, false);
}

static void inbound_written(struct writing *w)
{
    struct receiving *r = (struct receiving *)w;
    inbound_done(w->call.api->options.optouts, &r->message, r->wish);
}

static void render_inbound(const struct writing *w, struct json_writer *out)
{
    message_put(out, api_ids(w->call.api), &((const struct receiving *)w)->message);
}

static const struct writing_ops text_ops = {
    .apply = apply_inbound, .written = inbound_written, .render = render_inbound, .status = 201};
static const struct writing_ops media_ops = {.prepare = keep_media,
                                             .apply = apply_inbound,
                                             .written = inbound_written,
                                             .render = render_inbound,
                                             .over = media_over,
                                             .status = 201};

/* ---- the request ---- */

static bool read_body(struct call *c, struct inbound_body *ret, struct problem *p)
{
    bool decoded = body_decode(c, &inbound_table, ret, p);

    /* What is missing is said before what is of the wrong type. */
    if ((decoded || p->code == PROBLEM_INVALID_PARAMETER) && !ret->has_media)
        decoded &= body_judge(&text_table, JSON_OK, NULL, ret, &c->http->arena, p);
    return decoded;
}

static bool read_media(struct receiving *r, const struct inbound_body *body, struct problem *p)
{
    struct arena *a = &r->writing.call.http->arena;

    if (!body->has_media)
        return true;
    r->media = arena_new(a, struct inbound_media);
    return r->media ? inbound_media_read(body->media, a, r->media, p) : body_too_many_values(p);
}

static void compose(struct receiving *r, const struct inbound_body *body,
                    const struct send_context *context)
{
    struct inbound_request request = {.from = body->from,
                                      .text = body->has_text ? body->text : STR(""),
                                      .to = body->to,
                                      .has_to = body->has_to,
                                      .media = r->media ? r->media->files : NULL,
                                      .media_count = media_count(r)};

    inbound_compose(&request, context, &r->writing.call.http->arena, &r->message,
                    &r->writing.refusal);
}

void inbound_create(struct call *c)
{
    struct send_context context = send_context_of(c);
    struct inbound_body body = {0};
    struct problem p = {0};

    if (!read_body(c, &body, &p)) {
        answer_problem(c, &p);
        return;
    }
    struct receiving *r = writing_new(c, sizeof *r);
    if (!r)
        return;
    bool good = read_media(r, &body, &p);
    if (good)
        compose(r, &body, &context);
    if (good && writing_once(&r->writing, &inbound_table, &body, &p) &&
        (arena_spares(&c->http->arena, WRITER_ROOM) || body_too_many_values(&p)))
        writing_start(&r->writing, r->media ? &media_ops : &text_ops, 1 + (unsigned)media_count(r));
    else
        answer_problem(c, &p);
}
