/* The event stream. When something was committed the worker goes round its streams for some
 * milliseconds and goes on the next time where it stopped. A stream reads on from its own position,
 * and waits while its client has much to take. */
#include "api/event_stream.h"

#include "api/event_frames.h"
#include "api/stream.h"

#include <errno.h>
#include <stdlib.h>

enum {
    TELL_US = 5000,    /* for one round */
    BEAT_US = 15000000 /* so that nobody in between takes it for dead */
};

struct event_stream {
    struct stream base;
    uint32_t kinds;
    int64_t position; /* everything up to this number was told */
    uint64_t commits; /* of the store when nothing was left to tell */
    int64_t said_us;  /* when something was said last */
};

struct event_streams {
    struct stream_ring ring;
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

/* ---- telling ---- */

static void say(struct event_stream *s, int64_t now_us)
{
    http_stream_flush(s->base.http);
    s->said_us = now_us;
}

static int add_frame(struct event_stream *s, struct event_frames *f, size_t index)
{
    struct str frame;

    if (!(s->kinds & notice_bit(f->notices[index].kind)))
        return 0;
    int failed =
        event_frame(f, s->base.worker->reader, api_ids(s->base.worker->api), index, &frame);
    if (!failed)
        buf_add(&s->base.http->out, frame);
    return failed == -ENOENT ? 0 : failed;
}

/* Reads on and adds what there is, as far as the client has room. *ret_more: that was not all. */
static int read_on(struct event_stream *s, bool *ret_more)
{
    struct event_frames *f = &s->base.worker->events->frames;
    int failed = event_frames_read(f, s->base.worker->reader, s->base.key.account, s->base.key.mode,
                                   s->position);
    size_t i = 0, count = failed ? 0 : f->count;

    for (; i < count && !failed && stream_has_room(&s->base); i++) {
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

    if (!stream_has_room(&s->base))
        return false; /* the server calls again when there is */
    if (read_on(s, &more) != 0) {
        http_stream_end(s->base.http); /* the client comes again, and hears what is wrong */
        return false;
    }
    if (s->base.http->out.n)
        say(s, now_us);
    if (!more)
        s->commits = commits;
    return more && stream_has_room(&s->base);
}

static void beat(struct event_stream *s, int64_t now_us)
{
    /* A clock that was put back must not silence it. */
    if (now_us >= s->said_us && now_us - s->said_us < BEAT_US)
        return;
    buf_add(&s->base.http->out, STR(":\n\n"));
    say(s, now_us);
}

/* ---- rounds ---- */

bool event_streams_tell(struct api_worker *w)
{
    struct event_streams *all = w->events;
    uint64_t commits = store_commits(w->api->options.store); /* before reading: none is missed */
    uint64_t generation = stream_see_generation(w, &all->ring);
    int64_t now_us = clock_now_us(w->api->options.clock);
    int64_t end_us = clock_monotonic_us() + TELL_US;
    bool more = false, late = false;

    for (size_t left = all->ring.count; left && !late; left--) {
        struct event_stream *s = (struct event_stream *)stream_turn(&all->ring);
        beat(s, now_us);
        if (!stream_ends(&s->base, generation, now_us)) {
            if (s->commits == commits)
                continue;
            more |= tell(s, commits, now_us);
        }
        late = clock_monotonic_us() >= end_us;
    }
    event_frames_clear(&all->frames);
    return more || late;
}

/* ---- beginning ---- */

/* How soon a client comes again when it loses the stream, and from where on if it has heard of
 * nothing by then. */
static void add_beginning(struct call *c, int64_t position)
{
    char id[PUBLIC_ID_SIZE];

    public_id_format(api_ids(c->api), NOTICE_ID_PREFIX, position, id);
    buf_printf(&c->http->out, "retry: 1000\nid: %.*s\n\n", (int)sizeof id, id);
}

void event_stream_begin(struct call *c, int64_t position, uint32_t kinds)
{
    struct event_stream *s = stream_new(c, &c->worker->events->ring, sizeof *s);

    if (!s)
        return;
    s->kinds = kinds ? kinds : UINT32_MAX;
    s->position = position;
    s->commits = UINT64_MAX;
    s->said_us = c->now_us;
    add_beginning(c, position);
    stream_begin(&s->base);
}
