/* What an MMSC may send: a Content-Type on the first line, and behind it the body. What is heard
 * lies where it should, is UTF-8 where it comes from XML, and an answer to it can be said and
 * heard. A message that it brings can be shown. */
#include "base/utf8.h"
#include "carriers/mm7_deliver.h"
#include "carriers/mm7_text.h"
#include "mm7/mm7.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_texts(const struct mm7_heard *h)
{
    const struct str texts[] = {
        h->element,     h->namespace,      h->version,   h->transaction,  h->message_id,
        h->details,     h->status_text,    h->mm_status, h->fault_code,   h->fault_text,
        h->relay_id,    h->mm_extension,   h->vasp_id,   h->service_code, h->vas_id,
        h->linked_id,   h->subject,        h->priority,  h->content,      h->message_class,
        h->sender.text, h->recipient.text,
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert(utf8_valid(texts[i]));
    assert(h->recipient_count <= MM7_RECIPIENTS_MAX);
    for (size_t i = 0; i < h->recipient_count; i++)
        assert(utf8_valid(h->recipients[i].address.text));
    assert(h->code <= 99999);
    assert(h->kind <= MM7_OTHER && h->mm <= MM7_MM_STRANGE);
}

static void check_answer(const struct mm7_heard *h, struct arena *a)
{
    struct mm7_answer answer = {.kind = mm7_answer_to(h->kind),
                                .transaction = h->transaction,
                                .code = MM7_SUCCESS,
                                .details = h->subject};
    struct mm7_dialect dialect = {h->namespace, h->version};
    char why[MM7_WHY_SIZE];
    struct mm7_heard again;
    struct buf out;

    buf_init(&out, 4 << 20);
    assert(mm7_write_answer(&out, &dialect, &answer) == 0);
    if (out.n <= MM7_SOAP_MAX && mm7_read_soap(&again, a, buf_str(&out), why) != -ENOMEM) {
        assert(again.kind == answer.kind && again.code == MM7_SUCCESS);
        assert(str_eq(again.transaction, h->transaction));
        assert(str_eq(again.details, h->subject));
    }
    buf_done(&out);
}

static void check_shown(struct str text, bool is_line)
{
    assert(utf8_valid(text));
    for (unsigned bytes; text.n; text = str_skip(text, bytes)) {
        int32_t point = utf8_decode(text, &bytes);
        assert(point >= 0xa0 || (point >= ' ' && point < 0x7f) ||
               (!is_line && (point == '\n' || point == '\t')));
    }
}

static void check_message(const struct mm7_heard *h, const struct mm7_part *parts, size_t count,
                          struct arena *a)
{
    struct mm7_delivered d;
    enum mm7_bringing brings;

    if (mm7_deliver_read(&d, &brings, a, 1, h, parts, count) || brings != MM7_BRINGS_MESSAGE)
        return;
    check_shown(d.arrival.text, false);
    check_shown(d.arrival.subject, true);
    assert(d.arrival.text.n <= MM7_TEXT_SHOWN && d.file_count <= MEDIA_MAX);
    if (d.arrival.text_cut) {
        struct str whole = d.files[d.file_count - 1]->bytes;
        assert(whole.n > d.arrival.text.n && str_starts(whole, d.arrival.text));
        check_shown(whole, false);
    }
}

static void check(struct str type, struct str body)
{
    struct mm7_part parts[MIME_PARTS_MAX];
    size_t count = MIME_PARTS_MAX;
    char why[MM7_WHY_SIZE] = "";
    struct mm7_heard heard;
    struct arena a, b;

    arena_init(&a, 4 << 20);
    arena_init(&b, 4 << 20);
    int code = mm7_read(&heard, &a, type, body, parts, &count, why);
    assert(code == 0 || code == -EBADMSG || code == -E2BIG || code == -ENOMEM);
    assert(count <= MIME_PARTS_MAX);
    assert((code == 0) == (why[0] == '\0'));
    if (!code) {
        check_texts(&heard);
        check_answer(&heard, &b);
        arena_reset(&b);
        check_message(&heard, parts, count, &b);
    }
    arena_done(&a);
    arena_done(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + !size); /* it ends where the sanitizer sees it */
    struct str rest = {copy, size};

    if (size)
        memcpy(copy, data, size);
    struct str type = str_cut(&rest, '\n');
    check(type, rest.p ? rest : STR(""));
    free(copy);
    return 0;
}
