#include "media/media_desk.h"

#include "media/media_fetch.h"

#include <errno.h>
#include <stdlib.h>

enum { JOBS_USUAL = 512, RETRY_USUAL_MS = 2000, CONNECT_MS = 10000 };

struct media_desk {
    struct media_desk_options options;
    struct media_port port;
    struct media_bench bench;

    /* The loop's. */
    struct loop_signal *signal;
    struct mailbox home; /* wishes from the engine, and errands that are back */
    struct store_reader *reader;
    struct media_fetch *first, *last; /* on the loop, oldest first */
    struct media_shares lines;        /* connections */
    bool closing;

    /* The engine's. */
    struct loop_signal *told;
    struct media_fetch *asked;  /* all that are not answered */
    struct mailbox answers;     /* fetches that are at their end */
    struct media_shares places; /* of them */
    bool refused;               /* somebody waits for one */

    _Atomic size_t held, flying; /* as the shares say, for others to see */
};

/* ---- fetches on the loop ---- */

static void enter(struct media_desk *d, struct media_fetch *f)
{
    f->previous = d->last;
    f->next = NULL;
    *(d->last ? &d->last->next : &d->first) = f;
    d->last = f;
}

static void leave(struct media_desk *d, struct media_fetch *f)
{
    *(f->previous ? &f->previous->next : &d->first) = f->next;
    *(f->next ? &f->next->previous : &d->last) = f->previous;
}

static void show_flying(struct media_desk *d)
{
    atomic_store_explicit(&d->flying, d->lines.taken, memory_order_relaxed);
}

static void on_landed(struct media_fetch *f, const struct media_file *file)
{
    struct media_desk *d = f->owner;

    media_shares_give(&d->lines, &file->claim);
    show_flying(d);
    loop_signal_raise(d->signal);
}

/* Live ones go first, then those whose account has least, then the older one. */
static bool goes_before(const struct media_desk *d, const struct media_fetch *f,
                        const struct media_fetch *older)
{
    if (f->claim.test != older->claim.test)
        return older->claim.test;
    return d->lines.accounts[f->claim.account] < d->lines.accounts[older->claim.account];
}

static struct media_fetch *next_to_start(const struct media_desk *d)
{
    struct media_fetch *found = NULL;

    for (struct media_fetch *f = d->first; f; f = f->next) {
        const struct media_file *file = media_fetch_next(f);

        if (file && media_shares_have_room(&d->lines, &file->claim) &&
            (!found || goes_before(d, f, found)))
            found = f;
    }
    return found;
}

static void start_files(struct media_desk *d)
{
    struct media_fetch *f;

    while ((f = next_to_start(d))) {
        media_shares_take(&d->lines, &media_fetch_next(f)->claim);
        show_flying(d);
        media_fetch_start(f);
    }
}

static void end_fetches(struct media_desk *d)
{
    for (struct media_fetch *f = d->first, *next; f; f = next) {
        next = f->next;
        if (!media_fetch_is_over(f))
            continue;
        if (media_fetch_put(f, &d->home, d->options.writer))
            continue;
        leave(d, f);
        media_fetch_close(f);
        mailbox_post(&d->answers, &f->errand.job.letter);
    }
}

static void run(void *desk)
{
    struct media_desk *d = desk;

    errands_back(mailbox_take(&d->home));
    end_fetches(d);
    start_files(d);
    store_reader_rest(d->reader);
}

/* ---- wishes, on the loop ---- */

static void on_wish(struct errand *e)
{
    struct media_fetch *f = (struct media_fetch *)e;
    struct media_desk *d = f->owner;

    enter(d, f);
    if (!d->closing)
        media_fetch_open(f, &d->bench, d->reader);
}

struct farewell {
    struct errand errand;
    struct media_desk *desk;
    int64_t message;
};

static void on_farewell(struct errand *e)
{
    struct farewell *w = (struct farewell *)e;

    for (struct media_fetch *f = w->desk->first; f && !w->desk->closing; f = f->next)
        if (f->message == w->message)
            media_fetch_forget(f);
    free(w);
}

/* ---- the port, on the engine's thread ---- */

static void show_held(struct media_desk *d)
{
    atomic_store_explicit(&d->held, d->places.taken, memory_order_relaxed);
}

static void note_asked(struct media_desk *d, struct media_fetch *f)
{
    f->asked_next = d->asked;
    if (d->asked)
        d->asked->asked_previous = f;
    d->asked = f;
    media_shares_take(&d->places, &f->claim);
    show_held(d);
}

static void note_answered(struct media_desk *d, struct media_fetch *f)
{
    *(f->asked_previous ? &f->asked_previous->asked_next : &d->asked) = f->asked_next;
    if (f->asked_next)
        f->asked_next->asked_previous = f->asked_previous;
    media_shares_give(&d->places, &f->claim);
    show_held(d);
}

static int fetch(void *desk, const struct message *m, const struct media_profile *profile)
{
    struct media_desk *d = desk;
    struct media_claim claim = media_claim_of(m, m->media);

    if (!media_shares_have_room(&d->places, &claim)) {
        d->refused = true;
        return -EAGAIN;
    }
    struct media_fetch *f = media_fetch_new(m, profile, d->options.size_max);
    if (!f)
        return -ENOMEM;
    f->owner = d;
    f->landed = on_landed;
    f->errand.back = on_wish;
    note_asked(d, f);
    mailbox_post(&d->home, &f->errand.job.letter);
    return 0;
}

/* Its answer may be on the way already: it must not be taken for that of a later wish for the same
 * message. Without memory for the letter the fetch goes on in vain. */
static void forget(void *desk, int64_t message)
{
    struct media_desk *d = desk;
    struct farewell *w = calloc(1, sizeof *w);

    for (struct media_fetch *f = d->asked; f; f = f->asked_next)
        f->unwanted |= f->message == message;
    if (!w)
        return;
    *w = (struct farewell){.errand.back = on_farewell, .desk = d, .message = message};
    mailbox_post(&d->home, &w->errand.job.letter);
}

static void tell(struct media_desk *d, struct media_fetch *f)
{
    struct media_answer answer = {.failure = f->failure, .detail = str_of(f->detail)};

    if (!f->unwanted)
        d->options.done(d->options.context, f->message, &answer);
    media_fetch_free(f);
}

static void tell_all(void *desk)
{
    struct media_desk *d = desk;

    for (struct letter *l = mailbox_take(&d->answers), *next; l; l = next) {
        next = l->next;
        note_answered(d, (struct media_fetch *)l);
        tell(d, (struct media_fetch *)l);
    }
    if (d->refused) {
        d->refused = false;
        d->options.ready(d->options.context);
    }
}

/* ---- life ---- */

static void wake_loop(void *desk)
{
    loop_signal_raise(((struct media_desk *)desk)->signal);
}

static void wake_engine(void *desk)
{
    loop_signal_raise(((struct media_desk *)desk)->told);
}

static int make_parts(struct media_desk *d, char why[LOOP_HTTP_WHY_SIZE])
{
    const struct media_desk_options *o = &d->options;
    struct loop_http_options http = {.guard = o->guard,
                                     .ca_file = o->ca_file,
                                     .max_connections = o->connections,
                                     .connect_ms = CONNECT_MS,
                                     .total_ms = o->timeout_ms};

    str_format(why, LOOP_HTTP_WHY_SIZE, "memory is short");
    d->signal = loop_signal_new(o->loop, run, d);
    d->told = loop_signal_new(o->engine, tell_all, d);
    if (!d->signal || !d->told)
        return -ENOMEM;
    int failed = store_reader_open(o->store, &d->reader);
    d->bench.reader = d->reader;
    return failed ? failed : loop_http_new(&d->bench.http, o->loop, &http, why);
}

static void settle_options(struct media_desk *d, const struct media_desk_options *options)
{
    d->options = *options;
    media_shares_init(&d->lines, options->connections);
    media_shares_init(&d->places, options->jobs ? options->jobs : JOBS_USUAL);
    d->bench.loop = options->loop;
    d->bench.store = options->store;
    d->bench.timeout_ms = options->timeout_ms;
    d->bench.retry_ms = options->retry_ms ? options->retry_ms : RETRY_USUAL_MS;
    d->port = (struct media_port){.fetch = fetch, .forget = forget, .context = d};
}

int media_desk_new(struct media_desk **ret, const struct media_desk_options *options,
                   char why[LOOP_HTTP_WHY_SIZE])
{
    struct media_desk *d = calloc(1, sizeof *d);

    *ret = NULL;
    str_format(why, LOOP_HTTP_WHY_SIZE, "memory is short");
    if (!d)
        return -ENOMEM;
    settle_options(d, options);
    sem_init(&d->bench.synced, 0, 0);
    mailbox_init(&d->home, wake_loop, d);
    mailbox_init(&d->answers, wake_engine, d);
    int failed = make_parts(d, why);
    d->options.ca_file = NULL; /* it was the caller's */
    if (failed) {
        media_desk_free(d);
        return failed;
    }
    *ret = d;
    return 0;
}

const struct media_port *media_desk_port(const struct media_desk *d)
{
    return &d->port;
}

static void free_fetches(struct media_desk *d)
{
    while (d->bench.syncing-- > 0)
        sem_wait(&d->bench.synced);
    d->closing = true;
    errands_back(mailbox_take(&d->home));
    while (d->first) {
        struct media_fetch *f = d->first;
        leave(d, f);
        media_fetch_close(f);
        media_fetch_free(f);
    }
    for (struct letter *l = mailbox_take(&d->answers), *next; l; l = next) {
        next = l->next;
        media_fetch_free((struct media_fetch *)l);
    }
}

void media_desk_free(struct media_desk *d)
{
    if (!d)
        return;
    free_fetches(d);
    loop_http_free(d->bench.http);
    store_reader_close(d->reader);
    mailbox_done(&d->home);
    mailbox_done(&d->answers);
    sem_destroy(&d->bench.synced);
    free(d);
}

struct media_desk_counts media_desk_count(const struct media_desk *d)
{
#define READ(member) atomic_load_explicit(&d->member, memory_order_relaxed)
    return (struct media_desk_counts){.held = READ(held),
                                      .flying = READ(flying),
                                      .files = READ(bench.files),
                                      .known = READ(bench.known),
                                      .bytes = READ(bench.bytes),
                                      .retries = READ(bench.retries),
                                      .failures = READ(bench.failures)};
#undef READ
}
