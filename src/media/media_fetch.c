#include "media/media_fetch.h"

#include "base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define ALL_KINDS ((UINT32_C(1) << (MEDIA_TEXT + 1)) - 1)

/* ---- life ---- */

static unsigned count_lines(struct str lines)
{
    unsigned count = 0;

    while (lines.n && count < MEDIA_MAX) {
        str_cut(&lines, '\n');
        count++;
    }
    return count;
}

static void cut_lines(struct media_fetch *f, char *at, const struct message *m)
{
    struct str lines = m->media;

    for (unsigned i = 0; i < f->count; i++) {
        struct str line = str_cut(&lines, '\n');

        memcpy(at, line.p, line.n);
        at[line.n] = '\0';
        f->files[i].url = at;
        f->files[i].number = i + 1;
        f->files[i].claim = media_claim_of(m, line);
        at += line.n + 1;
    }
}

struct media_fetch *media_fetch_new(const struct message *m, const struct media_profile *profile,
                                    int64_t size_max)
{
    unsigned count = count_lines(m->media);
    size_t files = count * sizeof(struct media_file);
    struct media_fetch *f = calloc(1, sizeof *f + files + m->media.n + 1);

    if (!f)
        return NULL;
    f->message = m->id;
    f->need = profile->need;
    f->count = count;
    f->budget.max =
        profile->size_max > 0 && profile->size_max < size_max ? profile->size_max : size_max;
    f->claim = media_claim_of(m, m->media);
    cut_lines(f, (char *)&f->files[count], m);
    for (unsigned i = 0; i < count; i++) {
        f->files[i].kinds =
            profile->kinds ? profile->kinds : ALL_KINDS & ~(UINT32_C(1) << MEDIA_WEBP);
        f->files[i].budget = &f->budget;
        media_file_init(&f->files[i]);
    }
    return f;
}

static bool is_good(const struct media_file *file)
{
    return file->ended && !file->failure && (file->draft.path || file->record.loose);
}

void media_fetch_close(struct media_fetch *f)
{
    for (unsigned i = 0; i < f->count; i++) {
        struct media_file *file = &f->files[i];

        if (file->flying)
            media_file_cancel(file);
        media_file_done(file, f->put && file->put && !file->record.loose);
    }
}

void media_fetch_free(struct media_fetch *f)
{
    free(f);
}

/* ---- files ---- */

static void land(struct media_fetch *f, struct media_file *file)
{
    file->flying = false;
    f->flying--;
    f->landed(f, file);
}

/* The rest is of no use then: nothing of it will be kept. */
static void stop(struct media_fetch *f)
{
    for (unsigned i = 0; i < f->count; i++)
        if (f->files[i].flying && media_file_cancel(&f->files[i]))
            land(f, &f->files[i]);
    f->started = f->count;
}

static bool is_in_vain(const struct media_fetch *f)
{
    return f->forgotten || (f->failure && f->need == MEDIA_FIRST);
}

static void note_failure(struct media_fetch *f, const struct media_file *file)
{
    if (!file->failure || is_in_vain(f))
        return;
    if (!f->failure) {
        f->failure = file->failure;
        media_detail(f->detail, file->number, f->count, str_of(file->url), file->why);
    }
    if (f->need == MEDIA_FIRST)
        stop(f);
}

static void on_file_done(struct media_file *file)
{
    struct media_fetch *f = file->owner;

    land(f, file);
    note_failure(f, file);
}

static void skip_kept(struct media_fetch *f)
{
    while (f->started < f->count && f->files[f->started].kept)
        f->started++;
}

/* A row whose content is lost or damaged is as good as none. */
static void find_kept(struct media_fetch *f, const struct store *s, struct store_reader *r)
{
    struct media_record found[MEDIA_MAX];
    size_t count = 0;
    int failed = store_media_list(r, f->message, found, &count);

    for (size_t i = 0; i < count && !failed; i++) {
        int missing = found[i].number <= f->count ? store_media_look(s, &found[i]) : -ENOENT;
        if (missing == -EILSEQ)
            log_error("media", "media file %u of message %" PRId64 " is damaged, and fetched again",
                      found[i].number, f->message);
        if (missing)
            continue;
        media_file_known(&f->files[found[i].number - 1], &found[i]);
        note_failure(f, &f->files[found[i].number - 1]);
    }
}

void media_fetch_open(struct media_fetch *f, struct media_bench *bench, struct store_reader *r)
{
    for (unsigned i = 0; i < f->count; i++) {
        media_file_open(&f->files[i], bench);
        f->files[i].owner = f;
        f->files[i].done = on_file_done;
    }
    find_kept(f, bench->store, r);
    skip_kept(f);
}

const struct media_file *media_fetch_next(const struct media_fetch *f)
{
    return f->started < f->count && f->flying < MEDIA_AT_ONCE ? &f->files[f->started] : NULL;
}

void media_fetch_start(struct media_fetch *f)
{
    struct media_file *file = &f->files[f->started++];

    skip_kept(f);
    file->flying = true;
    f->flying++;
    media_file_start(file);
}

void media_fetch_forget(struct media_fetch *f)
{
    f->forgotten = true;
    if (!f->putting)
        stop(f);
}

bool media_fetch_is_over(const struct media_fetch *f)
{
    return f->flying == 0 && f->started == f->count && !f->putting;
}

/* ---- into the store ---- */

/* On the writer's thread. What the store had and has dropped since, which is rare, has to be
 * brought to disk after all. */
static int put_file(struct media_fetch *f, struct media_file *file, struct store *s)
{
    int put = store_media_put(s, &file->record, file->draft.path);

    if (put != -ENOENT)
        return put;
    f->unsettled = media_draft_settle(&file->draft);
    file->record.loose = f->unsettled != 0;
    return f->unsettled ? 0 : store_media_put(s, &file->record, file->draft.path);
}

static int put_all(struct write_job *job, struct store *s)
{
    struct media_fetch *f = (struct media_fetch *)job;
    int failed = 0;

    f->unsettled = 0;
    for (unsigned i = 0; i < f->count && failed >= 0 && !f->unsettled; i++) {
        struct media_file *file = &f->files[i];

        if (!is_good(file))
            continue;
        file->record.message = f->message;
        failed = put_file(f, file, s);
        file->put = !f->unsettled;
    }
    return failed < 0 ? failed : 0;
}

static void put_back(struct errand *e)
{
    struct media_fetch *f = (struct media_fetch *)e;

    f->putting = false;
    int failed = e->result ? e->result : f->unsettled;
    f->put = e->result == 0;
    if (!failed || f->failure)
        return;
    log_error("media", "the media of message %" PRId64 " could not be kept: %s", f->message,
              strerror(-failed));
    f->failure = FAILURE_MEDIA_UNREACHABLE;
    str_format(f->detail, sizeof f->detail, "The media could not be kept.");
}

bool media_fetch_put(struct media_fetch *f, struct mailbox *home, struct writer *w)
{
    unsigned good = 0;

    for (unsigned i = 0; i < f->count; i++)
        good += is_good(&f->files[i]);
    if (is_in_vain(f) || good == 0 || f->tried)
        return false;
    f->tried = true;
    errand_init(&f->errand, home, put_all, put_back);
    f->errand.job.weight = good;
    f->putting = true;
    errand_owe(&f->errand, w);
    return true;
}
