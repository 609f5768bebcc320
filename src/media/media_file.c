#include "media/media_file.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/metric.h"
#include "net/loop_work.h"

#include <errno.h>
#include <stdlib.h>

enum { ATTEMPTS = 2, CONNECT_MS = 10000, SAY_US = 60000000 };

static void attempt(struct media_file *f);

/* ---- its content ---- */

static void forget_bytes(struct media_file *f)
{
    uint8_t unused[DIGEST_SHA256_SIZE];

    f->budget->taken -= f->size;
    f->size = 0;
    f->head_n = 0;
    digest_take(f->digest, unused);
}

static int open_draft(struct media_file *f)
{
    if (!f->digest && !(f->digest = digest_new()))
        return -ENOMEM;
    forget_bytes(f);
    return media_draft_begin(&f->draft);
}

static void close_draft(struct media_file *f)
{
    media_draft_close(&f->draft);
    digest_free(f->digest);
    f->digest = NULL;
}

/* ---- its end ---- */

static void finish(struct media_file *f)
{
    close_draft(f);
    if (f->failure) { /* others may have its share */
        f->budget->taken -= f->size;
        f->size = 0;
    }
    f->ended = true;
    atomic_fetch_add_explicit(f->failure ? &f->bench->failures : &f->bench->files, 1,
                              memory_order_relaxed);
    metric_add(METRIC_MEDIA_FILES, f->failure ? METRIC_MEDIA_FAILED : METRIC_MEDIA_FETCHED, 1);
    f->done(f);
}

static void fail(struct media_file *f, enum failure failure)
{
    f->failure = failure;
    finish(f);
}

static void on_time(void *file)
{
    struct media_file *f = file;

    loop_timer_free(f->timer);
    f->timer = NULL;
    attempt(f);
}

static void again_in(struct media_file *f, int64_t wait_ms)
{
    f->timer = loop_timer_new(f->bench->loop, on_time, f);
    if (f->timer)
        loop_timer_start(f->timer, (uint64_t)wait_ms, 0);
    else
        fail(f, FAILURE_MEDIA_UNREACHABLE);
}

static void say_trouble(struct media_bench *b, int trouble)
{
    int64_t now_us = clock_monotonic_us();

    if (b->said_us && now_us - b->said_us < SAY_US)
        return;
    b->said_us = now_us;
    log_error("media", "media files wait, and are tried again in a moment: %s",
              trouble == -ENOSPC ? "all that is left of the disk is for messages (media.reserve)"
                                 : strerror(-trouble));
}

/* A full disk, or memory that is short: no fault of the message, which waits until it is better.
 * Meanwhile it takes up no room. */
static void wait_out(struct media_file *f)
{
    say_trouble(f->bench, f->trouble);
    media_draft_empty(&f->draft);
    f->attempts--;
    str_format(f->why, sizeof f->why, "memory is short");
    again_in(f, f->bench->retry_ms);
}

/* ---- to disk ---- */

/* On a thread of the pool. */
static void sync_file(void *file)
{
    struct media_file *f = file;

    f->trouble = media_draft_settle(&f->draft);
    sem_post(&f->bench->synced);
}

static void on_synced(void *file)
{
    struct media_file *f = file;

    sem_wait(&f->bench->synced); /* is up: this one has raised it, or another that is through */
    f->bench->syncing--;
    f->syncing = false;
    if (f->ended) /* nobody wants it any more */
        f->done(f);
    else if (f->trouble)
        wait_out(f);
    else
        finish(f);
}

/* From loop_work on `trouble` is the pool's, until on_synced. */
static void bring_to_disk(struct media_file *f)
{
    int failed = loop_work(f->bench->loop, sync_file, on_synced, f);

    if (failed) {
        f->trouble = failed;
        wait_out(f);
        return;
    }
    f->syncing = true;
    f->bench->syncing++;
}

/* ---- as it comes ---- */

/* What is known is the size of this one so far, or as its server says. False: it is too much. */
static bool fits(struct media_file *f, int64_t size)
{
    int64_t others = f->budget->taken - f->size, max = f->budget->max;

    if (size <= max - others)
        return true;
    f->failure = FAILURE_MEDIA_TOO_LARGE;
    media_why_large(f->why, size > max ? size : others + size, size > max, max);
    return false;
}

static bool on_head(void *file, unsigned status, struct str content_type, int64_t length)
{
    struct media_file *f = file;

    str_format(f->said, sizeof f->said, "%.*s", STR_FMT(content_type));
    return status == 200 && fits(f, length);
}

static bool is_wanted(struct media_file *f, enum media_kind kind)
{
    if (f->kinds & UINT32_C(1) << kind)
        return true;
    f->failure = FAILURE_UNSUPPORTED_MEDIA_TYPE;
    media_why_kind(f->why, kind);
    return false;
}

/* False: it is of no kind that is wanted. */
static bool judge(struct media_file *f)
{
    struct sniffed s = sniff((struct str){f->head, f->head_n}, str_of(f->said));

    if (s.verdict != SNIFF_KNOWN) {
        f->failure = FAILURE_UNSUPPORTED_MEDIA_TYPE;
        media_why_type(f->why, &s, str_of(f->said));
        return false;
    }
    str_format(f->record.type, sizeof f->record.type, "%s", media_type_of(s.kind));
    return is_wanted(f, s.kind);
}

/* As soon as there are enough bytes to tell by. */
static bool look(struct media_file *f, struct str bytes)
{
    size_t room = SNIFF_BYTES - f->head_n;

    if (room == 0)
        return true;
    if (bytes.n > room)
        bytes.n = room;
    memcpy(f->head + f->head_n, bytes.p, bytes.n);
    f->head_n += bytes.n;
    return f->head_n < SNIFF_BYTES || judge(f);
}

static bool on_bytes(void *file, struct str bytes)
{
    struct media_file *f = file;

    atomic_fetch_add_explicit(&f->bench->bytes, bytes.n, memory_order_relaxed);
    metric_add(METRIC_MEDIA_BYTES, 0, (int64_t)bytes.n);
    if (!fits(f, f->size + (int64_t)bytes.n) || !look(f, bytes))
        return false;
    f->trouble = media_draft_add(&f->draft, bytes);
    if (f->trouble)
        return false;
    digest_add(f->digest, bytes);
    f->size += (int64_t)bytes.n;
    f->budget->taken += (int64_t)bytes.n;
    return true;
}

/* ---- when it is over ---- */

static bool may_help(const struct loop_http_reply *reply)
{
    switch (reply->outcome) {
    case LOOP_HTTP_ANSWERED:
        return reply->status >= 500 || reply->status == 429;
    case LOOP_HTTP_UNREACHABLE:
    case LOOP_HTTP_TIMED_OUT:
        return true;
    case LOOP_HTTP_REFUSED:
    case LOOP_HTTP_DISTRUSTED:
    case LOOP_HTTP_BROKEN:
        return false;
    }
    return false;
}

static void explain(struct media_file *f, const struct loop_http_reply *reply)
{
    char why[MEDIA_WHY_SIZE];
    struct str said = str_of(reply->why);

    if (said.n && said.p[said.n - 1] == '.')
        said.n--;
    if (reply->outcome == LOOP_HTTP_ANSWERED)
        media_why_status(why, reply->status);
    else
        str_format(why, sizeof why, "%.*s", STR_FMT(said));
    str_format(f->why, sizeof f->why, "%.230s%s", why, f->attempts > 1 ? " (tried twice)" : "");
}

static void not_had(struct media_file *f, const struct loop_http_reply *reply)
{
    explain(f, reply);
    if (f->attempts >= ATTEMPTS || !may_help(reply)) {
        fail(f, FAILURE_MEDIA_UNREACHABLE);
        return;
    }
    atomic_fetch_add_explicit(&f->bench->retries, 1, memory_order_relaxed);
    again_in(f, f->bench->retry_ms);
}

static void take(struct media_file *f)
{
    if (f->size == 0) {
        str_format(f->why, sizeof f->why, "it is empty");
        fail(f, FAILURE_MEDIA_UNREACHABLE);
        return;
    }
    if (f->head_n < SNIFF_BYTES && !judge(f)) {
        finish(f);
        return;
    }
    f->record.number = f->number;
    f->record.size = f->size;
    digest_take(f->digest, f->record.hash);
    int has = store_media_has(f->bench->reader, &f->record);
    store_reader_rest(f->bench->reader); /* it may be long until the next one asks */
    if (has == -EILSEQ)
        log_error("media", "a media file is damaged on disk; what was fetched takes its place");
    f->record.loose = has == 1;
    if (!f->record.loose) {
        bring_to_disk(f);
        return;
    }
    atomic_fetch_add_explicit(&f->bench->known, 1, memory_order_relaxed);
    finish(f);
}

static void on_reply(void *file, const struct loop_http_reply *reply)
{
    struct media_file *f = file;

    f->request = NULL;
    if (f->trouble)
        wait_out(f);
    else if (f->failure)
        finish(f);
    else if (reply->outcome != LOOP_HTTP_ANSWERED || reply->status != 200)
        not_had(f, reply);
    else
        take(f);
}

/* ---- life ---- */

static int ask(struct media_file *f)
{
    struct loop_http_sink sink = {on_head, on_bytes, f};
    struct loop_http_call call = {.method = "GET",
                                  .url = f->url,
                                  .sink = &sink,
                                  .connect_ms = CONNECT_MS,
                                  .total_ms = f->bench->timeout_ms,
                                  .done = on_reply,
                                  .context = f};

    return loop_http_start(f->bench->http, &call, &f->request);
}

static void attempt(struct media_file *f)
{
    f->attempts++;
    f->trouble = open_draft(f);
    if (!f->trouble)
        f->trouble = ask(f);
    if (f->trouble)
        wait_out(f);
}

void media_file_init(struct media_file *f)
{
    media_draft_init(&f->draft, NULL, NULL);
}

void media_file_open(struct media_file *f, struct media_bench *bench)
{
    f->bench = bench;
    media_draft_init(&f->draft, bench->store, &bench->held);
}

void media_file_known(struct media_file *f, const struct media_record *m)
{
    enum media_kind kind;

    f->kept = true;
    if ((media_kind_of(m->type, &kind) && !is_wanted(f, kind)) || !fits(f, m->size))
        return;
    f->budget->taken += m->size;
}

void media_file_start(struct media_file *f)
{
    attempt(f);
}

bool media_file_cancel(struct media_file *f)
{
    if (f->request)
        loop_http_cancel(f->request);
    loop_timer_free(f->timer);
    f->request = NULL;
    f->timer = NULL;
    f->ended = true;
    return !f->syncing;
}

void media_file_done(struct media_file *f, bool kept)
{
    close_draft(f);
    media_draft_done(&f->draft, kept);
}
