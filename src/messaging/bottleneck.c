#include "messaging/bottleneck.h"

#include <stdlib.h>

const char *bottleneck_word(enum bottleneck_kind kind)
{
    static const char *const words[] = {
#define X(name, word) word,
        BOTTLENECKS(X)
#undef X
    };
    return words[kind];
}

/* ---- words ---- */

enum { COUNT_SIZE = 32 };

/* 1204 as 1,204. */
static const char *count_text(int64_t count, char out[COUNT_SIZE])
{
    char digits[COUNT_SIZE];
    size_t n = 0, length;

    str_format(digits, sizeof digits, "%lld", (long long)count);
    length = strlen(digits);
    for (size_t i = 0; i < length && n + 2 < COUNT_SIZE; i++) {
        if (i && (length - i) % 3 == 0)
            out[n++] = ',';
        out[n++] = digits[i];
    }
    out[n] = '\0';
    return out;
}

/* "1,204 messages wait": the beginning of the last half of each sentence. */
static const char *who_waits(int64_t count, char out[COUNT_SIZE + 24])
{
    char text[COUNT_SIZE];

    str_format(out, COUNT_SIZE + 24, "%s %s", count_text(count, text),
               count == 1 ? "message waits" : "messages wait");
    return out;
}

/* ---- the key ---- */

bool bottleneck_of_key(const struct limit_window windows[LIMIT_WINDOWS], int64_t now_us,
                       struct bottleneck *ret)
{
    const struct limit_window *used_up = NULL;
    char time[RFC3339_SIZE], limit[COUNT_SIZE];

    for (size_t i = 0; i < LIMIT_WINDOWS; i++)
        if (windows[i].limit && windows[i].remaining == 0 &&
            (!used_up || windows[i].reset_s > used_up->reset_s))
            used_up = &windows[i];
    if (!used_up)
        return false;
    int64_t left_us = used_up->reset_s * 1000000 - now_us;
    int64_t left_s = left_us > 0 ? (left_us + 999999) / 1000000 : 0;
    *ret = (struct bottleneck){.kind = BOTTLENECK_KEY_LIMIT, .waiting = BOTTLENECK_NOBODY};
    rfc3339_format(used_up->reset_s * 1000000, time);
    str_format(ret->message, sizeof ret->message,
               "This key has used up its limit of %s request%s per %s; it may go on in %lld "
               "second%s, at %s.",
               count_text(used_up->limit, limit), used_up->limit == 1 ? "" : "s", used_up->name,
               (long long)left_s, left_s == 1 ? "" : "s", time);
    return true;
}

/* ---- carriers ---- */

/* How one is spoken of, by what its section is called. */
static const struct manner {
    const char *title, *section, *unit;
    const char *down; /* before its name, and behind it */
    const char *is_down;
} manners[] = {
    {"Carrier", "carrier", "segment", "No bind of carrier", "is up"},
    {"MMSC", "mmsc", "message", "No connection to MMSC", "can be used"},
};

/* "1,204 segments" */
static const char *count_units(const struct manner *m, uint32_t figure, char out[COUNT_SIZE + 16])
{
    char number[COUNT_SIZE];

    str_format(out, COUNT_SIZE + 16, "%s %s%s", count_text(figure, number), m->unit,
               figure == 1 ? "" : "s");
    return out;
}

static void say_throttled(struct bottleneck *b, const struct manner *m, uint32_t figure,
                          const char *wait)
{
    char units[COUNT_SIZE + 16];

    if (figure == 0)
        str_format(b->message, sizeof b->message,
                   "%s %s asked for a pause, and gets nothing for the moment; %s for it.", m->title,
                   b->carrier, wait);
    else
        str_format(b->message, sizeof b->message,
                   "%s %s asked to be sent less, and gets %s a second for now; %s for it.",
                   m->title, b->carrier, count_units(m, figure, units), wait);
}

static void say_rate(struct bottleneck *b, const struct manner *m, uint32_t figure,
                     const char *wait)
{
    char units[COUNT_SIZE + 16];

    str_format(b->message, sizeof b->message,
               "%s %s is limited to %s a second ([%s %s] rate); %s for it.", m->title, b->carrier,
               count_units(m, figure, units), m->section, b->carrier, wait);
}

static void say_window(struct bottleneck *b, const struct manner *m, uint32_t figure,
                       const char *wait)
{
    char units[COUNT_SIZE + 16];

    str_format(b->message, sizeof b->message,
               "%s %s has %s unanswered, as many as it may ([%s %s] window); %s for it.", m->title,
               b->carrier, count_units(m, figure, units), m->section, b->carrier, wait);
}

/* False when it lets them go. */
static bool describe(struct bottleneck *b, const struct manner *m, enum carrier_limit limit,
                     uint32_t figure)
{
    char wait[COUNT_SIZE + 24];

    who_waits(b->waiting, wait);
    switch (limit) {
    case CARRIER_LIMIT_NONE:
        return false;
    case CARRIER_LIMIT_LINK_DOWN:
        b->kind = BOTTLENECK_LINK_DOWN;
        str_format(b->message, sizeof b->message, "%s %s %s; %s for it.", m->down, b->carrier,
                   m->is_down, wait);
        return true;
    case CARRIER_LIMIT_DRAINED:
        b->kind = BOTTLENECK_DRAINED;
        str_format(b->message, sizeof b->message, "%s %s is drained by the operator; %s for it.",
                   m->title, b->carrier, wait);
        return true;
    case CARRIER_LIMIT_THROTTLED:
        b->kind = BOTTLENECK_THROTTLED;
        say_throttled(b, m, figure, wait);
        return true;
    case CARRIER_LIMIT_RATE:
        b->kind = BOTTLENECK_CARRIER_RATE;
        say_rate(b, m, figure, wait);
        return true;
    case CARRIER_LIMIT_WINDOW:
        b->kind = BOTTLENECK_WINDOW;
        say_window(b, m, figure, wait);
        return true;
    }
    return false;
}

static void describe_gone(struct bottleneck *b, const struct carrier_record *known, size_t count,
                          unsigned number)
{
    char wait[COUNT_SIZE + 24];

    b->kind = BOTTLENECK_NO_CARRIER;
    who_waits(b->waiting, wait);
    str_format(b->message, sizeof b->message, "%s for a carrier that is not configured.", wait);
    for (size_t i = 0; i < count; i++)
        if (known[i].id == number) {
            str_format(b->carrier, sizeof b->carrier, "%s", known[i].name);
            str_format(b->message, sizeof b->message,
                       "Carrier %s is not configured any more; %s for another route.", b->carrier,
                       wait);
        }
}

/* ---- all of them ---- */

static int compare(const void *a, const void *b)
{
    const struct bottleneck *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->waiting != y->waiting)
        return x->waiting > y->waiting ? -1 : 1;
    return strcmp(x->carrier, y->carrier);
}

/* The simulator takes all that it gets. */
static bool is_gone(const struct queue_lane *lane, const struct routing *routing)
{
    return lane->carrier != 0 && routing_place(routing, lane->carrier) < 0;
}

bool bottlenecks_want_names(const struct queue_state *queue, const struct routing *routing)
{
    for (size_t i = 0; i < queue->lane_count; i++)
        if (queue->lanes[i].queued > 0 && is_gone(&queue->lanes[i], routing))
            return true;
    return false;
}

static bool describe_known(struct bottleneck *b, const struct routing *routing, unsigned number)
{
    int place = number ? routing_place(routing, number) : -1;
    uint32_t figure;

    if (place < 0)
        return false;
    const struct carrier *c = routing->carriers[place];
    str_format(b->carrier, sizeof b->carrier, "%s", c->name);
    enum carrier_limit limit = carrier_limit_get(c, &figure);
    return describe(b, &manners[c->is_mmsc], limit, figure);
}

size_t bottlenecks_of_queue(const struct queue_state *queue, const struct routing *routing,
                            const struct carrier_record *known, size_t known_count,
                            struct bottleneck ret[QUEUE_LANES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < queue->lane_count; i++) {
        const struct queue_lane *lane = &queue->lanes[i];
        struct bottleneck *b = &ret[count];

        *b = (struct bottleneck){.waiting = lane->queued};
        if (lane->queued <= 0)
            continue;
        if (is_gone(lane, routing)) {
            describe_gone(b, known, known_count, lane->carrier);
            count++;
        } else {
            count += describe_known(b, routing, lane->carrier);
        }
    }
    qsort(ret, count, sizeof *ret, compare);
    return count;
}
