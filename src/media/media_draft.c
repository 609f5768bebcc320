#include "media/media_draft.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* How far a file grows between two looks at what is left of the disk. */
enum { LOOK_BYTES = 256 << 10 };

void media_draft_init(struct media_draft *d, const struct store *s, size_t *held_by_all)
{
    *d = (struct media_draft){.store = s, .held_by_all = held_by_all, .fd = -1};
    buf_init(&d->held, MEDIA_DRAFT_HELD);
}

/* ---- in memory ---- */

static void drop_held(struct media_draft *d)
{
    if (d->held.n)
        *d->held_by_all -= d->held.n;
    buf_done(&d->held);
    buf_init(&d->held, MEDIA_DRAFT_HELD);
}

static bool can_hold(const struct media_draft *d, size_t more)
{
    return d->held.n + more <= MEDIA_DRAFT_HELD && *d->held_by_all + more <= MEDIA_DRAFTS_HELD;
}

static int hold(struct media_draft *d, struct str bytes)
{
    buf_add(&d->held, bytes);
    if (d->held.failed)
        return -ENOMEM;
    *d->held_by_all += bytes.n;
    d->size += (int64_t)bytes.n;
    return 0;
}

/* ---- on disk ---- */

static int make_file(struct media_draft *d)
{
    char path[STORE_MEDIA_PATH_SIZE];
    int fd = store_media_temporary(d->store, path);

    if (fd < 0)
        return fd;
    d->fd = fd;
    d->path = strdup(path);
    return d->path ? 0 : -ENOMEM;
}

static int write_at(int fd, struct str bytes, int64_t at)
{
    while (bytes.n) {
        ssize_t n = pwrite(fd, bytes.p, bytes.n, at);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0) {
            bytes = str_skip(bytes, (size_t)n);
            at += n;
        }
    }
    return 0;
}

/* What is held stays in memory. */
static int write_out(struct media_draft *d)
{
    int failed = d->path ? 0 : make_file(d);

    return failed ? failed : write_at(d->fd, buf_str(&d->held), 0);
}

static int grow(struct media_draft *d, struct str bytes)
{
    int64_t end = d->size + (int64_t)bytes.n;
    int failed = d->size / LOOK_BYTES != end / LOOK_BYTES ? store_media_room(d->store) : 0;

    if (!failed && !d->path) {
        failed = write_out(d);
        drop_held(d);
    }
    if (!failed)
        failed = write_at(d->fd, bytes, d->size);
    d->size = end;
    return failed;
}

/* ---- as it comes ---- */

int media_draft_begin(struct media_draft *d)
{
    drop_held(d);
    d->size = 0;
    int failed = store_media_room(d->store);
    if (!failed && d->fd >= 0 && ftruncate(d->fd, 0) < 0)
        failed = -errno;
    return failed;
}

int media_draft_add(struct media_draft *d, struct str bytes)
{
    return !d->path && can_hold(d, bytes.n) ? hold(d, bytes) : grow(d, bytes);
}

/* ---- when it is whole ---- */

int media_draft_settle(struct media_draft *d)
{
    if (d->path && d->fd < 0)
        d->fd = open(d->path, O_RDWR | O_CLOEXEC);
    int failed = d->held.n ? write_out(d) : d->fd < 0 ? -errno : 0;

    if (!failed && fsync(d->fd) < 0)
        failed = -errno;
    if (!failed)
        store_media_written(d->store, d->path, d->fd);
    return failed;
}

void media_draft_empty(struct media_draft *d)
{
    drop_held(d);
    d->size = 0;
    if (d->fd >= 0 && ftruncate(d->fd, 0) < 0)
        log_warning("media", "a file cannot be emptied: %s", strerror(errno));
}

void media_draft_close(struct media_draft *d)
{
    if (d->fd >= 0)
        close(d->fd);
    d->fd = -1;
}

void media_draft_done(struct media_draft *d, bool kept)
{
    media_draft_close(d);
    drop_held(d);
    if (d->path && !kept)
        unlink(d->path);
    free(d->path);
    d->path = NULL;
}
