#include "api/stats_text.h"

#include "json/write.h"

#include <errno.h>

enum { TEXT_MAX = 1 << 20 };

#define SECOND_US INT64_C(1000000)

void stats_text_init(struct stats_text *t)
{
    buf_init(&t->text, TEXT_MAX);
}

void stats_text_done(struct stats_text *t)
{
    buf_done(&t->text);
}

/* ---- members ---- */

static void put_queue(struct json_writer *w, const struct queue_state *q, int64_t now_us)
{
    json_key(w, "queue");
    json_begin_object(w);
    json_member_i64(w, "queued", q->queued);
    json_member_i64(w, "scheduled", q->scheduled);
    json_member_i64(w, "sent", q->sent);
    json_key(w, "oldestQueuedSeconds");
    if (q->oldest_queued_us == 0)
        json_put_null(w);
    else
        json_put_i64(w, now_us > q->oldest_queued_us ? (now_us - q->oldest_queued_us) / SECOND_US
                                                     : 0); /* the clock was put back */
    json_end(w);
}

static void put_window(struct json_writer *w, const char *name, const struct pulse *p)
{
    json_key(w, name);
    json_begin_object(w);
    json_member_i64(w, "accepted", p->accepted);
    json_member_i64(w, "sent", p->sent);
    json_member_i64(w, "delivered", p->delivered);
    json_member_i64(w, "failed", p->failed);
    json_end(w);
}

/* Of what has ended, to four decimals. */
static void put_delivery_rate(struct json_writer *w, const struct pulse *day)
{
    int64_t ended = day->delivered + day->failed;

    json_key(w, "deliveryRate");
    if (ended == 0)
        json_put_null(w);
    else
        json_put_micros(w, (day->delivered * 20000 + ended) / (2 * ended) * 100);
}

static void put_rate(struct json_writer *w, const char *name, int64_t count)
{
    json_key(w, name);
    json_put_micros(w, count * SECOND_US / PULSE_RATE_SECONDS);
}

static void put_throughput(struct json_writer *w, const struct pulse *rate)
{
    json_key(w, "throughput");
    json_begin_object(w);
    put_rate(w, "perSecond", rate->sent);
    put_rate(w, "acceptedPerSecond", rate->accepted);
    json_end(w);
}

static void put_webhooks(struct json_writer *w, const struct stats *s)
{
    json_key(w, "webhooks");
    json_begin_object(w);
    json_member_i64(w, "pending", s->queue.hooks_pending);
    json_member_i64(w, "failedLastHour", s->pulse.hour.hook_failures);
    json_end(w);
}

static void put_bottleneck(struct json_writer *w, const struct bottleneck *b)
{
    json_begin_object(w);
    json_member_word(w, "limit", bottleneck_word(b->kind));
    json_member_word(w, "carrier", b->carrier[0] ? b->carrier : NULL);
    json_key(w, "waiting");
    if (b->waiting == BOTTLENECK_NOBODY)
        json_put_null(w);
    else
        json_put_i64(w, b->waiting);
    json_member_text(w, "message", str_of(b->message));
    json_end(w);
}

/* ---- the whole ---- */

int stats_text_write(struct stats_text *t, const struct stats *stats,
                     const struct bottleneck *bottlenecks, size_t count)
{
    struct json_writer w;

    buf_clear(&t->text);
    json_writer_init(&w, &t->text);
    json_begin_object(&w);
    json_member_time(&w, "timestamp", stats->now_us);
    json_member_bool(&w, "livemode", stats->mode == MODE_LIVE);
    put_queue(&w, &stats->queue, stats->now_us);
    put_window(&w, "lastMinute", &stats->pulse.minute);
    put_window(&w, "lastHour", &stats->pulse.hour);
    put_window(&w, "last24Hours", &stats->pulse.day);
    put_delivery_rate(&w, &stats->pulse.day);
    put_throughput(&w, &stats->pulse.rate);
    put_webhooks(&w, stats);
    json_key(&w, "limitedBy");
    json_begin_array(&w);
    t->gap = t->text.n;
    t->followed = count > 0;
    for (size_t i = 0; i < count; i++)
        put_bottleneck(&w, &bottlenecks[i]);
    json_end(&w);
    json_end(&w);
    return t->text.failed ? -ENOMEM : 0;
}

void stats_text_add(const struct stats_text *t, const struct bottleneck *of_key, struct buf *out)
{
    struct json_writer w;

    buf_add(out, (struct str){t->text.p, t->gap});
    if (of_key) {
        json_writer_init(&w, out);
        put_bottleneck(&w, of_key);
        if (t->followed)
            buf_add_char(out, ',');
    }
    buf_add(out, (struct str){t->text.p + t->gap, t->text.n - t->gap});
}
