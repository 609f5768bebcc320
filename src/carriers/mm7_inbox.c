#include "carriers/mm7_inbox.h"

#include "base/log.h"
#include "base/retired.h"
#include "base/utf8.h"
#include "carriers/mm7_files.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Longer than any request looks at its door. */
#define DOORS_KEPT_US (INT64_C(3600) * 1000000)
#define COMPLAIN_US   INT64_C(1000000)

struct mm7_inbox {
    struct mm7_inbox_options options;
    _Atomic(struct mm7_doors *) doors; /* NULL: none yet */
    struct retired *earlier_doors;
    struct mailbox brought;
    struct loop_signal *signal;
    _Atomic int64_t complained_us; /* when the log last had a line of an MMSC; */
    _Atomic int64_t stranger_us;   /* of a stranger: they take none from MMSCs */
};

/* A request on its way: in the request's arena; the engine's between post and resume. */
struct bringing {
    struct letter letter;
    struct mm7_inbox *inbox;
    struct http_request *request;
    const struct mm7_door *door;
    struct mm7_heard heard;
    struct mm7_delivered delivered;
    bool is_receipt;
    struct arrival_media *media; /* of a message: room for all that it may have */
    int result;
};

/* ---- answers ---- */

static void answer_text(struct http_request *r, unsigned status, const char *text)
{
    r->status = status;
    r->content_type = "text/plain; charset=utf-8";
    buf_text(&r->out, text);
}

static void answer_mm7(struct http_request *r, unsigned status, const struct mm7_heard *heard,
                       enum mm7_kind kind, unsigned code, const char *details)
{
    struct mm7_dialect dialect = {.namespace = heard->namespace, .version = heard->version};
    struct mm7_answer answer = {.kind = kind,
                                .transaction = heard->transaction,
                                .code = code,
                                .text = STR(""),
                                .details = str_of(details),
                                .message_id = STR("")};

    r->status = status;
    r->content_type = "text/xml; charset=utf-8";
    http_request_add_header(r, "SOAPAction", "\"\"");
    if (mm7_write_answer(&r->out, &dialect, &answer) < 0) {
        buf_clear(&r->out);
        answer_text(r, 500, "The answer cannot be written.\n");
    }
}

static void answer_fault(struct http_request *r, unsigned status, const struct mm7_heard *heard,
                         unsigned code, const char *details)
{
    answer_mm7(r, status, heard, MM7_VASP_ERROR_RSP, code, details);
}

/* A line for the operator; nobody can fill the log. Asked only where one is written. */
static bool may_log(const struct mm7_inbox *inbox, _Atomic int64_t *stamp_us)
{
    int64_t now_us = clock_now_us(inbox->options.clock);
    int64_t last_us = atomic_load_explicit(stamp_us, memory_order_relaxed);

    return now_us - last_us >= COMPLAIN_US &&
           atomic_compare_exchange_strong(stamp_us, &last_us, now_us);
}

static bool may_complain(struct mm7_inbox *inbox)
{
    return may_log(inbox, &inbox->complained_us);
}

static bool may_name_stranger(struct mm7_inbox *inbox)
{
    return may_log(inbox, &inbox->stranger_us);
}

static void refuse_entry(struct mm7_inbox *inbox, struct http_request *r, enum mm7_entry entry,
                         const struct mm7_door *door)
{
    r->last = true; /* a stranger keeps no connection */
    switch (entry) {
    case MM7_ENTRY_OPEN:
        break;
    case MM7_ENTRY_NO_DOOR:
        answer_text(r, 404,
                    "No MMSC is expected here; [mmsc NAME] has /mm7/NAME, or the "
                    "listen_path that it says.\n");
        break;
    case MM7_ENTRY_ADDRESS:
        answer_text(r, 403, "This address may not come here.\n");
        if (may_name_stranger(inbox))
            log_warning("mm7", "%s: refused, because %s is not in its allow list", door->name,
                        r->peer->text);
        break;
    case MM7_ENTRY_CREDENTIALS:
        answer_text(r, 401, "A name and a password are needed: Authorization: Basic.\n");
        http_request_add_header(r, "WWW-Authenticate", "Basic realm=\"MM7\"");
        if (may_name_stranger(inbox))
            log_warning("mm7",
                        "%s: refused, because %s does not show listen_username and "
                        "listen_password",
                        door->name, r->peer->text);
        break;
    }
}

/* ---- on the worker, when the engine is done with it ---- */

static void finish(struct http_request *r)
{
    const struct bringing *b = r->continuation;
    bool good = b->result >= 0;

    answer_mm7(r, good ? 200 : 500, &b->heard, mm7_answer_to(b->heard.kind),
               good ? MM7_SUCCESS : MM7_SERVER_ERROR,
               good ? "" : "It could not be kept; send it again later.");
}

/* ---- on the engine ---- */

static void note_repetition(const struct bringing *b)
{
    char from[LOG_NUMBER_SIZE];

    log_info("mm7", "%s: it brought a message from %s again, which is no second one", b->door->name,
             log_number(b->delivered.arrival.from, from));
}

static void written(void *context, int result)
{
    struct bringing *b = context;
    const struct mm7_inbox_options *o = &b->inbox->options;

    if (result >= 0 && b->is_receipt && o->noted)
        o->noted(o->context, b->delivered.receipt.carrier, result);
    if (result > 0 && !b->is_receipt)
        note_repetition(b);
    b->result = result;
    http_request_resume(b->request);
}

static void take_brought(void *inbox)
{
    struct mm7_inbox *i = inbox;
    struct letter *next;

    for (struct letter *l = mailbox_take(&i->brought); l; l = next) {
        struct bringing *b = (struct bringing *)l;
        next = l->next;
        if (b->is_receipt)
            receipts_take(i->options.receipts, &b->delivered.receipt, written, b);
        else
            arrivals_take(i->options.arrivals, &b->delivered.arrival, written, b);
    }
}

/* ---- on the worker, when a request has come ---- */

/* Files first, so that the engine never waits for them. */
static int hand_over(struct bringing *b)
{
    struct mm7_delivered *d = &b->delivered;
    int failed = 0;

    if (!b->is_receipt) {
        b->media = arena_alloc(&b->request->arena, MEDIA_MAX * sizeof *b->media);
        failed = b->media ? mm7_files_keep(b->inbox->options.store, d, b->media) : -ENOMEM;
    }
    if (failed)
        return failed;
    d->arrival.media = b->media;
    d->arrival.media_count = d->file_count;
    http_request_suspend(b->request, finish);
    failed = mailbox_post(&b->inbox->brought, &b->letter);
    if (failed) { /* the end is near */
        arrival_media_drop(b->media, d->file_count);
        b->result = failed;
        http_request_resume(b->request);
    }
    return 0;
}

static const struct mm7_heard nothing = {
    .namespace = {"", 0}, .version = {"", 0}, .transaction = {"", 0}};

static void refuse_reading(struct http_request *r, const struct mm7_door *door, int failed,
                           const char *why)
{
    bool ours = failed == -ENOMEM;

    if (may_complain(r->worker_context))
        log_warning("mm7", "%s: what it brought cannot be read: %s", door->name, why);
    answer_fault(r, ours ? 500 : 400, &nothing, ours ? MM7_SERVER_ERROR : MM7_FORMAT_CORRUPT, why);
}

static void refuse_for_now(struct http_request *r, const struct mm7_door *door)
{
    if (may_complain(r->worker_context))
        log_warning("mm7", "%s: told to come again, because too much is brought at once",
                    door->name);
    answer_fault(r, 503, &nothing, MM7_SERVER_ERROR,
                 "Too much is brought at once; send it again later.");
    http_request_add_header(r, "Retry-After", "5");
}

static void refuse_meaning(struct http_request *r, const struct mm7_door *door,
                           const struct mm7_heard *heard, enum mm7_bringing brings)
{
    struct str element = utf8_shown(heard->element, 64);
    bool complain = may_complain(r->worker_context);

    if (brings == MM7_BRINGS_NOTHING) {
        if (complain)
            log_warning("mm7", "%s: it brought '%.*s', which is nothing for us", door->name,
                        STR_FMT(element));
        answer_fault(r, 400, heard, MM7_UNSUPPORTED_OPERATION,
                     "Only DeliverReq, DeliveryReportReq and ReadReplyReq are understood here.");
        return;
    }
    const char *missing =
        heard->kind == MM7_DELIVER_REQ ? "Sender is missing." : "MessageID is missing.";
    if (complain)
        log_warning("mm7", "%s: in what it brought %s", door->name, missing);
    answer_mm7(r, 400, heard, mm7_answer_to(heard->kind), MM7_VALIDATION_ERROR, missing);
}

static void take_request(struct mm7_inbox *inbox, struct http_request *r,
                         const struct mm7_door *door)
{
    struct mm7_part *parts = arena_alloc(&r->arena, MIME_PARTS_MAX * sizeof *parts);
    struct bringing *b = arena_new(&r->arena, struct bringing);
    struct str type = http_head_field(&r->head, "Content-Type");
    char why[MM7_WHY_SIZE] = "memory is short";
    enum mm7_bringing brings = MM7_BRINGS_NOTHING;
    size_t count = MIME_PARTS_MAX;
    int failed = parts && b ? 0 : -ENOMEM;

    if (!failed)
        failed =
            mm7_read(&b->heard, &r->arena, type.p ? type : STR(""), r->body, parts, &count, why);
    if (!failed)
        failed = mm7_deliver_read(&b->delivered, &brings, &r->arena, door->carrier, &b->heard,
                                  parts, count);
    if (failed) {
        refuse_reading(r, door, failed, why);
        return;
    }
    if (brings == MM7_BRINGS_NOTHING || brings == MM7_BRINGS_TOO_LITTLE) {
        refuse_meaning(r, door, &b->heard, brings);
        return;
    }
    b->inbox = inbox;
    b->request = r;
    b->door = door;
    b->is_receipt = brings == MM7_BRINGS_RECEIPT;
    r->continuation = b;
    failed = hand_over(b);
    if (failed) { /* it is still ours */
        b->result = failed;
        finish(r);
    }
}

void mm7_inbox_handle(struct http_request *r)
{
    struct mm7_inbox *inbox = r->worker_context;
    const struct mm7_doors *doors = atomic_load_explicit(&inbox->doors, memory_order_acquire);
    const struct mm7_door *door = NULL;

    if (r->malformed || r->head_too_large) {
        answer_text(r, 400, "This is no request over MM7.\n");
        return;
    }
    enum mm7_entry entry = doors ? mm7_doors_enter(doors, r, &door) : MM7_ENTRY_NO_DOOR;
    if (entry != MM7_ENTRY_OPEN) {
        refuse_entry(inbox, r, entry, door);
    } else if (r->method != HTTP_POST) {
        answer_text(r, 405, "Only POST is understood here.\n");
        http_request_add_header(r, "Allow", "POST");
    } else if (r->body_too_large) {
        refuse_reading(r, door, -E2BIG, "The body is larger than 8 MiB.");
    } else if (r->no_room) {
        refuse_for_now(r, door);
    } else {
        take_request(inbox, r, door);
    }
}

size_t mm7_inbox_body_max(struct http_request *r)
{
    struct mm7_inbox *inbox = r->worker_context;
    const struct mm7_doors *doors = atomic_load_explicit(&inbox->doors, memory_order_acquire);
    const struct mm7_door *door;
    bool in = doors && mm7_doors_enter(doors, r, &door) == MM7_ENTRY_OPEN;

    return in ? MM7_INBOX_BODY_MAX : 0;
}

bool mm7_inbox_admits(void *inbox, const struct http_peer *peer)
{
    struct mm7_inbox *i = inbox;
    const struct mm7_doors *doors = atomic_load_explicit(&i->doors, memory_order_acquire);
    bool admitted = doors && mm7_doors_admit(doors, &peer->address);

    if (!admitted && may_name_stranger(i))
        log_warning("mm7", "a connection is refused, because %s is in no allow list", peer->text);
    return admitted;
}

int mm7_inbox_worker_open(void *inbox, void **ret)
{
    *ret = inbox;
    return 0;
}

void mm7_inbox_worker_close(void *inbox)
{
}

/* ---- life ---- */

static void raise_signal(void *inbox)
{
    loop_signal_raise(((struct mm7_inbox *)inbox)->signal);
}

int mm7_inbox_new(struct mm7_inbox **ret, const struct mm7_inbox_options *options)
{
    struct mm7_inbox *i = calloc(1, sizeof *i);

    *ret = NULL;
    if (!i)
        return -ENOMEM;
    i->options = *options;
    i->complained_us = i->stranger_us = INT64_MIN / 2;
    mailbox_init(&i->brought, raise_signal, i);
    i->signal = loop_signal_new(options->loop, take_brought, i);
    if (!i->signal) {
        mm7_inbox_free(i);
        return -ENOMEM;
    }
    *ret = i;
    return 0;
}

static void release_doors(void *doors)
{
    mm7_doors_free(doors);
}

void mm7_inbox_set_doors(struct mm7_inbox *inbox, struct mm7_doors *doors)
{
    int64_t now_us = clock_now_us(inbox->options.clock);
    struct mm7_doors *was = atomic_exchange_explicit(&inbox->doors, doors, memory_order_acq_rel);

    retire(&inbox->earlier_doors, was, release_doors, now_us);
    retired_free(&inbox->earlier_doors, now_us - DOORS_KEPT_US);
}

void mm7_inbox_close(struct mm7_inbox *inbox)
{
    struct letter *next;

    mailbox_close(&inbox->brought);
    for (struct letter *l = mailbox_take(&inbox->brought); l; l = next) {
        struct bringing *b = (struct bringing *)l;
        next = l->next;
        arrival_media_drop(b->media, b->delivered.file_count);
        b->result = -ESHUTDOWN;
        http_request_resume(b->request);
    }
}

void mm7_inbox_free(struct mm7_inbox *inbox)
{
    if (!inbox)
        return;
    mailbox_done(&inbox->brought);
    mm7_doors_free(atomic_load(&inbox->doors));
    retired_free(&inbox->earlier_doors, INT64_MAX);
    free(inbox);
}
