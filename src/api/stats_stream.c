/* Live statistics, told once a second. What is the same for all streams of an account and mode is
 * read and written once for all of them; they stand side by side in the ring. */
#include "api/stats_stream.h"

#include "api/stats_text.h"
#include "api/stream.h"
#include "messaging/plan.h"

#include <stdlib.h>

enum { TELL_US = 5000 /* for one round */ };

#define SECOND_US INT64_C(1000000)

struct stats_stream {
    struct stream base;
    int64_t told; /* the second in which it was told last */
};

struct stats_streams {
    struct stream_ring ring;
    int64_t told;        /* the second in which all were told */
    uint64_t generation; /* of keys then */
    struct stats_board *board;
    /* What was written last, and whose it is. */
    struct stats_text text;
    int64_t account, second;
    enum mode mode;
    bool written;
};

struct stats_streams *stats_streams_new(struct store *store)
{
    struct stats_streams *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    stats_text_init(&s->text);
    s->board = stats_board_new(store);
    if (!s->board) {
        stats_streams_free(s);
        return NULL;
    }
    return s;
}

void stats_streams_free(struct stats_streams *s)
{
    if (!s)
        return;
    stats_board_free(s->board);
    stats_text_done(&s->text);
    free(s);
}

/* ---- what is told ---- */

static int write_text(struct api_worker *w, const struct stats *stats)
{
    const struct routing *routing = api_routing(w->api, stats->mode);
    struct bottleneck found[QUEUE_LANES_MAX];
    struct carrier_record *known = NULL;
    size_t known_count = 0;
    int failed = 0;

    arena_reset(&w->scratch);
    if (bottlenecks_want_names(&stats->queue, routing))
        failed = store_carrier_list(w->reader, &w->scratch, &known, &known_count);
    if (failed)
        return failed;
    size_t count = bottlenecks_of_queue(&stats->queue, routing, known, known_count, found);
    return stats_text_write(&w->stats->text, stats, found, count);
}

/* Of an owner, as it is now. */
static int make_text(struct api_worker *w, int64_t account, enum mode mode, int64_t now_us)
{
    struct stats_streams *all = w->stats;
    struct stats stats;

    all->written = false;
    int failed = stats_read(all->board, w->reader, account, mode, now_us, &stats);
    if (!failed)
        failed = write_text(w, &stats);
    if (failed)
        return failed;
    all->account = account;
    all->mode = mode;
    all->second = now_us / SECOND_US;
    all->written = true;
    return 0;
}

static bool is_written(const struct stats_streams *all, const struct key_record *key,
                       int64_t now_us)
{
    return all->written && all->account == key->account && all->mode == key->mode &&
           all->second == now_us / SECOND_US;
}

static void add_text(struct api_worker *w, const struct key_record *key, int64_t now_us,
                     struct buf *out)
{
    struct limit_window windows[LIMIT_WINDOWS];
    struct bottleneck of_key;

    limiter_peek(w->api->options.limiter, key->id, plan_limits(key), now_us, windows);
    bool limited = bottleneck_of_key(windows, now_us, &of_key);
    stats_text_add(&w->stats->text, limited ? &of_key : NULL, out);
}

int stats_now(struct call *c, struct buf *out)
{
    int failed = make_text(c->worker, c->key->account, c->key->mode, c->now_us);

    if (!failed)
        add_text(c->worker, c->key, c->now_us, out);
    return failed;
}

/* ---- streams ---- */

static void add_frame(struct api_worker *w, const struct key_record *key, int64_t now_us,
                      struct buf *out)
{
    buf_add(out, STR("event: stats\ndata: "));
    add_text(w, key, now_us, out);
    buf_add(out, STR("\n\n"));
}

/* A client that has much to take hears of a later second. */
static void tell(struct stats_stream *s, int64_t now_us)
{
    struct api_worker *w = s->base.worker;
    const struct key_record *key = &s->base.key;

    s->told = now_us / SECOND_US;
    if (!stream_has_room(&s->base))
        return;
    if (!is_written(w->stats, key, now_us) && make_text(w, key->account, key->mode, now_us) != 0) {
        http_stream_end(s->base.http); /* the client comes again, and hears what is wrong */
        return;
    }
    add_frame(w, key, now_us, &s->base.http->out);
    http_stream_flush(s->base.http);
}

bool stats_streams_tell(struct api_worker *w)
{
    struct stats_streams *all = w->stats;
    int64_t now_us = clock_now_us(w->api->options.clock), second = now_us / SECOND_US;
    uint64_t generation = store_key_generation(w->api->options.store);
    bool late = false;

    if (all->ring.count == 0 || (all->told == second && all->generation == generation))
        return false;
    stream_see_generation(w, &all->ring);
    int64_t end_us = clock_monotonic_us() + TELL_US;
    for (size_t left = all->ring.count; left && !late; left--) {
        struct stats_stream *s = (struct stats_stream *)stream_turn(&all->ring);
        if (stream_ends(&s->base, generation, now_us) || s->told == second)
            continue;
        tell(s, now_us);
        late = left > 1 && clock_monotonic_us() >= end_us;
    }
    if (!late) {
        all->told = second;
        all->generation = generation;
    }
    return late;
}

void stats_stream_begin(struct call *c)
{
    struct stats_stream *s;
    int failed = make_text(c->worker, c->key->account, c->key->mode, c->now_us);

    if (failed) {
        answer_store_trouble(c, failed);
        return;
    }
    s = stream_new(c, &c->worker->stats->ring, sizeof *s);
    if (!s)
        return;
    s->told = c->now_us / SECOND_US;
    buf_add(&c->http->out, STR("retry: 1000\n\n"));
    add_frame(c->worker, c->key, c->now_us, &c->http->out);
    stream_begin(&s->base);
}
