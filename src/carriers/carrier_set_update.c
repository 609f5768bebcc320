/* The carriers that there shall be: what the configuration says of them is checked by the thread
 * that wants it so, the writer gives numbers to new names, the engine does the rest. */
#include "carriers/carrier_set_internal.h"
#include "carriers/mm7_settings.h"
#include "carriers/smpp_carrier.h"

#include <errno.h>
#include <stdlib.h>

struct wanted {
    struct carrier_record record;
    struct live_settings *settings;
};

struct update {
    struct carrier_question question;
    struct write_job job; /* numbers, from the store */
    sem_t written;
    int result;
    size_t count;
    struct wanted items[];
};

static int add_seat(struct carrier_set *s, const struct wanted *w)
{
    const struct carrier_set_options *o = &s->options;
    const struct live_carrier_options options = {.loop = o->loop,
                                                 .clock = o->clock,
                                                 .dispatch = o->dispatch,
                                                 .receipts = o->receipts,
                                                 .arrivals = o->arrivals,
                                                 .wire = o->wire};
    struct carrier_seat *seat;
    int failed = carrier_seat_new(&seat, w->settings->kind, &options, &w->record);

    if (failed)
        return failed;
    seat->next = s->seats;
    s->seats = seat;
    return 0;
}

static const struct wanted *find_wanted(const struct update *u, const struct carrier_seat *seat)
{
    for (size_t i = 0; i < u->count; i++)
        if (carrier_seat_is(seat, u->items[i].record.name))
            return &u->items[i];
    return NULL;
}

/* ---- on the engine ---- */

/* Nothing changes before all have their seats. Those that are new and get none for want of memory
 * leave others behind that nobody wants, which is no harm. */
static int answer_update(struct carrier_set *s, struct carrier_question *q)
{
    struct update *u = (struct update *)q;
    int failed = 0;

    for (size_t i = 0; i < u->count && !failed; i++)
        if (!carrier_set_seat(s, u->items[i].record.name))
            failed = add_seat(s, &u->items[i]);
    if (failed)
        return failed;
    for (struct carrier_seat *seat = s->seats; seat; seat = seat->next) {
        const struct wanted *w = find_wanted(u, seat);
        if (w)
            live_carrier_drain(seat->carrier, w->record.drained);
        carrier_seat_want(seat, w ? w->settings : NULL);
    }
    for (size_t i = 0; i < u->count; i++)
        u->items[i].settings = NULL; /* the seats' */
    return 0;
}

/* ---- on the writer ---- */

static int apply_numbers(struct write_job *job, struct store *store)
{
    struct update *u = (struct update *)((char *)job - offsetof(struct update, job));
    int failed = 0;

    for (size_t i = 0; i < u->count && failed >= 0; i++)
        failed = store_carrier_add(store, &u->items[i].record);
    return failed < 0 ? failed : 0;
}

static void numbers_done(struct write_job *job, int result)
{
    struct update *u = (struct update *)((char *)job - offsetof(struct update, job));

    u->result = result;
    sem_post(&u->written);
}

/* ---- on the thread that wants it ---- */

/* New names get a number in the store; it also says how each stood. */
static int write_numbers(struct update *u, struct writer *w)
{
    u->job = (struct write_job){.apply = apply_numbers, .done = numbers_done};
    sem_init(&u->written, 0, 0);
    int refused = writer_post(w, &u->job);
    while (!refused && sem_wait(&u->written) < 0)
        ; /* a signal came */
    sem_destroy(&u->written);
    return refused ? refused : u->result;
}

static struct wanted *add_wanted(struct update *u, const char *name)
{
    struct wanted *w = &u->items[u->count++];

    str_format(w->record.name, sizeof w->record.name, "%s", name);
    return w;
}

static int read_carrier(struct update *u, const struct config_carrier *c,
                        char why[CARRIER_SET_WHY_SIZE])
{
    struct wanted *w = add_wanted(u, c->name);
    struct smpp_settings *settings;
    int failed = smpp_settings_new(&settings, c, why, CARRIER_SET_WHY_SIZE);

    if (!failed)
        w->settings = &settings->live;
    return failed;
}

static int read_mmsc(struct update *u, const struct config_mmsc *c, char why[CARRIER_SET_WHY_SIZE])
{
    struct wanted *w = add_wanted(u, c->name);
    struct mm7_settings *settings;
    int failed = mm7_settings_new(&settings, c, why, CARRIER_SET_WHY_SIZE);

    if (!failed)
        w->settings = &settings->live;
    return failed;
}

static int read_settings(struct update *u, const struct config *config,
                         char why[CARRIER_SET_WHY_SIZE])
{
    int failed = 0;

    for (size_t i = 0; i < config->carrier_count && !failed; i++)
        failed = read_carrier(u, &config->carriers[i], why);
    for (size_t i = 0; i < config->mmsc_count && !failed; i++)
        failed = read_mmsc(u, &config->mmscs[i], why);
    return failed;
}

/* A seat is for one kind: what is under way, and its port, cannot become another. */
static int check_kinds(const struct carrier_set *s, const struct update *u,
                       char why[CARRIER_SET_WHY_SIZE])
{
    for (size_t i = 0; i < u->count; i++) {
        const struct wanted *w = &u->items[i];
        const struct carrier_seat *seat = carrier_set_seat(s, w->record.name);
        if (!seat || seat->carrier->kind == w->settings->kind)
            continue;
        str_format(why, CARRIER_SET_WHY_SIZE,
                   "[%s %s] was a section [%s %s] when the server started: choose another name, or "
                   "restart it",
                   w->settings->kind->word, w->record.name, seat->carrier->kind->word,
                   w->record.name);
        return -EINVAL;
    }
    return 0;
}

int carrier_set_update(struct carrier_set *s, const struct config *config,
                       char why[CARRIER_SET_WHY_SIZE])
{
    size_t count = config->carrier_count + config->mmsc_count;
    struct update *u = calloc(1, sizeof *u + count * sizeof *u->items);

    why[0] = '\0';
    if (!u)
        return -ENOMEM;
    u->question.answer = answer_update;
    int failed = read_settings(u, config, why);
    if (!failed)
        failed = check_kinds(s, u, why);
    if (!failed && u->count)
        failed = write_numbers(u, s->options.writer);
    if (!failed)
        failed = carrier_set_ask(s, &u->question);
    if (failed && !why[0])
        str_format(why, CARRIER_SET_WHY_SIZE, "carriers cannot be set up: %s", strerror(-failed));
    for (size_t i = 0; i < u->count; i++)
        live_settings_free(u->items[i].settings);
    free(u);
    return failed;
}
