#include "messaging/dispatch.h"

#include "messaging/status.h"

#include <errno.h>
#include <stdlib.h>

/* As many of the largest messages as fit: 1,600 characters and ten URLs of 2,048 are 90 KB each. */
enum { REFILL_MAX = 128, REFILL_ARENA = 16 << 20 };

struct parcel {
    struct letter letter; /* in `offered`, then in `waiting` */
    struct message message;
};

/* A change of status on its way to the store and back. */
struct move {
    struct write_job job; /* its letter also brings it back, through `written` */
    struct dispatch *dispatch;
    struct message_move move;
    struct parcel *parcel; /* given back when the move is durable, or NULL */
};

struct queue {
    struct letter *first, **last;
};

struct dispatch {
    struct dispatch_options options;
    struct carrier *carriers[2]; /* by mode */
    struct mailbox offered;      /* parcels, from the writer's thread */
    struct mailbox written;      /* moves that came back, from the writer's thread */

    /* Engine's thread only. */
    struct store_reader *reader;
    struct arena arena;
    struct queue waiting; /* parcels that no carrier has taken yet */

    pthread_mutex_t lock; /* of the rest, shared with dispatch_offer */
    size_t held;
    bool behind;
    int64_t known;  /* every open message up to this number is in memory or done */
    int64_t newest; /* number offered last */
};

static void queue_init(struct queue *q)
{
    q->first = NULL;
    q->last = &q->first;
}

static void queue_add(struct queue *q, struct letter *l)
{
    l->next = NULL;
    *q->last = l;
    q->last = &l->next;
}

static struct letter *queue_take_all(struct queue *q)
{
    struct letter *first = q->first;

    queue_init(q);
    return first;
}

const struct message *parcel_message(const struct parcel *p)
{
    return &p->message;
}

int dispatch_new(struct dispatch **ret, const struct dispatch_options *options)
{
    struct dispatch *d = calloc(1, sizeof *d);

    *ret = NULL;
    if (!d)
        return -ENOMEM;
    d->options = *options;
    int failed = store_reader_open(options->store, &d->reader);
    if (failed) {
        free(d);
        return failed;
    }
    mailbox_init(&d->offered, options->wake, options->wake_context);
    mailbox_init(&d->written, options->wake, options->wake_context);
    arena_init(&d->arena, REFILL_ARENA);
    queue_init(&d->waiting);
    pthread_mutex_init(&d->lock, NULL);
    d->behind = true; /* by whatever an earlier run left open */
    d->newest = INT64_MAX;
    *ret = d;
    return 0;
}

void dispatch_set_carrier(struct dispatch *d, enum mode mode, struct carrier *c)
{
    d->carriers[mode] = c;
}

static struct move *move_of(struct letter *l)
{
    return (struct move *)l;
}

static void free_moves(struct letter *l)
{
    while (l) {
        struct letter *next = l->next;
        free(move_of(l)->parcel);
        free(l);
        l = next;
    }
}

static void free_parcels(struct letter *l)
{
    while (l) {
        struct letter *next = l->next;
        free(l);
        l = next;
    }
}

void dispatch_free(struct dispatch *d)
{
    free_parcels(mailbox_take(&d->offered));
    free_parcels(queue_take_all(&d->waiting));
    free_moves(mailbox_take(&d->written));
    mailbox_done(&d->offered);
    mailbox_done(&d->written);
    store_reader_close(d->reader);
    arena_done(&d->arena);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static char *keep(char *at, struct str *s)
{
    if (s->n)
        memcpy(at, s->p, s->n);
    s->p = at;
    return at + s->n;
}

/* One block of memory with the message and its texts. */
static struct parcel *parcel_new(const struct message *m)
{
    struct parcel *p = malloc(sizeof *p + m->from.n + m->to.n + m->text.n + m->media.n);

    if (!p)
        return NULL;
    p->message = *m;
    char *at = (char *)(p + 1);
    at = keep(at, &p->message.from);
    at = keep(at, &p->message.to);
    at = keep(at, &p->message.text);
    keep(at, &p->message.media);
    return p;
}

/* True when the message is in the window; false when the store must bring it later. */
static bool put_in_window(struct dispatch *d, const struct message *m)
{
    struct parcel *p = NULL;

    if (!d->behind && d->held < d->options.window)
        p = parcel_new(m);
    if (!p)
        return false;
    d->held++;
    d->known = m->id;
    /* Under the lock: a refill that starts later must find it in front of what it reads. */
    mailbox_post(&d->offered, &p->letter);
    return true;
}

void dispatch_offer(struct dispatch *d, const struct message *m)
{
    pthread_mutex_lock(&d->lock);
    /* A refill may have read it already, between its commit and this call. */
    if (m->id > d->known) {
        d->newest = m->id;
        if (!put_in_window(d, m))
            d->behind = true;
    }
    pthread_mutex_unlock(&d->lock);
}

size_t dispatch_held(struct dispatch *d)
{
    pthread_mutex_lock(&d->lock);
    size_t held = d->held;
    pthread_mutex_unlock(&d->lock);
    return held;
}

/* ---- what carriers report ---- */

static int apply_move(struct write_job *job, struct store *store)
{
    int moved = store_move(store, &((struct move *)job)->move);
    return moved < 0 ? moved : 0; /* 0: a final state stands; nothing to do */
}

static void move_written(struct write_job *job, int result)
{
    struct move *m = (struct move *)job;

    (void)result;
    mailbox_post(&m->dispatch->written, &m->job.letter);
}

static void move_make(struct dispatch *d, int64_t message, enum message_status to,
                      enum failure failure, struct parcel *p)
{
    struct move *m = calloc(1, sizeof *m);

    if (!m)
        abort(); /* out of memory for 100 bytes: the store is safe, start again */
    m->job.apply = apply_move;
    m->job.done = move_written;
    m->dispatch = d;
    m->parcel = p;
    message_move_to(&m->move, message, to, failure, clock_now_us(d->options.clock));
    if (writer_post_owed(d->options.writer, &m->job) < 0)
        move_written(&m->job, -ESHUTDOWN); /* the program is stopping; the store's word stands */
}

void dispatch_answered(struct dispatch *d, struct parcel *p, enum failure failure)
{
    enum message_status to = failure ? STATUS_FAILED : STATUS_SENT;
    move_make(d, p->message.id, to, failure, p);
}

void dispatch_receipt(struct dispatch *d, int64_t message, enum failure failure)
{
    move_make(d, message, failure ? STATUS_FAILED : STATUS_DELIVERED, failure, NULL);
}

/* ---- the engine's side ---- */

static void release(struct dispatch *d, struct parcel *p)
{
    free(p);
    pthread_mutex_lock(&d->lock);
    d->held--;
    pthread_mutex_unlock(&d->lock);
}

static void take_written(struct dispatch *d)
{
    struct letter *l = mailbox_take(&d->written);

    while (l) {
        struct letter *next = l->next;
        struct move *m = move_of(l);
        if (m->parcel)
            release(d, m->parcel);
        free(m);
        l = next;
    }
}

/* False when the carrier has no room. */
static bool hand_over(struct dispatch *d, struct parcel *p)
{
    struct carrier *c = d->carriers[p->message.mode];

    if (!c) {
        dispatch_answered(d, p, FAILURE_NO_ROUTE);
        return true;
    }
    if (p->message.status != STATUS_SENT)
        return c->ops->submit(c, p) == 0;
    if (c->ops->follow(c, &p->message) < 0)
        return false;
    release(d, p);
    return true;
}

static void collect_offered(struct dispatch *d)
{
    for (struct letter *l = mailbox_take(&d->offered); l;) {
        struct letter *next = l->next;
        queue_add(&d->waiting, l);
        l = next;
    }
}

static void take_offered(struct dispatch *d)
{
    collect_offered(d);
    while (d->waiting.first) {
        struct letter *l = d->waiting.first, *next = l->next;
        if (!hand_over(d, (struct parcel *)l))
            return;
        d->waiting.first = next;
        if (!next)
            d->waiting.last = &d->waiting.first;
    }
}

/* How many open messages to read: none unless dispatch is behind and half the window is free. */
static size_t refill_room(struct dispatch *d, int64_t *ret_known, int64_t *ret_newest)
{
    size_t room = 0;

    pthread_mutex_lock(&d->lock);
    if (d->behind && d->held <= d->options.window / 2)
        room = d->options.window - d->held;
    *ret_known = d->known;
    *ret_newest = d->newest;
    pthread_mutex_unlock(&d->lock);
    return room < REFILL_MAX ? room : REFILL_MAX;
}

/* Notes that everything up to `known` is in memory now; caught up when nothing newer was offered.
 * True when something was: nobody will call for it, so it must be read at once. */
static bool refill_done(struct dispatch *d, size_t count, int64_t known, bool all, int64_t newest)
{
    pthread_mutex_lock(&d->lock);
    d->held += count;
    d->known = all && newest != INT64_MAX && newest > known ? newest : known;
    if (all && d->newest == newest) {
        d->behind = false;
        if (newest == INT64_MAX)
            d->newest = d->known;
    }
    bool more = all && d->behind;
    pthread_mutex_unlock(&d->lock);
    return more;
}

/* Reads the next open messages from the store; true when there may be more to read at once. */
static bool refill(struct dispatch *d)
{
    struct message *messages;
    int64_t known, newest;
    size_t count, kept = 0, room = refill_room(d, &known, &newest);

    if (room == 0)
        return false;
    collect_offered(d);
    arena_reset(&d->arena);
    int failed = store_open_work(d->reader, known, room, &d->arena, &messages, &count);
    store_reader_rest(d->reader);
    if (failed)
        return false;
    for (; kept < count; kept++) {
        struct parcel *p = parcel_new(&messages[kept]);
        if (!p)
            break;
        queue_add(&d->waiting, &p->letter);
        known = p->message.id;
    }
    bool missed = refill_done(d, kept, known, count < room && kept == count, newest);
    return kept == room || missed;
}

void dispatch_run(struct dispatch *d)
{
    bool more;

    do {
        take_written(d);
        take_offered(d);
        more = refill(d);
    } while (more);
    take_offered(d);
}

void dispatch_ready(struct dispatch *d)
{
    d->options.wake(d->options.wake_context);
}
