#include "hooks/circuit.h"

struct circuit circuit_of(const struct endpoint_record *e)
{
    return (struct circuit){.off = e->off,
                            .off_us = e->off_us,
                            .failures = e->failures,
                            .failing_since_us = e->failing_since_us,
                            .paused_until_us = e->paused_until_us,
                            .last_success_us = e->last_success_us};
}

void circuit_put(const struct circuit *c, struct endpoint_record *e)
{
    e->off = c->off;
    e->off_us = c->off_us;
    e->failures = c->failures;
    e->failing_since_us = c->failing_since_us;
    e->paused_until_us = c->paused_until_us;
    e->last_success_us = c->last_success_us;
}

enum circuit_gate circuit_gate(const struct circuit *c, int64_t now_us)
{
    if (c->off != ENDPOINT_OFF_NONE)
        return CIRCUIT_OFF;
    if (!c->paused_until_us)
        return CIRCUIT_FLOWS;
    return now_us < c->paused_until_us ? CIRCUIT_RESTS : CIRCUIT_PROBES;
}

bool circuit_wants_success(const struct circuit *c, int64_t now_us)
{
    return c->failures || c->failing_since_us || c->paused_until_us ||
           now_us - c->last_success_us >= CIRCUIT_NOTE_EACH_US;
}

/* Who switched it off has the last word: a success does not switch it on again. */
enum circuit_change circuit_succeeded(struct circuit *c, int64_t now_us)
{
    bool paused = c->paused_until_us != 0;

    c->failures = 0;
    c->failing_since_us = 0;
    c->paused_until_us = 0;
    c->last_success_us = now_us;
    return paused && c->off == ENDPOINT_OFF_NONE ? CIRCUIT_RECOVERED : CIRCUIT_SAME;
}

static enum circuit_change switch_off(struct circuit *c, enum endpoint_off reason, int64_t now_us)
{
    if (c->off != ENDPOINT_OFF_NONE)
        return CIRCUIT_SAME;
    c->off = reason;
    c->off_us = now_us;
    c->paused_until_us = 0;
    return CIRCUIT_SWITCHED_OFF;
}

enum circuit_change circuit_failed(struct circuit *c, bool lasting, int64_t now_us)
{
    if (c->failures < UINT32_MAX)
        c->failures++;
    if (!c->failing_since_us)
        c->failing_since_us = now_us;
    if (!lasting && now_us - c->failing_since_us >= CIRCUIT_GIVE_UP_US)
        return switch_off(c, ENDPOINT_OFF_FAILING, now_us);
    /* What was under way when the pause began may fail in it, and does not make it longer. */
    if (c->off != ENDPOINT_OFF_NONE || c->failures < CIRCUIT_FAILURES ||
        circuit_gate(c, now_us) == CIRCUIT_RESTS)
        return CIRCUIT_SAME;
    c->paused_until_us = now_us + CIRCUIT_PAUSE_US;
    return CIRCUIT_PAUSED;
}

enum circuit_change circuit_gone(struct circuit *c, int64_t now_us)
{
    return switch_off(c, ENDPOINT_OFF_GONE, now_us);
}
