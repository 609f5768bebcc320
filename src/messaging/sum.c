#include "messaging/sum.h"

#include <assert.h>

enum { RATE_UNIT = 100, MS_UNIT = 1000 }; /* millionths in a step of rates, in a millisecond */

static const char *const words[] = {
#define X(name, word) [MEASURE_##name] = (word),
    MEASURES(X)
#undef X
};

const char *measure_word(enum measure m)
{
    assert(m < MEASURE_COUNT);
    return words[m];
}

void sum_add(struct sum *s, const struct sum *more)
{
    s->messages += more->messages;
    s->sms += more->sms;
    s->mms += more->mms;
    s->segments += more->segments;
    s->cost_micros += more->cost_micros;
    for (int i = 0; i < STATUS_SLOTS; i++)
        s->statuses[i] += more->statuses[i];
    s->delivery_ms += more->delivery_ms;
    s->inbound += more->inbound;
}

void sum_add_rollup(struct sum *s, const struct series_record *series, const struct rollup *r)
{
    if (series->direction == DIRECTION_INBOUND) {
        s->inbound += r->accepted;
        return;
    }
    s->messages += r->accepted;
    *(series->kind == KIND_MMS ? &s->mms : &s->sms) += r->accepted;
    s->segments += r->segments;
    s->cost_micros += r->cost_micros;
    for (int i = 0; i < STATUS_SLOTS; i++)
        s->statuses[i] += r->statuses[i];
    s->delivery_ms += r->delivery_ms;
}

/* ---- figures ---- */

static struct figure count(int64_t value)
{
    return (struct figure){FIGURE_COUNT, value};
}

/* part * unit / whole, to the nearest; none without a whole. */
static struct figure quotient(int64_t part, int64_t unit, int64_t whole, int64_t scale)
{
    if (whole <= 0)
        return (struct figure){FIGURE_NONE, 0};
    __int128 twice = (__int128)part * unit * 2 + whole;
    return (struct figure){FIGURE_DECIMAL, (int64_t)(twice / ((__int128)whole * 2)) * scale};
}

/* The share of those that have come to an end with a receipt or without. */
static struct figure rate(const struct sum *s, enum message_status status)
{
    return quotient(s->statuses[status], 1000000 / RATE_UNIT,
                    s->statuses[STATUS_DELIVERED] + s->statuses[STATUS_FAILED], RATE_UNIT);
}

static struct figure p95(const struct sum *s)
{
    int64_t ms;

    if (!s->times || !delivery_times_within(s->times, 95, &ms))
        return (struct figure){FIGURE_NONE, 0};
    return (struct figure){FIGURE_DECIMAL, ms * MS_UNIT};
}

/* Those that are made of several counts. */
static struct figure made_figure(const struct sum *s, enum measure m)
{
    switch (m) {
    case MEASURE_COST:
        return (struct figure){FIGURE_MONEY, s->cost_micros};
    case MEASURE_AMOUNT:
        return (struct figure){FIGURE_DECIMAL, s->cost_micros};
    case MEASURE_REQUESTS:
        return s->requests == SUM_NOT_COUNTED ? (struct figure){FIGURE_NONE, 0}
                                              : count(s->requests);
    case MEASURE_DELIVERY_RATE:
        return rate(s, STATUS_DELIVERED);
    case MEASURE_FAILURE_RATE:
        return rate(s, STATUS_FAILED);
    case MEASURE_AVERAGE_SECONDS:
        return quotient(s->delivery_ms, 1, s->statuses[STATUS_DELIVERED], MS_UNIT);
    case MEASURE_P95_SECONDS:
        return p95(s);
    case MEASURE_PER_MESSAGE:
        return quotient(s->cost_micros, 1, s->messages, 1);
    default:
        assert(m == MEASURE_PER_SEGMENT);
        return quotient(s->cost_micros, 1, s->segments, 1);
    }
}

struct figure sum_figure(const struct sum *s, enum measure m)
{
    switch (m) {
    case MEASURE_MESSAGES:
    case MEASURE_TOTAL:
        return count(s->messages);
    case MEASURE_SEGMENTS:
        return count(s->segments);
    case MEASURE_SMS:
        return count(s->sms);
    case MEASURE_MMS:
        return count(s->mms);
    case MEASURE_INBOUND:
        return count(s->inbound);
    case MEASURE_SCHEDULED:
        return count(s->statuses[STATUS_SCHEDULED]);
    case MEASURE_QUEUED:
        return count(s->statuses[STATUS_QUEUED]);
    case MEASURE_SENT:
        return count(s->statuses[STATUS_SENT]);
    case MEASURE_DELIVERED:
        return count(s->statuses[STATUS_DELIVERED]);
    case MEASURE_FAILED:
        return count(s->statuses[STATUS_FAILED]);
    case MEASURE_CANCELLED:
        return count(s->statuses[STATUS_CANCELLED]);
    default:
        return made_figure(s, m);
    }
}
