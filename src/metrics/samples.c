#include "metrics/samples.h"

#include "metrics/exposition.h"

static const char *const mode_words[FACTS_MODES] = {[MODE_TEST] = "test", [MODE_LIVE] = "live"};

/* ---- by mode ---- */

static void put_queue(struct buf *out, enum metric m, const struct facts *f)
{
    static const char *const statuses[FACTS_QUEUES] = {"scheduled", "queued", "sent"};

    for (size_t mode = 0; mode < FACTS_MODES; mode++)
        for (size_t i = 0; i < FACTS_QUEUES; i++)
            exposition_sample(out, m, (const char *[]){mode_words[mode], statuses[i]},
                              f->queue[mode][i]);
}

static void put_modes(struct buf *out, enum metric m, const double *numbers)
{
    for (size_t mode = 0; mode < FACTS_MODES; mode++)
        exposition_sample(out, m, &mode_words[mode], numbers[mode]);
}

static void put_oldest(struct buf *out, enum metric m, const struct facts *f)
{
    put_modes(out, m, f->oldest_s);
}

static void put_hooks_pending(struct buf *out, enum metric m, const struct facts *f)
{
    put_modes(out, m, f->hooks_pending);
}

/* ---- carriers ---- */

static double carrier_number(enum metric m, const struct carrier_record *c)
{
    switch ((int)m) {
    case METRIC_CARRIER_BINDS:
        return c->binds_up;
    case METRIC_CARRIER_BINDS_WANTED:
        return c->binds;
    case METRIC_CARRIER_WAITING:
        return (double)c->waiting;
    case METRIC_CARRIER_IN_FLIGHT:
        return (double)c->in_flight;
    case METRIC_CARRIER_SUBMITTED:
        return (double)c->submitted;
    case METRIC_CARRIER_TAKEN:
        return (double)c->taken;
    case METRIC_CARRIER_REFUSED:
        return (double)c->refused;
    case METRIC_CARRIER_THROTTLED:
        return (double)c->throttled;
    case METRIC_CARRIER_RECEIPTS:
        return (double)c->receipts;
    case METRIC_CARRIER_STRAYS:
        return (double)c->strays;
    }
    return (double)c->maybe_twice;
}

/* One that is not configured any more has a row in the store, and no place here. */
static bool is_shown(const struct carrier_record *c)
{
    return c->state != CARRIER_UNUSED;
}

static void put_carriers(struct buf *out, enum metric m, const struct facts *f)
{
    for (size_t i = 0; i < f->carrier_count; i++)
        if (is_shown(&f->carriers[i]))
            exposition_sample(out, m, (const char *[]){f->carriers[i].name},
                              carrier_number(m, &f->carriers[i]));
}

static void put_carrier_states(struct buf *out, enum metric m, const struct facts *f)
{
    static const struct {
        enum carrier_state state;
        const char *word;
    } states[] = {
#define X(name, number, word) {CARRIER_##name, word},
        CARRIER_STATES(X)
#undef X
    };

    for (size_t i = 0; i < f->carrier_count; i++)
        for (size_t s = 0; s < sizeof states / sizeof *states; s++)
            if (is_shown(&f->carriers[i]) && states[s].state != CARRIER_UNUSED)
                exposition_sample(out, m, (const char *[]){f->carriers[i].name, states[s].word},
                                  f->carriers[i].state == states[s].state);
}

/* ---- the rest ---- */

static void put_endpoints(struct buf *out, enum metric m, const struct facts *f)
{
    static const char *const words[FACTS_ENDPOINTS] = {"active", "paused", "off"};

    for (size_t i = 0; i < FACTS_ENDPOINTS; i++)
        exposition_sample(out, m, &words[i], f->endpoints[i]);
}

static void put_build(struct buf *out, enum metric m, const struct facts *f)
{
    exposition_sample(out, m, (const char *[]){SKYLARK_VERSION}, 1);
}

/* How each is put: one number of the facts, or a function. */
#define NUMBER(id, member)     [METRIC_##id] = {.offset = offsetof(struct facts, member)}
#define FUNCTION(id, function) [METRIC_##id] = {.put = function}
static const struct {
    void (*put)(struct buf *out, enum metric m, const struct facts *f);
    size_t offset; /* of a double */
} ways[METRIC_COUNT] = {
    NUMBER(HTTP_CONNECTIONS, connections),
    FUNCTION(QUEUE, put_queue),
    FUNCTION(QUEUE_OLDEST, put_oldest),
    FUNCTION(CARRIER_STATE, put_carrier_states),
    FUNCTION(CARRIER_BINDS, put_carriers),
    FUNCTION(CARRIER_BINDS_WANTED, put_carriers),
    FUNCTION(CARRIER_WAITING, put_carriers),
    FUNCTION(CARRIER_IN_FLIGHT, put_carriers),
    FUNCTION(CARRIER_SUBMITTED, put_carriers),
    FUNCTION(CARRIER_TAKEN, put_carriers),
    FUNCTION(CARRIER_REFUSED, put_carriers),
    FUNCTION(CARRIER_THROTTLED, put_carriers),
    FUNCTION(CARRIER_RECEIPTS, put_carriers),
    FUNCTION(CARRIER_STRAYS, put_carriers),
    FUNCTION(CARRIER_TWICE, put_carriers),
    FUNCTION(HOOKS_PENDING, put_hooks_pending),
    FUNCTION(HOOK_ENDPOINTS, put_endpoints),
    NUMBER(WRITER_QUEUE, writer_queue),
    NUMBER(DATABASE_BYTES, database_bytes),
    NUMBER(WAL_BYTES, wal_bytes),
    NUMBER(BOOKS, books_difference),
    FUNCTION(BUILD, put_build),
    NUMBER(PROCESS_CPU, process.cpu_s),
    NUMBER(PROCESS_RESIDENT, process.resident_bytes),
    NUMBER(PROCESS_VIRTUAL, process.virtual_bytes),
    NUMBER(PROCESS_FDS, process.open_fds),
    NUMBER(PROCESS_MAX_FDS, process.max_fds),
    NUMBER(PROCESS_START, process.start_s),
};

void samples_put(struct buf *out, enum metric m, const struct facts *f)
{
    double number;

    assert(ways[m].put || ways[m].offset);
    if (ways[m].put) {
        ways[m].put(out, m, f);
        return;
    }
    memcpy(&number, (const char *)f + ways[m].offset, sizeof number);
    exposition_sample(out, m, NULL, number);
}
