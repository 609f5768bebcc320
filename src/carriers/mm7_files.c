#include "carriers/mm7_files.h"

#include "net/digest.h"

#include <errno.h>
#include <unistd.h>

static int write_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        bytes = str_skip(bytes, (size_t)n);
    }
    return fsync(fd) < 0 ? -errno : 0;
}

static int keep(const struct store *s, const struct mm7_part *part, struct arrival_media *ret)
{
    int fd = store_media_temporary(s, ret->path);

    if (fd < 0)
        return fd;
    ret->record = (struct media_record){.size = (int64_t)part->bytes.n};
    mm7_deliver_type(part, ret->record.type);
    digest_sha256(part->bytes, ret->record.hash);
    int failed = write_all(fd, part->bytes);
    if (!failed)
        store_media_written(s, ret->path, fd);
    if (close(fd) < 0 && !failed)
        failed = -errno;
    if (failed)
        unlink(ret->path);
    return failed;
}

int mm7_files_keep(const struct store *s, const struct mm7_delivered *d,
                   struct arrival_media media[MEDIA_MAX])
{
    int failed = d->file_count ? store_media_room(s) : 0;

    for (size_t i = 0; i < d->file_count && !failed; i++) {
        failed = keep(s, d->files[i], &media[i]);
        if (failed)
            mm7_files_drop(media, i);
    }
    return failed;
}

void mm7_files_drop(const struct arrival_media *media, size_t count)
{
    for (size_t i = 0; i < count; i++)
        unlink(media[i].path);
}
