/* The event stream. Each worker has its streams in a ring, those of one account and mode side by
 * side, so that what is new is read once for all of them. When something was committed the worker
 * goes round for some milliseconds and goes on the next time where it stopped. A stream reads on
 * from its own position, and waits while its client has much to take. */
#include "api/event_stream.h"

#include "api/event_frames.h"
#include "api/stream_seats.h"

#include <errno.h>
#include <stdlib.h>

enum {
    STREAMS_PER_WORKER = 512,
    TELL_US = 5000,        /* for one round */
    UNSENT_MAX = 64 << 10, /* a client that has more to take is not told more */
    BEAT_US = 15000000     /* so that nobody in between takes it for dead */
};

/* Lives in its request's arena. */
struct event_stream {
    struct http_request *http;
    struct api_worker *worker;
    int64_t account, key;
    enum mode mode;
    uint32_t kinds;
    int64_t position;    /* everything up to this number was told */
    uint64_t commits;    /* of the store when nothing was left to tell */
    int64_t said_us;     /* when something was said last */
    int64_t off_us;      /* when the key goes off; 0 = never */
    uint64_t generation; /* of keys when it was looked at */
    struct event_stream *next, *previous;
};

struct event_streams {
    struct event_stream *turn; /* whose it is; the others follow in a ring */
    size_t count;
    uint64_t generation; /* of keys */
    struct event_frames frames;
};

struct event_streams *event_streams_new(void)
{
    struct event_streams *s = calloc(1, sizeof *s);

    if (s)
        event_frames_init(&s->frames);
    return s;
}

void event_streams_free(struct event_streams *s)
{
    if (s)
        event_frames_done(&s->frames);
    free(s);
}

/* ---- the ring ---- */

static bool same_owner(const struct event_stream *a, const struct event_stream *b)
{
    return a->account == b->account && a->mode == b->mode;
}

/* Behind one of the same owner, if there is one. */
static void join(struct event_streams *all, struct event_stream *s)
{
    struct event_stream *at = all->turn;

    if (all->count++ == 0) {
        all->turn = s->next = s->previous = s;
        return;
    }
    for (size_t i = 1; i < all->count && !same_owner(at, s); i++)
        at = at->next;
    s->previous = at;
    s->next = at->next;
    s->previous->next = s->next->previous = s;
}

static void leave(struct event_streams *all, struct event_stream *s)
{
    s->previous->next = s->next;
    s->next->previous = s->previous;
    if (all->turn == s)
        all->turn = s->next;
    if (--all->count == 0)
        all->turn = NULL;
}

/* ---- telling ---- */

static void say(struct event_stream *s, int64_t now_us)
{
    http_stream_flush(s->http);
    s->said_us = now_us;
}

static bool has_room(const struct event_stream *s)
{
    return http_stream_unsent(s->http) < UNSENT_MAX;
}

static int add_frame(struct event_stream *s, struct event_frames *f, size_t index)
{
    struct str frame;

    if (!(s->kinds & notice_bit(f->notices[index].kind)))
        return 0;
    int failed = event_frame(f, s->worker->reader, api_ids(s->worker->api), index, &frame);
    if (!failed)
        buf_add(&s->http->out, frame);
    return failed == -ENOENT ? 0 : failed;
}

/* Reads on and adds what there is, as far as the client has room. *ret_more: that was not all. */
static int read_on(struct event_stream *s, bool *ret_more)
{
    struct event_frames *f = &s->worker->events->frames;
    int failed = event_frames_read(f, s->worker->reader, s->account, s->mode, s->position);
    size_t i = 0, count = failed ? 0 : f->count;

    for (; i < count && !failed && has_room(s); i++) {
        failed = add_frame(s, f, i);
        if (!failed)
            s->position = f->notices[i].id;
    }
    *ret_more = i < count || count == EVENT_FRAMES_MAX;
    return failed;
}

/* True: there is more that it could be told at once. */
static bool tell(struct event_stream *s, uint64_t commits, int64_t now_us)
{
    bool more;

    if (!has_room(s))
        return false; /* the server calls again when there is */
    if (read_on(s, &more) != 0) {
        http_stream_end(s->http); /* the client comes again, and hears what is wrong */
        return false;
    }
    if (s->http->out.n)
        say(s, now_us);
    if (!more)
        s->commits = commits;
    return more && has_room(s);
}

static void beat(struct event_stream *s, int64_t now_us)
{
    /* A clock that was put back must not silence it. */
    if (now_us >= s->said_us && now_us - s->said_us < BEAT_US)
        return;
    buf_add(&s->http->out, STR(":\n\n"));
    say(s, now_us);
}

/* ---- keys that go off ---- */

/* A key that cannot be read now is looked at again the next time. */
static void look_at_key(struct event_stream *s, uint64_t generation, int64_t now_us)
{
    struct key_record k;
    int failed = store_key_get(s->worker->reader, s->account, s->key, &k);

    if (failed && failed != -ENOENT)
        return;
    s->off_us = failed || k.account_suspended ? now_us : key_off_us(&k);
    s->generation = generation;
}

static bool is_off(const struct event_stream *s, int64_t now_us)
{
    return s->off_us && s->off_us <= now_us;
}

/* The generation of keys. When it has moved another process may have written, which a reader that
 * has not rested does not see. */
static uint64_t see_generation(struct api_worker *w)
{
    uint64_t generation = store_key_generation(w->api->options.store);

    if (generation != w->events->generation)
        store_reader_rest(w->reader);
    return w->events->generation = generation;
}

/* ---- rounds ---- */

bool event_streams_tell(struct api_worker *w)
{
    struct event_streams *all = w->events;
    uint64_t commits = store_commits(w->api->options.store); /* before reading: none is missed */
    uint64_t generation = see_generation(w);
    int64_t now_us = clock_now_us(w->api->options.clock);
    int64_t end_us = clock_monotonic_us() + TELL_US;
    bool more = false, late = false;

    for (size_t left = all->count; left && !late; left--) {
        struct event_stream *s = all->turn;
        all->turn = s->next;
        beat(s, now_us);
        if (s->generation != generation)
            look_at_key(s, generation, now_us);
        if (is_off(s, now_us))
            http_stream_end(s->http);
        else if (s->commits != commits)
            more |= tell(s, commits, now_us);
        else
            continue;
        late = clock_monotonic_us() >= end_us;
    }
    event_frames_clear(&all->frames);
    return more || late;
}

/* ---- beginning and end ---- */

static void over(struct http_request *r)
{
    struct event_stream *s = r->continuation;

    leave(s->worker->events, s);
    stream_seat_leave(s->worker->api->seats, s->account);
}

static const struct http_stream_ops ops = {.over = over};

static void answer_too_many(struct call *c, const char *message)
{
    answer_problem(
        c, &(struct problem){.code = PROBLEM_QUEUE_FULL, .message = message, .retry_after_s = 5});
}

static bool take_seat(struct call *c)
{
    if (c->worker->events->count >= STREAMS_PER_WORKER) {
        answer_too_many(c, "Too many event streams are open; try again in 5 seconds, or read the "
                           "list page by page.");
        return false;
    }
    if (!stream_seat_take(c->api->seats, c->key->account)) {
        answer_too_many(c, "This account has 64 event streams open, which is the limit; close one "
                           "and try again in 5 seconds.");
        return false;
    }
    return true;
}

/* How soon a client comes again when it loses the stream, and from where on if it has heard of
 * nothing by then. */
static void add_beginning(struct call *c, int64_t position)
{
    char id[PUBLIC_ID_SIZE];

    public_id_format(api_ids(c->api), NOTICE_ID_PREFIX, position, id);
    buf_clear(&c->http->out);
    buf_printf(&c->http->out, "retry: 1000\nid: %.*s\n\n", (int)sizeof id, id);
}

void event_stream_begin(struct call *c, int64_t position, uint32_t kinds)
{
    struct event_stream *s = arena_new(&c->http->arena, struct event_stream);

    if (!s) {
        answer_store_trouble(c, -ENOMEM);
        return;
    }
    if (!take_seat(c))
        return;
    *s = (struct event_stream){.http = c->http,
                               .worker = c->worker,
                               .account = c->key->account,
                               .key = c->key->id,
                               .mode = c->key->mode,
                               .kinds = kinds ? kinds : UINT32_MAX,
                               .position = position,
                               .commits = UINT64_MAX,
                               .said_us = c->now_us,
                               .off_us = key_off_us(c->key),
                               .generation = UINT64_MAX}; /* it may have moved since */
    join(c->worker->events, s);
    c->http->continuation = s;
    c->http->status = 200;
    c->http->content_type = "text/event-stream";
    http_request_add_header(c->http, "Cache-Control", "no-store");
    add_beginning(c, position);
    http_stream_begin(c->http, &ops);
}
