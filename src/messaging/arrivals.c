#include "messaging/arrivals.h"

#include "base/utf8.h"
#include "messaging/arrival_once.h"
#include "messaging/errand.h"
#include "messaging/inbound.h"
#include "messaging/segment.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* Ceilings that nothing reaches: a part has 64 KB at most as it comes, which is 96 as UTF-8, and
 * there are 255 of them. */
enum { JOB_ARENA = 128 << 20, READ_ARENA = 16 << 20, OVERDUE_STEP = 128 };
#define PARTS_WAIT_US (INT64_C(3600) * 1000000)

struct arrivals {
    struct arrivals_options options;
    const struct routing *routing;
    struct store_reader *reader;
    struct arena arena;    /* of one look for parts that are overdue */
    size_t overdue_on_way; /* to the writer */
};

/* The message that a receiver gets. Writer's thread, once it is posted. */
struct copy {
    struct message message;
    enum keyword_wish wish;
    struct arrival_once once; /* of MMS */
    bool accepted, repeated;  /* neither: it is a part, and waits for others */
};

/* One on its way into the store. */
struct arrival_job {
    struct errand errand;
    struct arrivals *arrivals;
    struct inbound_part_record part; /* total 0 or 1: the whole */
    bool overdue;                    /* makes a message of what is there */
    bool mms;
    struct arrival_media *media; /* files that must not be left behind; in the arena */
    size_t media_count, media_dropped;
    bool text_cut;
    struct arena arena;  /* of the texts here, and of what the writer reads */
    struct copy *copies; /* what comes of it: one at least */
    size_t copy_count;
    bool accepted, repeated; /* one of them, all of them */
    void (*done)(void *context, int result);
    void *context;
};

int arrivals_new(struct arrivals **ret, const struct arrivals_options *options)
{
    struct arrivals *a = calloc(1, sizeof *a);

    *ret = NULL;
    if (!a)
        return -ENOMEM;
    a->options = *options;
    arena_init(&a->arena, READ_ARENA);
    int failed = store_reader_open(options->store, &a->reader);
    if (failed) {
        arrivals_free(a);
        return failed;
    }
    *ret = a;
    return 0;
}

void arrivals_free(struct arrivals *a)
{
    if (!a)
        return;
    store_reader_close(a->reader);
    arena_done(&a->arena);
    free(a);
}

void arrivals_set_routing(struct arrivals *a, const struct routing *routing)
{
    a->routing = routing;
}

/* ---- the message ---- */

/* Carriers do not all write the plus where it belongs. */
static const struct sender *find_receiver(const struct routing *routing, struct str address,
                                          struct arena *a)
{
    struct str plus = STR("+");

    if (!routing)
        return NULL;
    const struct sender *s = sender_find(&routing->senders, address);
    if (s)
        return s;
    if (str_starts(address, plus))
        return sender_find(&routing->senders, str_skip(address, 1));
    const char *with_plus = arena_printf(a, "+%.*s", STR_FMT(address));
    return with_plus ? sender_find(&routing->senders, str_of(with_plus)) : NULL;
}

/* A handset that writes STOP is to be known by the number that it is written to. */
static struct str complete(struct str from, const struct sender *receiver, struct arena *a)
{
    char number[NUMBER_SIZE];

    if (!number_complete(from, receiver->calling_code, number))
        return from;
    struct str copy = arena_copy(a, str_of(number));
    return copy.p ? copy : from;
}

/* All but the text. Nothing of the routing is kept, it may be gone when this is written. s is NULL
 * when nobody has this address. */
static void compose(struct arrival_job *j, struct str to, const struct sender *s)
{
    static const struct sender nobody = {.type = NUMBER_LOCAL, .messages_per_minute = 60};
    const struct inbound_part_record *p = &j->part;
    const struct sender *receiver = s ? s : &nobody;
    struct str address = s ? arena_copy(&j->arena, s->address) : to;
    struct str sender = complete(p->from, receiver, &j->arena);
    struct message *m = &j->copies[j->copy_count++].message;
    struct number_place from = {0};

    if (number_valid(sender))
        number_place(sender, &from);
    bool at_home = receiver->calling_code && receiver->calling_code == from.calling_code;
    *m = (struct message){
        .account = receiver->account ? receiver->account : FIRST_ACCOUNT,
        .mode = MODE_LIVE,
        .direction = DIRECTION_INBOUND,
        .status = STATUS_RECEIVED,
        .kind = j->mms ? KIND_MMS : KIND_SMS,
        .type = TYPE_TRANSACTIONAL,
        .from = sender,
        .to = address.p ? address : j->part.to,
        .number_type = receiver->type,
        .rate_limit = receiver->messages_per_minute,
        .coverage = at_home ? COVERAGE_HIGH : COVERAGE_MEDIUM,
        .reason = REASON_USER,
        .calling_code = from.calling_code,
        .currency = "USD",
        .carrier = p->carrier,
    };
    memcpy(m->country, from.country, sizeof from.country);
}

/* A copy for each sender of ours that it is to; for the first account when there is none. False
 * when memory is short. */
static bool make_copies(struct arrival_job *j, const struct str *others, size_t other_count)
{
    const struct sender **met = arena_alloc(&j->arena, (other_count + 1) * sizeof(void *));

    j->copies = arena_alloc(&j->arena, (other_count + 1) * sizeof *j->copies);
    if (!met || !j->copies)
        return false;
    for (size_t i = 0; i <= other_count; i++) {
        struct str to = i ? others[i - 1] : j->part.to;
        const struct sender *s = find_receiver(j->arrivals->routing, to, &j->arena);
        bool again = false;
        for (size_t k = 0; k < j->copy_count; k++)
            again |= met[k] == s;
        if (!s || again)
            continue;
        met[j->copy_count] = s;
        compose(j, to, s);
    }
    if (j->copy_count == 0)
        compose(j, j->part.to, NULL);
    return true;
}

/* ---- joining parts ---- */

static const struct str gap = {"[\xe2\x80\xa6]", 5}; /* […] */

static char *add(char *at, struct str text)
{
    return text.n ? mempcpy(at, text.p, text.n) : at;
}

/* Parts in their order; where some are missing there is a gap. p is NULL when memory is short. */
static struct str join(const struct inbound_part_record *parts, size_t count, struct arena *a)
{
    size_t size = gap.n;
    unsigned next = 1;

    for (size_t i = 0; i < count; i++)
        size += gap.n + parts[i].text.n;
    char *text = arena_bytes(a, size), *at = text;
    if (!text)
        return (struct str){NULL, 0};
    for (size_t i = 0; i < count; i++) {
        if (parts[i].number > next)
            at = add(at, gap);
        at = add(at, parts[i].text);
        next = parts[i].number + 1;
    }
    if (next <= parts[0].total)
        at = add(at, gap);
    return (struct str){text, (size_t)(at - text)};
}

/* ---- media ---- */

/* False when memory is short. */
static bool take_mms(struct arrival_job *j, const struct arrival *a)
{
    size_t kept = a->media_count;

    assert(kept <= MEDIA_MAX);
    j->media = kept ? arena_alloc(&j->arena, kept * sizeof *j->media) : NULL;
    if (kept && !j->media)
        return false;
    if (kept)
        memcpy(j->media, a->media, kept * sizeof *j->media);
    j->media_count = kept;
    j->media_dropped = a->media_dropped;
    j->text_cut = a->text_cut;
    struct str types = arrival_media_types(j->media, kept, &j->arena);
    struct str subject = arena_copy(&j->arena, a->subject);
    for (size_t i = 0; i < j->copy_count; i++) {
        struct copy *c = &j->copies[i];
        c->message.media = types;
        c->message.subject = subject;
        c->once = arrival_once_of(j->arrivals->options.store, a, c->message.to);
    }
    return types.p && subject.p;
}

/* In the history of the message. `text` is NULL when memory is short. */
static int note_media(const struct message *m, struct store *s, const char *text)
{
    struct event_record e = {
        .message = m->id, .at_us = m->created_us, .kind = EVENT_MEDIA, .detail = str_of(text)};

    return text ? store_event_add(s, &e) : -ENOMEM;
}

/* What of it the message does not show. */
static int note_rest(struct arrival_job *j, const struct message *m, struct store *s)
{
    int noted = 0;

    if (j->media_dropped)
        noted = note_media(m, s,
                           arena_printf(&j->arena,
                                        "%zu more media files came with it; only %zu are kept.",
                                        j->media_dropped, j->media_count - j->text_cut));
    if (!noted && j->text_cut)
        noted = note_media(m, s,
                           arena_printf(&j->arena,
                                        "The text is longer than is shown; media file %zu has all "
                                        "of it.",
                                        j->media_count));
    return noted;
}

/* The first copy that is accepted brings the contents, which the others have, too. */
static int put_media(struct arrival_job *j, const struct message *m, struct store *s)
{
    int noted = note_rest(j, m, s);

    return noted < 0 ? noted : arrival_media_put(s, m->id, j->media, j->media_count, j->accepted);
}

/* ---- errands ---- */

static int accept_copy(struct arrival_job *j, struct store *s, struct copy *c, struct str text)
{
    struct message *m = &c->message;
    unsigned segments;

    /* Everybody who reads the message relies on it. */
    m->text = utf8_valid(text) ? text : STR("\xef\xbf\xbd");
    int failed = segment_count(m->text, &m->encoding, &segments);
    m->segments = j->part.total > 1 ? j->part.total : segments;
    if (j->mms)
        m->segments = 1;
    if (!failed)
        failed = inbound_accept(s, m, &j->arena, &c->wish);
    if (!failed && j->mms)
        failed = put_media(j, m, s);
    return failed ? failed : arrival_once_keep(&c->once, s, m);
}

static int accept_text(struct arrival_job *j, struct store *s, struct str text)
{
    int failed = 0;

    j->accepted = false; /* also when it is tried again, after others had failed */
    for (size_t i = 0; i < j->copy_count && !failed; i++) {
        struct copy *c = &j->copies[i];
        c->accepted = false;
        if (c->repeated)
            continue;
        failed = accept_copy(j, s, c, text);
        c->accepted = !failed;
        j->accepted |= c->accepted;
    }
    return failed;
}

static int accept_once(struct arrival_job *j, struct store *s)
{
    j->repeated = true;
    for (size_t i = 0; i < j->copy_count; i++) {
        struct copy *c = &j->copies[i];
        int found = arrival_once_find(&c->once, s, &c->message, &j->arena);
        if (found < 0)
            return found;
        c->repeated = found > 0;
        j->repeated &= c->repeated;
    }
    return accept_text(j, s, j->part.text);
}

static int apply_arrival(struct write_job *job, struct store *s)
{
    struct arrival_job *j = (struct arrival_job *)job;
    struct inbound_part_record *parts;
    size_t count;

    if (j->part.total <= 1)
        return accept_once(j, s);
    int failed = store_inbound_part_add(s, &j->part, j->overdue, &j->arena, &parts, &count);
    if (failed || count == 0)
        return failed;
    struct str text = join(parts, count, &j->arena);
    return text.p ? accept_text(j, s, text) : -ENOMEM;
}

static void arrival_durable(struct errand *e)
{
    struct arrival_job *j = (struct arrival_job *)e;

    for (size_t i = 0; i < j->copy_count; i++)
        if (j->copies[i].accepted)
            inbound_done(j->arrivals->options.optouts, &j->copies[i].message, j->copies[i].wish);
}

static void free_job(struct arrival_job *j)
{
    arena_done(&j->arena);
    free(j);
}

static void arrival_back(struct errand *e)
{
    struct arrival_job *j = (struct arrival_job *)e;

    if (e->result < 0 || j->repeated)
        arrival_media_drop(j->media, j->media_count);
    if (j->overdue)
        j->arrivals->overdue_on_way--; /* if it failed, the next look finds it again */
    else
        j->done(j->context, e->result < 0 ? e->result : j->repeated);
    free_job(j);
}

/* With copies of all texts; NULL when memory is short. */
static struct arrival_job *make_job(struct arrivals *a, const struct inbound_part_record *part,
                                    const struct arrival *mms)
{
    struct arrival_job *j = calloc(1, sizeof *j);

    if (!j)
        return NULL;
    arena_init(&j->arena, JOB_ARENA);
    j->arrivals = a;
    j->part = *part;
    j->part.from = arena_copy(&j->arena, part->from);
    j->part.to = arena_copy(&j->arena, part->to);
    j->part.text = arena_copy(&j->arena, part->text);
    j->mms = mms != NULL;
    bool copied = j->part.from.p && j->part.to.p && j->part.text.p &&
                  make_copies(j, mms ? mms->others : NULL, mms ? mms->other_count : 0);
    if (!copied || (mms && !take_mms(j, mms))) {
        free_job(j);
        return NULL;
    }
    errand_init(&j->errand, a->options.home, apply_arrival, arrival_back);
    j->errand.durable = arrival_durable;
    return j;
}

void arrivals_take(struct arrivals *a, const struct arrival *arrival,
                   void (*done)(void *context, int result), void *context)
{
    bool in_parts = !arrival->mms && arrival->total > 1 && arrival->number >= 1 &&
                    arrival->number <= arrival->total;
    struct inbound_part_record part = {.carrier = arrival->carrier,
                                       .from = arrival->from,
                                       .to = arrival->to,
                                       .reference = arrival->reference,
                                       .total = in_parts ? arrival->total : 1,
                                       .number = in_parts ? arrival->number : 1,
                                       .text = arrival->text,
                                       .at_us = clock_now_us(a->options.clock)};
    struct arrival_job *j = make_job(a, &part, arrival->mms ? arrival : NULL);

    if (!j) {
        arrival_media_drop(arrival->media, arrival->media_count);
        done(context, -ENOMEM);
        return;
    }
    j->done = done;
    j->context = context;
    errand_try(&j->errand, a->options.writer);
}

/* Of several parts of a message the first that is written takes all; the others find nothing. */
void arrivals_tick(struct arrivals *a)
{
    int64_t before_us = clock_now_us(a->options.clock) - PARTS_WAIT_US;
    struct inbound_part_record *parts;
    size_t count;

    if (a->overdue_on_way)
        return;
    int failed =
        store_inbound_part_overdue(a->reader, before_us, OVERDUE_STEP, &a->arena, &parts, &count);
    store_reader_rest(a->reader);
    for (size_t i = 0; !failed && i < count; i++) {
        struct arrival_job *j = make_job(a, &parts[i], NULL);
        if (!j)
            break;
        j->overdue = true;
        a->overdue_on_way++;
        errand_try(&j->errand, a->options.writer);
    }
    arena_reset(&a->arena);
}
