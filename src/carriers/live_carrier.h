/* A live carrier, whatever it speaks: what its seat in the set wants of it. smpp_carrier and
 * mm7_carrier are such. Engine's thread, but for _new and _free.
 *
 * It exists as long as any routing may name it; it is started with settings, and can be started
 * again with others: after it was stopped, or, where its kind changes over, while it runs. */
#pragma once

#include "messaging/arrivals.h"
#include "messaging/dispatch.h"
#include "messaging/receipts.h"

struct live_kind;

/* What a section of the configuration says, checked and in memory of its own; the first member of
 * what each kind makes of it. */
struct live_settings {
    const struct live_kind *kind;
};

struct mm7_wire;

struct live_carrier_options {
    struct loop *loop; /* the engine's */
    const struct clock *clock;
    struct dispatch *dispatch;
    struct receipts *receipts;
    struct arrivals *arrivals;
    struct mm7_wire *wire; /* of those that speak MM7 */
};

/* What all kinds have; the first member of a carrier of any kind, so that the port leads to it. */
struct live_carrier {
    struct carrier port;
    const struct live_kind *kind;
    struct live_carrier_options options;
    struct carrier_record record; /* as it stands; counts what happens */
    struct loop_timer *timer;     /* has it fed: soon, or when the kind said so */
    bool awake;                   /* it will go off at once */
};

struct live_kind {
    const char *word; /* of its sections: "carrier", "mmsc" */
    /* Other settings hold at once, while what is under way ends under those that it began with.
     * Else it has to stop before it starts with others. */
    bool changes_over;
    size_t size; /* of its struct */
    const struct carrier_ops *ops;
    void (*init)(struct live_carrier *c); /* all else is zero */
    void (*done)(struct live_carrier *c); /* frees what it holds */
    /* Sends what may be sent now; in how many microseconds to look again, negative: not before
     * something happens. */
    int64_t (*feed)(struct live_carrier *c);
    int (*start)(struct live_carrier *c, struct live_settings *settings);
    void (*stop)(struct live_carrier *c, bool hurry, void (*stopped)(void *context), void *context);
    void (*forget)(struct live_carrier *c);
    const struct live_settings *(*settings)(const struct live_carrier *c);
    void (*drained)(struct live_carrier *c); /* it is, or is not any more */
    void (*tick)(struct live_carrier *c);
    void (*state)(const struct live_carrier *c, struct carrier_record *ret);
    bool (*same)(const struct live_settings *a, const struct live_settings *b);
    void (*settings_free)(struct live_settings *settings);
};

/* Its name, number, whether it is drained, and what it has counted so far are in the record. */
int live_carrier_new(struct live_carrier **ret, const struct live_kind *kind,
                     const struct live_carrier_options *options,
                     const struct carrier_record *record);
/* When it does not run, and nothing that it began will come back any more. */
void live_carrier_free(struct live_carrier *c);

/* Has it fed soon. */
void live_carrier_wake(struct live_carrier *c);

/* The settings are the carrier's from now on. A stop that is under way is called off. -ENOMEM:
 * nothing has happened. */
static inline int live_carrier_start(struct live_carrier *c, struct live_settings *settings)
{
    return c->kind->start(c, settings);
}

/* Gives back what it has not sent, and waits for answers to what it has: as long as its kind finds
 * right, or for a moment only, when there is a hurry; that may be said later, too. When all is
 * answered for and nothing is connected any more, `stopped` is called. */
static inline void live_carrier_stop(struct live_carrier *c, bool hurry,
                                     void (*stopped)(void *context), void *context)
{
    c->kind->stop(c, hurry, stopped, context);
}

/* Dispatch has dropped it and tells it nothing more. While it does not run. */
static inline void live_carrier_forget(struct live_carrier *c)
{
    c->kind->forget(c);
}

/* What it runs with; NULL: it does not run. */
static inline const struct live_settings *live_carrier_settings(const struct live_carrier *c)
{
    return c->kind->settings(c);
}

/* Drained: takes nothing new, and goes on to receive. */
void live_carrier_drain(struct live_carrier *c, bool drained);

/* Each second. */
static inline void live_carrier_tick(struct live_carrier *c)
{
    c->kind->tick(c);
}

/* Fills all but told_us. */
static inline void live_carrier_state(const struct live_carrier *c, struct carrier_record *ret)
{
    c->kind->state(c, ret);
}

/* A receipt came in; `stray`: no message was found for it. */
static inline void live_carrier_count_receipt(struct live_carrier *c, bool stray)
{
    c->record.receipts++;
    c->record.strays += stray;
}

/* Whether the sections say the same. What lies in files that they name is not looked at. */
static inline bool live_settings_same(const struct live_settings *a, const struct live_settings *b)
{
    return a->kind == b->kind && a->kind->same(a, b);
}

static inline void live_settings_free(struct live_settings *settings)
{
    if (settings)
        settings->kind->settings_free(settings);
}
