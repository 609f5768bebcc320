/* Bodies of requests: how they come, how much of them is kept, and how much memory all of them take
 * together. */
#include "net/http_internal.h"

bool http_body_too_large(const struct http_conn *c, uint64_t size)
{
    const struct http_server_options *o = &c->worker->server->options;

    return size > o->body_max && (!o->body_max_of || size > o->body_max_of(c->request));
}

bool http_body_is_passed_over(const struct http_request *r)
{
    return r->body_too_large || r->no_room;
}

bool http_body_count(struct http_conn *c)
{
    struct http_server *s = c->worker->server;
    size_t now = c->in.size > HTTP_KEPT_IN ? c->in.size : 0, was = c->counted;

    if (!s->options.bodies_max || now == was)
        return true;
    c->counted = now;
    /* What is less now wraps around, and the sum with it. */
    size_t all = atomic_fetch_add_explicit(&s->bodies, now - was, memory_order_relaxed);
    return now < was || all + (now - was) <= s->options.bodies_max;
}

/* So much of it goes, and the memory that it took. */
static void pass_over(struct http_conn *c, size_t n)
{
    http_conn_drop(c, c->head_size, n);
    c->discarded += n;
    if (c->head_apart)
        buf_shrink(&c->in, HTTP_KEPT_IN);
    http_body_count(c);
}

static bool pass_over_sized(struct http_conn *c)
{
    uint64_t left = c->request->head.content_length - c->discarded;
    size_t here = c->in.n - c->head_size;

    pass_over(c, here < left ? here : (size_t)left);
    return c->discarded == c->request->head.content_length ? http_conn_handle(c)
                                                           : http_conn_want_more(c);
}

static bool do_sized(struct http_conn *c)
{
    struct http_request *r = c->request;
    bool whole = c->in.n - c->head_size >= r->head.content_length;

    if (!http_body_count(c) && !whole)
        r->no_room = true;
    if (http_body_is_passed_over(r))
        return pass_over_sized(c);
    if (!whole)
        return http_conn_want_more(c);
    r->body = (struct str){c->in.p + c->head_size, (size_t)r->head.content_length};
    return http_conn_handle(c);
}

static bool do_chunked(struct http_conn *c)
{
    struct http_request *r = c->request;
    struct http_chunks *k = &c->chunks;
    int done = http_chunks_step(k, c->in.p + c->head_size, c->in.n - c->head_size);

    if (!r->body_too_large && http_body_too_large(c, k->out))
        r->body_too_large = true;
    if (!http_body_count(c) && done == 0)
        r->no_room = true;
    /* Close the gap that decoding left, so that a body of many small chunks stays small. */
    http_conn_drop(c, c->head_size + k->out, k->in - k->out);
    k->in = k->out;
    if (http_body_is_passed_over(r)) {
        pass_over(c, k->out);
        k->in = k->out = 0;
    }
    if (done < 0)
        r->malformed = "the chunks of the body are malformed";
    if (done < 0 || c->discarded > HTTP_DISCARD_MAX)
        return http_conn_refuse(c);
    if (done == 0)
        return http_conn_want_more(c);
    r->body = (struct str){c->in.p + c->head_size, k->out};
    return http_conn_handle(c);
}

bool http_body_step(struct http_conn *c)
{
    return c->request->head.chunked ? do_chunked(c) : do_sized(c);
}
