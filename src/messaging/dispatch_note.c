#include "messaging/dispatch_note.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "messaging/receipts.h"

#include <stdlib.h>

/* Room for a sentence of NOTE_WHY_MAX and the ids of all parts. */
enum { DETAIL_MAX = 8192 };
_Static_assert(CARRIER_PARTS_MAX *(REFERENCE_MAX + 2) + NOTE_WHY_MAX + 512 < DETAIL_MAX, "enough");

/* With copies of all texts, in one block. */
static struct note *make(enum event_kind kind, struct buf *detail, const struct str *ids,
                         unsigned parts)
{
    size_t size = detail->n;

    for (unsigned i = 0; i < parts; i++)
        size += ids[i].n;
    struct note *n = malloc(sizeof *n + parts * sizeof *ids + size);
    if (!n || detail->failed)
        abort(); /* out of memory for a few lines: the store is safe, start again */
    *n = (struct note){.kind = kind, .parts = parts};
    char *at = (char *)(n->ids + parts);
    for (unsigned i = 0; i < parts; i++) {
        n->ids[i] = (struct str){at, ids[i].n};
        at = mempcpy(at, ids[i].p, ids[i].n);
    }
    n->detail = (struct str){at, detail->n};
    memcpy(at, detail->p, detail->n);
    buf_done(detail);
    return n;
}

struct note *note_new(enum event_kind kind, const char *format, ...)
{
    struct buf detail;
    va_list args;

    buf_init(&detail, DETAIL_MAX);
    va_start(args, format);
    buf_vprintf(&detail, format, args);
    va_end(args);
    return make(kind, &detail, NULL, 0);
}

struct note *note_taken(const struct carrier *c, const struct carrier_answer *answer)
{
    struct buf detail;
    bool named = false;

    buf_init(&detail, DETAIL_MAX);
    buf_printf(&detail, "%s took it", c->name);
    for (unsigned i = 0; i < answer->parts; i++) {
        if (answer->ids[i].n == 0)
            continue;
        buf_text(&detail, named ? ", " : " as ");
        buf_add(&detail, utf8_shown(answer->ids[i], REFERENCE_MAX));
        named = true;
    }
    buf_add_char(&detail, '.');
    if (answer->detail.n)
        buf_printf(&detail, " %.*s", STR_FMT(answer->detail));
    struct note *n = make(EVENT_CARRIER_ANSWER, &detail, answer->ids, answer->parts);
    n->carrier = c->number;
    return n;
}

struct note *note_partly(const struct carrier_answer *answer, struct note *next)
{
    if (answer->taken == 0)
        return next;
    struct note *n = note_new(EVENT_POSSIBLE_DUPLICATE,
                              "The carrier may have %u part%s of it, which may arrive twice.",
                              answer->taken, answer->taken == 1 ? "" : "s");
    n->next = next;
    return n;
}

int note_write(const struct note *n, struct store *s, const struct message *m, int64_t at_us)
{
    int failed = 0;

    for (; n && !failed; n = n->next) {
        struct event_record e = {
            .message = m->id, .at_us = at_us, .kind = n->kind, .detail = n->detail};
        failed = store_event_add(s, &e);
        if (!failed && n->parts)
            failed = receipts_keep(s, n->carrier, m, n->ids, n->parts);
    }
    return failed;
}

void note_free(struct note *n)
{
    while (n) {
        struct note *next = n->next;
        free(n);
        n = next;
    }
}
