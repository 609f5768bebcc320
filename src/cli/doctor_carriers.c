/* Doctor's look at the carriers: those that get no messages, why, and what helps. How they stand is
 * what the server last noted in the store. */
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/carriers.h"
#include "cli/doctor.h"

enum { TROUBLE_MAX = 300 };

/* ": The last trouble.", or nothing. */
static const char *trouble_of(struct doctor *d, const struct carrier_record *c)
{
    struct str note = utf8_shown(str_of(c->note), TROUBLE_MAX);
    return note.n ? arena_printf(&d->found.memory, ": %.*s", STR_FMT(note)) : "";
}

static const char *since(int64_t us, char out[24])
{
    char at[RFC3339_SIZE];

    rfc3339_format(us, at);
    output_time(str_of(at), out);
    return out;
}

static const char *waiting_of(struct doctor *d, const struct carrier_record *c)
{
    if (c->waiting == 0)
        return "";
    return arena_printf(&d->found.memory, "; %lld message%s wait%s for it", (long long)c->waiting,
                        c->waiting == 1 ? "" : "s", c->waiting == 1 ? "s" : "");
}

/* ---- one of them ---- */

static const char *try_it(struct doctor *d, const struct carrier_entry *e)
{
    return arena_printf(&d->found.memory,
                        "'skylark carriers test %s' tries it step by step, and says what helps.",
                        e->name);
}

static void note_down(struct doctor *d, const struct carrier_entry *e)
{
    char at[24];

    doctor_note(d, "carrier", HEALTH_WRONG, try_it(d, e), "'%s' is down since %s UTC%s%s", e->name,
                since(e->record.since_us, at), waiting_of(d, &e->record),
                trouble_of(d, &e->record));
}

/* An MMSC, which has no binds, was down and is only known to be well when it has taken an MMS. */
static void note_connecting(struct doctor *d, const struct carrier_entry *e)
{
    doctor_note(d, "carrier", HEALTH_WARNING, try_it(d, e),
                e->record.binds ? "'%s' is not bound yet%s%s"
                                : "'%s' was down, and the next MMS tries it again%s%s",
                e->name, waiting_of(d, &e->record), trouble_of(d, &e->record));
}

/* It would not get messages either if it were enabled. */
static const char *unbound_of(struct doctor *d, const struct carrier_record *c)
{
    if (!d->answers || c->binds == 0 || c->binds_up)
        return "";
    return arena_printf(&d->found.memory, "; nor is it bound%s", trouble_of(d, c));
}

static void note_drained(struct doctor *d, const struct carrier_entry *e)
{
    doctor_note(d, "carrier", HEALTH_WARNING,
                arena_printf(&d->found.memory,
                             "'skylark carriers enable %s' gives it messages again.", e->name),
                "'%s' is drained: it gets nothing new%s%s", e->name, waiting_of(d, &e->record),
                unbound_of(d, &e->record));
}

static void note_unknown(struct doctor *d, const struct carrier_entry *e)
{
    doctor_note(d, "carrier", HEALTH_WARNING,
                "SIGHUP makes the server read its configuration; if it has another file than was "
                "read here, name that with --config or $SKYLARK_CONFIG.",
                "the server does not use '%s'", e->name);
}

/* It can be used, though perhaps not as fast as it could be. */
static void note_binds(struct doctor *d, const struct carrier_entry *e)
{
    const struct carrier_record *c = &e->record;

    if (c->binds_up < c->binds)
        doctor_note(d, "carrier", HEALTH_WARNING, try_it(d, e), "'%s' has %u of its %u binds%s",
                    e->name, c->binds_up, c->binds, trouble_of(d, c));
}

/* Whether it can be used. */
static bool note_state(struct doctor *d, const struct carrier_entry *e, enum carrier_state state)
{
    switch (state) {
    case CARRIER_BOUND:
    case CARRIER_READY:
        note_binds(d, e);
        return true;
    case CARRIER_DOWN:
        note_down(d, e);
        break;
    case CARRIER_CONNECTING:
        note_connecting(d, e);
        break;
    case CARRIER_DRAINED:
        note_drained(d, e);
        break;
    case CARRIER_UNUSED:
        note_unknown(d, e);
        break;
    }
    return false;
}

/* ---- all of them ---- */

/* Those that neither this configuration nor the server has are history. */
static bool is_meant(const struct carrier_entries *all, const struct carrier_entry *e)
{
    return e->config || e->mmsc || carriers_elsewhere(all, e);
}

static void note_elsewhere(struct doctor *d, const struct carrier_entries *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (carriers_elsewhere(all, &all->list[i])) {
            doctor_note(d, "carriers", HEALTH_WARNING,
                        "Name its file with --config or $SKYLARK_CONFIG.",
                        "the server has '%s' from another configuration than was read here",
                        all->list[i].name);
            return;
        }
}

/* Without a server that tells, only what the operator did is known. */
static void note_untold(struct doctor *d, const struct carrier_entries *all, size_t meant)
{
    for (size_t i = 0; i < all->count; i++)
        if (is_meant(all, &all->list[i]) && all->list[i].record.drained)
            note_drained(d, &all->list[i]);
    if (d->answers)
        doctor_note(d, "carriers", HEALTH_WARNING,
                    "SIGHUP makes the server read its configuration, if that has changed.",
                    "the server has told nothing of them yet");
    else
        doctor_note(d, "carriers", HEALTH_OK, NULL,
                    "%zu in the configuration; no server answers that could tell how they stand",
                    meant);
}

static void note_told(struct doctor *d, const struct carrier_entries *all, size_t meant)
{
    size_t good = 0;

    note_elsewhere(d, all);
    for (size_t i = 0; i < all->count; i++) {
        enum carrier_state state;
        if (!is_meant(all, &all->list[i]))
            continue;
        if (!carriers_state(all, &all->list[i], &state))
            state = CARRIER_UNUSED;
        good += note_state(d, &all->list[i], state);
    }
    if (good)
        doctor_note(d, "carriers", HEALTH_OK, NULL, "%zu of %zu can be used", good, meant);
}

void doctor_carriers(struct doctor *d)
{
    struct carrier_entries all;
    size_t meant = 0;

    if (!d->local.reader)
        return;
    if (carriers_find(&d->local, &all) != CLI_OK) {
        doctor_note(d, "carriers", HEALTH_WRONG, "See whether the store is damaged.",
                    "they cannot be read, as told above");
        return;
    }
    all.server_runs &= d->answers; /* what was noted before it was killed says nothing any more */
    for (size_t i = 0; i < all.count; i++)
        meant += is_meant(&all, &all.list[i]);
    if (meant && all.server_runs)
        note_told(d, &all, meant);
    else if (meant)
        note_untold(d, &all, meant);
}
