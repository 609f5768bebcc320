/* A message on its way to an MMSC: from its files to the answer. The body is made while it goes
 * out, from files that are read where they lie. */
#include "base/utf8.h"
#include "carriers/mm7_wire_internal.h"
#include "messaging/validity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_MEMORY = 64 << 10, ANSWER_MAX = 256 << 10 };
enum { TRANSACTION_SIZE = 48, HEADER_SIZE = 256, URL_SHOWN = 120 };

#define MESSAGE_PREFIX "msg_"

/* ---- made and freed: engine's thread ---- */

struct mm7_sending *mm7_sending_new(const struct message *m)
{
    struct mm7_sending *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    arena_init(&s->memory, TEXT_MEMORY);
    s->message = (struct message){.id = m->id,
                                  .retry_count = m->retry_count,
                                  .from = arena_copy(&s->memory, m->from),
                                  .to = arena_copy(&s->memory, m->to),
                                  .text = arena_copy(&s->memory, m->text),
                                  .media = arena_copy(&s->memory, m->media),
                                  .subject = arena_copy(&s->memory, m->subject),
                                  .created_us = m->created_us,
                                  .scheduled_us = m->scheduled_us,
                                  .validity_s = m->validity_s};
    const struct message *copy = &s->message;
    if (copy->from.p && copy->to.p && copy->text.p && copy->media.p && copy->subject.p)
        return s;
    mm7_sending_free(s);
    return NULL;
}

/* What only the way out needs. */
static void put_down(struct mm7_sending *s)
{
    if (s->has_body)
        mm7_body_done(&s->body);
    s->has_body = false;
}

void mm7_sending_free(struct mm7_sending *s)
{
    put_down(s);
    arena_done(&s->memory);
    free(s);
}

/* ---- the loop's thread ---- */

static void enter(struct mm7_sending *s)
{
    struct mm7_outlet *o = s->outlet;

    s->next_flying = o->flying;
    if (s->next_flying)
        s->next_flying->before_flying = s;
    o->flying = s;
}

static void leave(struct mm7_sending *s)
{
    *(s->before_flying ? &s->before_flying->next_flying : &s->outlet->flying) = s->next_flying;
    if (s->next_flying)
        s->next_flying->before_flying = s->before_flying;
}

/* Its outcome is known. */
static void go_back(struct mm7_sending *s)
{
    put_down(s);
    mm7_wire_return(s->outlet->wire, &s->letter);
}

static void fail(struct mm7_sending *s, enum carrier_outcome outcome, enum failure failure,
                 const char *detail)
{
    mm7_outcome_set(&s->outcome, outcome, failure, MM7_SHOWS_NOTHING, detail);
    go_back(s);
}

/* ---- files ---- */

/* One that is there can be read some other time. */
static void fail_for_file(struct mm7_sending *s, int fault)
{
    if (fault == -ENOENT)
        fail(s, CARRIER_REFUSED, FAILURE_MEDIA_UNREACHABLE,
             "A media file was gone when it was to be sent.");
    else
        fail(s, CARRIER_LATER, FAILURE_UPSTREAM_ERROR,
             "A media file could not be read at the moment.");
}

static int open_file(void *sending, size_t file)
{
    struct mm7_sending *s = sending;

    return store_media_open(s->outlet->wire->options.store, &s->media[file]);
}

static size_t count_lines(struct str text)
{
    size_t count = 0;

    while (text.n) {
        str_cut(&text, '\n');
        count++;
    }
    return count;
}

/* The first that is missing. Queries may be secrets. */
static void fail_for_lost(struct mm7_sending *s, size_t wanted, int missing)
{
    struct str lines = s->message.media, url = STR("");
    char detail[MM7_DETAIL_SIZE];

    for (size_t i = 0; i <= s->file_count; i++)
        url = str_cut(&lines, '\n');
    url = utf8_shown(str_cut(&url, '?'), URL_SHOWN);
    str_format(detail, sizeof detail,
               missing == -EILSEQ ? "Media %zu of %zu (%.*s): the file is damaged in the store."
                                  : "Media %zu of %zu (%.*s): the file is no longer in the store.",
               s->file_count + 1, wanted, STR_FMT(url));
    fail(s, CARRIER_REFUSED, FAILURE_MEDIA_UNREACHABLE, detail);
}

/* They are opened when their turn comes; what is missing is found before anything goes out. False:
 * it has gone back. */
static bool find_files(struct mm7_sending *s)
{
    struct mm7_wire *w = s->outlet->wire;
    size_t wanted = count_lines(s->message.media), count = 0;
    int missing = 0;

    if (store_media_list(w->reader, s->message.id, s->media, &count) < 0) {
        fail(s, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, "The store could not be read.");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        missing = store_media_look(w->options.store, &s->media[i]);
        if (missing && missing != -ENOENT && missing != -EILSEQ) {
            fail_for_file(s, missing);
            return false;
        }
        if (missing)
            break;
        s->files[s->file_count++] =
            (struct mm7_file){.size = s->media[i].size, .type = str_of(s->media[i].type)};
    }
    if (s->file_count == wanted)
        return true;
    fail_for_lost(s, wanted, missing);
    return false;
}

/* ---- body ---- */

static struct mm7_address address_of(struct mm7_sending *s, struct str text)
{
    static const char *const endings[] = {[CONFIG_NUMBERS_PLMN] = "/TYPE=PLMN"};
    unsigned form = (unsigned)s->outlet->settings->config.numbers;

    if (text.n == 0 || text.p[0] != '+')
        return (struct mm7_address){MM7_FORM_SHORT_CODE, text};
    if (form == CONFIG_NUMBERS_PLAIN)
        text = str_skip(text, 1);
    if (form == CONFIG_NUMBERS_PLMN)
        text = str_of(arena_printf(&s->memory, "%.*s%s", STR_FMT(text), endings[form]));
    return (struct mm7_address){MM7_FORM_NUMBER, text};
}

static void format_transaction(struct mm7_sending *s, char out[TRANSACTION_SIZE])
{
    char digits[ID_DIGITS];

    id_encode(&s->outlet->wire->ids, s->message.id, digits);
    str_format(out, TRANSACTION_SIZE, "%s%.*s-%u", MESSAGE_PREFIX, ID_DIGITS, digits,
               s->message.retry_count + 1);
}

static int make_body(struct mm7_sending *s)
{
    const struct mm7_settings *settings = s->outlet->settings;
    const struct config_mmsc *c = &settings->config;
    const struct message *m = &s->message;
    char transaction[TRANSACTION_SIZE];
    struct mm7_recipient to = {MM7_ROLE_TO, address_of(s, m->to), false};

    format_transaction(s, transaction);
    struct mm7_message message = {.submit = {.transaction = str_of(transaction),
                                             .vasp_id = str_of(c->vasp_id),
                                             .vas_id = str_of(c->vas_id),
                                             .sender = address_of(s, m->from),
                                             .recipients = &to,
                                             .recipient_count = 1,
                                             .service_code = str_of(c->service_code),
                                             .expiry_us = message_expires_us(m),
                                             .delivery_report = c->reports,
                                             .subject = m->subject},
                                  .text = m->text,
                                  .files = s->files,
                                  .file_count = s->file_count,
                                  .opener = {open_file, s},
                                  .binary = c->encoding == CONFIG_ENCODING_BINARY};
    int failed = mm7_body_init(&s->body, &settings->dialect, &message);
    s->has_body = !failed;
    return failed;
}

static ssize_t give(void *sending, char *out, size_t room)
{
    struct mm7_sending *s = sending;
    ssize_t n = mm7_body_read(&s->body, out, room);

    if (n < 0)
        s->source_fault = (int)n;
    else
        s->given += n;
    return n;
}

/* A kept connection was dead. What the MMSC may have had whole is not repeated behind our back:
 * that is for dispatch to decide, and to count. */
static int give_again(void *sending)
{
    struct mm7_sending *s = sending;

    if (s->given >= s->body.length)
        return -ECANCELED;
    s->given = 0;
    return mm7_body_rewind(&s->body);
}

/* ---- there and back ---- */

static enum mm7_sent how_much(const struct mm7_sending *s)
{
    if (s->given == 0)
        return MM7_SENT_NOTHING;
    return s->given < s->body.length ? MM7_SENT_PART : MM7_SENT_WHOLE;
}

static void on_answer(void *sending, const struct loop_http_reply *reply)
{
    struct mm7_sending *s = sending;

    leave(s);
    s->request = NULL;
    if (s->source_fault) {
        fail_for_file(s, s->source_fault);
        return;
    }
    mm7_outcome_read(&s->outcome, reply, how_much(s));
    go_back(s);
}

static int post(struct mm7_sending *s, struct loop_http *http)
{
    const struct mm7_settings *settings = s->outlet->settings;
    char type[HEADER_SIZE];
    /* Without the last one libcurl would wait for a "100 Continue" that MMSCs do not send. */
    const char *headers[] = {type, "SOAPAction: \"\"", "Expect:", settings->authorization, NULL};
    struct loop_http_source source = {
        .length = s->body.length, .read = give, .rewind = give_again, .context = s};
    struct loop_http_call call = {.method = "POST",
                                  .url = settings->config.url,
                                  .headers = headers,
                                  .body_max = ANSWER_MAX,
                                  .source = &source,
                                  .done = on_answer,
                                  .context = s};

    str_format(type, sizeof type, "Content-Type: %s", s->body.content_type);
    return loop_http_start(http, &call, &s->request);
}

void mm7_sending_begin(struct mm7_sending *s)
{
    char why[LOOP_HTTP_WHY_SIZE];
    struct loop_http *http = mm7_outlet_http(s->outlet, why);

    if (!http) {
        mm7_outcome_set(&s->outcome, CARRIER_UNTRIED, FAILURE_NONE, MM7_SHOWS_AWAY, why);
        go_back(s);
        return;
    }
    if (!find_files(s))
        return;
    int failed = make_body(s);
    if (!failed)
        failed = post(s, http);
    if (failed == -EINVAL)
        fail(s, CARRIER_REFUSED, FAILURE_CARRIER_REJECTED,
             "The message cannot be written in the way that this carrier wants.");
    else if (failed)
        fail(s, CARRIER_LATER, FAILURE_UPSTREAM_ERROR, "Memory is short.");
    else
        enter(s);
}

void mm7_sending_abort(struct mm7_sending *s)
{
    enum mm7_sent sent = how_much(s);

    leave(s);
    loop_http_cancel(s->request);
    s->request = NULL;
    if (sent == MM7_SENT_WHOLE)
        fail(s, CARRIER_SILENT, FAILURE_UPSTREAM_TIMEOUT,
             "The carrier had not answered when the connection was ended.");
    else
        fail(s, CARRIER_UNTRIED, FAILURE_NONE, "");
}
