#include "carriers/mm7_deliver.h"

#include "base/utf8.h"
#include "carriers/mm7_reference.h"
#include "carriers/mm7_text.h"

#include <errno.h>

enum {
    FULL_DIGITS = 11, /* more than in a national number: one of E.164 */
    ADDRESS_SHOWN = 72,
    SUBJECT_MAX = 1024,
    SHOWN_MAX = 64,
};

/* An MMSC that got no answer comes again within minutes. */
#define AGAIN_US (INT64_C(600) * 1000000)

/* ---- addresses ---- */

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

/* A phone may be written as a mail address: +14155550100@mmsc.example. */
static struct str number_in(const struct mm7_address *address)
{
    struct str text = address->text, rest = text;
    struct str front = str_cut(&rest, '@'), digits = front;

    if (str_starts(digits, STR("+")))
        digits = str_skip(digits, 1);
    return address->form == MM7_FORM_MAIL && all_digits(digits) ? front : text;
}

/* Fit to be shown, with a '+' in front of what is a number of E.164: these never begin with 0. */
static struct str write_address(struct arena *a, const struct mm7_address *address)
{
    struct str text = utf8_shown(number_in(address), ADDRESS_SHOWN);
    bool full = address->form != MM7_FORM_SHORT_CODE && all_digits(text) && text.p[0] != '0' &&
                text.n >= FULL_DIGITS;
    char *shown = arena_printf(a, "%s%.*s", full ? "+" : "", STR_FMT(text));

    return shown ? str_of(shown) : STR("");
}

static struct str write_digits(struct arena *a, const struct mm7_address *address)
{
    struct str text = write_address(a, address);
    return str_starts(text, STR("+")) ? str_skip(text, 1) : text;
}

/* ---- reports ---- */

struct word {
    enum receipt_word word;
    enum failure failure;
};

static struct word word_of(enum mm7_mm_status status)
{
    switch (status) {
    case MM7_MM_RETRIEVED:
        return (struct word){RECEIPT_DELIVERED, FAILURE_NONE};
    case MM7_MM_EXPIRED:
        return (struct word){RECEIPT_FAILED, FAILURE_CARRIER_EXPIRED};
    case MM7_MM_REJECTED:
        return (struct word){RECEIPT_FAILED, FAILURE_CARRIER_REJECTED};
    case MM7_MM_UNRECOGNISED:
    case MM7_MM_CONDITION_NOT_MET:
    case MM7_MM_NOT_SUPPORTED:
        return (struct word){RECEIPT_FAILED, FAILURE_UNDELIVERABLE};
    case MM7_MM_UNREACHABLE:
        return (struct word){RECEIPT_FAILED, FAILURE_UNREACHABLE};
    case MM7_MM_FORWARDED:
    case MM7_MM_DEFERRED:
    case MM7_MM_INDETERMINATE:
    case MM7_MM_READ:
    case MM7_MM_DELETED:
    case MM7_MM_STRANGE:
        break;
    }
    return (struct word){RECEIPT_ON_ITS_WAY, FAILURE_NONE};
}

static struct str write_detail(struct arena *a, const struct mm7_heard *h)
{
    struct str status = utf8_shown(h->mm_status, SHOWN_MAX);
    struct str extension = utf8_shown(h->mm_extension, SHOWN_MAX);
    struct str text = utf8_shown(h->status_text, SHOWN_MAX);
    char *detail = arena_printf(
        a, "%s %.*s%s%.*s%s%.*s.",
        h->kind == MM7_READ_REPLY_REQ ? "The handset's read report says" : "The MMSC's report says",
        STR_FMT(status.n ? status : STR("nothing of its state")), extension.n ? ", " : "",
        STR_FMT(extension), text.n ? ": " : "", STR_FMT(text));
    return detail ? str_of(detail) : STR("");
}

/* So that a stray can be read. */
static struct str write_raw(struct arena *a, const struct mm7_heard *h)
{
    char *raw =
        arena_printf(a, "%s MessageID:%.*s MMStatus:%.*s Sender:%.*s Recipient:%.*s",
                     mm7_kind_name(h->kind), STR_FMT(utf8_shown(h->message_id, 2 * REFERENCE_MAX)),
                     STR_FMT(utf8_shown(h->mm_status, SHOWN_MAX)),
                     STR_FMT(utf8_shown(h->sender.text, ADDRESS_SHOWN)),
                     STR_FMT(utf8_shown(h->recipient.text, ADDRESS_SHOWN)));
    return raw ? str_of(raw) : STR("");
}

/* Which of the two addresses is the handset's is not for sure: MMSCs swap them. They matter only
 * where a MessageID stands for several messages. */
static void tell_receipt(struct mm7_delivered *d, struct arena *a, unsigned carrier,
                         const struct mm7_heard *h)
{
    struct word word = word_of(h->mm);

    if (h->kind == MM7_READ_REPLY_REQ)
        word = (struct word){RECEIPT_ON_ITS_WAY, FAILURE_NONE};
    d->id = mm7_reference(h->message_id, d->reference);
    d->receipt = (struct carrier_receipt){.carrier = carrier,
                                          .ids = &d->id,
                                          .id_count = 1,
                                          .word = word.word,
                                          .failure = word.failure,
                                          .source = write_digits(a, &h->sender),
                                          .destination = write_digits(a, &h->recipient),
                                          .detail = write_detail(a, h),
                                          .raw = write_raw(a, h)};
}

/* ---- parts ---- */

static bool is_layout(const struct mm7_part *p)
{
    return str_starts(p->type, STR("application/smil"));
}

void mm7_deliver_type(const struct mm7_part *part, char out[MEDIA_TYPE_MAX + 1])
{
    if (!arrival_media_type(part->type, out))
        str_format(out, MEDIA_TYPE_MAX + 1, "application/octet-stream");
}

/* ---- messages from handsets ---- */

static bool is_meant(const struct mm7_recipient *r)
{
    return r->address.text.n > 0 && !r->display_only;
}

/* The first that it is To, or else the first. */
static const struct mm7_recipient *best_of(const struct mm7_heard *h)
{
    const struct mm7_recipient *best = NULL;

    for (size_t i = 0; i < h->recipient_count; i++) {
        const struct mm7_recipient *r = &h->recipients[i];
        if (is_meant(r) && (!best || (best->role != MM7_ROLE_TO && r->role == MM7_ROLE_TO)))
            best = r;
    }
    return best;
}

/* An MMSC that names nobody means our service. */
static struct str receiver_of(struct arena *a, const struct mm7_heard *h)
{
    const struct mm7_recipient *best = best_of(h);

    if (best)
        return write_address(a, &best->address);
    struct str service = utf8_shown(h->vas_id.n ? h->vas_id : h->vasp_id, ADDRESS_SHOWN);
    return service.n ? service : STR("unknown");
}

/* A handset writes to several at once: which of them are ours is not known here. */
static void tell_others(struct arrival *ret, struct arena *a, const struct mm7_heard *h)
{
    const struct mm7_recipient *best = best_of(h);
    struct str *others = arena_alloc(a, (h->recipient_count + 1) * sizeof *others);

    for (size_t i = 0; i < h->recipient_count && others; i++)
        if (&h->recipients[i] != best && is_meant(&h->recipients[i]))
            others[ret->other_count++] = write_address(a, &h->recipients[i].address);
    ret->others = others;
}

static void sort_parts(struct mm7_delivered *d, const struct mm7_part *parts, size_t count,
                       size_t room)
{
    for (size_t i = 0; i < count; i++) {
        const struct mm7_part *p = &parts[i];
        if (is_layout(p) || mm7_text_is(p) || !p->bytes.n)
            continue;
        if (d->file_count < room)
            d->files[d->file_count++] = p;
        else
            d->arrival.media_dropped++;
    }
}

/* An MMSC that has a name for the message keeps it when it brings it again; what it calls the
 * request may be another then, or the same for all of them. So without a MessageID the time of the
 * message tells as well, and without that, a handset that writes the same later writes anew. */
static void tell_name(struct arrival *a, const struct mm7_heard *h)
{
    bool named = h->message_id.n > 0;

    a->transaction = named ? h->message_id : h->transaction;
    a->stamp_us = named ? 0 : h->at_us;
    a->within_us = named || h->at_us ? 0 : AGAIN_US;
}

/* What no message can show is its last file. */
static void keep_long_text(struct mm7_delivered *d, struct str text)
{
    d->long_text = (struct mm7_part){.type = STR("text/plain"), .bytes = text};
    d->files[d->file_count++] = &d->long_text;
    d->arrival.text_cut = true;
}

static void tell_message(struct mm7_delivered *d, struct arena *a, unsigned carrier,
                         const struct mm7_heard *h, const struct mm7_part *parts, size_t count)
{
    struct str text = mm7_text_join(a, parts, count), front = mm7_text_front(text);
    bool cut = front.n < text.n;

    d->arrival = (struct arrival){.carrier = carrier,
                                  .from = write_address(a, &h->sender),
                                  .to = receiver_of(a, h),
                                  .text = front,
                                  .mms = true,
                                  .subject = mm7_text_line(a, h->subject, SUBJECT_MAX)};
    tell_others(&d->arrival, a, h);
    tell_name(&d->arrival, h);
    sort_parts(d, parts, count, cut ? MEDIA_MAX - 1 : MEDIA_MAX);
    if (cut)
        keep_long_text(d, text);
}

static enum mm7_bringing brought_by(const struct mm7_heard *h)
{
    bool whole = h->kind == MM7_DELIVER_REQ ? h->sender.text.n > 0 : h->message_id.n > 0;

    switch (h->kind) {
    case MM7_DELIVER_REQ:
        return whole ? MM7_BRINGS_MESSAGE : MM7_BRINGS_TOO_LITTLE;
    case MM7_DELIVERY_REPORT_REQ:
    case MM7_READ_REPLY_REQ:
        return whole ? MM7_BRINGS_RECEIPT : MM7_BRINGS_TOO_LITTLE;
    case MM7_SUBMIT_REQ:
    case MM7_SUBMIT_RSP:
    case MM7_DELIVER_RSP:
    case MM7_DELIVERY_REPORT_RSP:
    case MM7_READ_REPLY_RSP:
    case MM7_RS_ERROR_RSP:
    case MM7_VASP_ERROR_RSP:
    case MM7_FAULT:
    case MM7_OTHER:
        break;
    }
    return MM7_BRINGS_NOTHING;
}

int mm7_deliver_read(struct mm7_delivered *ret, enum mm7_bringing *ret_brings, struct arena *a,
                     unsigned carrier, const struct mm7_heard *heard, const struct mm7_part *parts,
                     size_t count)
{
    enum mm7_bringing brings = brought_by(heard);

    ret->file_count = 0;
    if (brings == MM7_BRINGS_RECEIPT)
        tell_receipt(ret, a, carrier, heard);
    else if (brings == MM7_BRINGS_MESSAGE)
        tell_message(ret, a, carrier, heard, parts, count);
    if (a->failed)
        return -ENOMEM;
    *ret_brings = brings;
    return 0;
}
