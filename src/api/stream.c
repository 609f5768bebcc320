#include "api/stream.h"

#include "api/accept.h"
#include "api/stream_seats.h"
#include "base/metric.h"

#include <errno.h>

enum {
    STREAMS_PER_WORKER = 512, /* of a kind */
    UNSENT_MAX = 64 << 10     /* a client that has more to take is not told more */
};

/* ---- the ring ---- */

static bool same_owner(const struct stream *a, const struct stream *b)
{
    return a->key.account == b->key.account && a->key.mode == b->key.mode;
}

/* Behind one of the same owner, if there is one. */
static void join(struct stream_ring *ring, struct stream *s)
{
    struct stream *at = ring->turn;

    metric_add(METRIC_EVENT_STREAMS, 0, 1);
    if (ring->count++ == 0) {
        ring->turn = s->next = s->previous = s;
        return;
    }
    for (size_t i = 1; i < ring->count && !same_owner(at, s); i++)
        at = at->next;
    s->previous = at;
    s->next = at->next;
    s->previous->next = s->next->previous = s;
}

static void leave(struct stream_ring *ring, struct stream *s)
{
    metric_add(METRIC_EVENT_STREAMS, 0, -1);
    s->previous->next = s->next;
    s->next->previous = s->previous;
    if (ring->turn == s)
        ring->turn = s->next;
    if (--ring->count == 0)
        ring->turn = NULL;
}

struct stream *stream_turn(struct stream_ring *ring)
{
    struct stream *s = ring->turn;

    ring->turn = s->next;
    return s;
}

bool stream_has_room(const struct stream *s)
{
    return http_stream_unsent(s->http) < UNSENT_MAX;
}

/* ---- keys that go off ---- */

/* When the generation has moved another process may have written, which a reader that has not
 * rested does not see. */
uint64_t stream_see_generation(struct api_worker *w, struct stream_ring *ring)
{
    uint64_t generation = store_key_generation(w->api->options.store);

    if (generation != ring->generation)
        store_reader_rest(w->reader);
    return ring->generation = generation;
}

/* A key that cannot be read now is looked at again the next time. */
static void look_at_key(struct stream *s, uint64_t generation, int64_t now_us)
{
    struct key_record k;
    int failed = store_key_get(s->worker->reader, s->key.account, s->key.id, &k);

    if (failed && failed != -ENOENT)
        return;
    s->off_us = failed || k.account_suspended ? now_us : key_off_us(&k);
    if (!failed)
        s->key = k;
    s->generation = generation;
}

bool stream_ends(struct stream *s, uint64_t generation, int64_t now_us)
{
    if (s->generation != generation)
        look_at_key(s, generation, now_us);
    if (!s->off_us || s->off_us > now_us)
        return false;
    http_stream_end(s->http);
    return true;
}

/* ---- beginning and end ---- */

static void answer_too_many(struct call *c, const char *message)
{
    answer_problem(
        c, &(struct problem){.code = PROBLEM_QUEUE_FULL, .message = message, .retry_after_s = 5});
}

static bool take_seat(struct call *c, const struct stream_ring *ring)
{
    if (ring->count >= STREAMS_PER_WORKER) {
        answer_too_many(c, "Too many event streams are open; try again in 5 seconds, or ask for "
                           "application/json from time to time.");
        return false;
    }
    if (!stream_seat_take(c->api->seats, c->key->account)) {
        answer_too_many(c, "This account has 64 event streams open, which is the limit; close one "
                           "and try again in 5 seconds.");
        return false;
    }
    return true;
}

static void over(struct http_request *r)
{
    struct stream *s = r->continuation;

    leave(s->ring, s);
    stream_seat_leave(s->worker->api->seats, s->key.account);
}

static const struct http_stream_ops ops = {.over = over};

void *stream_new(struct call *c, struct stream_ring *ring, size_t size)
{
    struct stream *s = arena_alloc(&c->http->arena, size);

    if (!s) {
        answer_store_trouble(c, -ENOMEM);
        return NULL;
    }
    if (!take_seat(c, ring))
        return NULL;
    *s = (struct stream){.http = c->http,
                         .worker = c->worker,
                         .ring = ring,
                         .key = *c->key,
                         .off_us = key_off_us(c->key),
                         .generation = UINT64_MAX}; /* it may have moved since */
    c->http->continuation = s;
    c->http->status = 200;
    c->http->content_type = "text/event-stream";
    http_request_add_header(c->http, "Cache-Control", "no-store");
    buf_clear(&c->http->out);
    return s;
}

void stream_begin(struct stream *s)
{
    join(s->ring, s);
    http_stream_begin(s->http, &ops);
}

bool stream_wanted(struct call *c)
{
    http_request_add_header(c->http, "Vary", "Accept");
    return accepts_rather(&c->http->head, "text/event-stream");
}
