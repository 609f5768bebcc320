#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_STEP = 4096 };

int file_read_from(int fd, struct buf *b)
{
    for (;;) {
        char *at = buf_reserve(b, READ_STEP);
        if (!at)
            return -EFBIG;
        ssize_t n = read(fd, at, READ_STEP - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        at[n] = '\0';
        if (n == 0)
            return 0;
        b->n += (size_t)n;
    }
}

int file_read(const char *path, struct buf *b)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int r = file_read_from(fd, b);
    close(fd);
    return r;
}

static int write_all(int fd, struct str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            bytes = str_skip(bytes, (size_t)n);
    }
    return 0;
}

static int fill(int fd, struct str bytes, mode_t mode)
{
    int r = write_all(fd, bytes);

    if (r == 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
        r = -errno;
    return r;
}

/* The rename itself is only safe from a power cut when the folder is on disk too. */
static int sync_folder(const char *path)
{
    char copy[PATH_MAX];

    snprintf(copy, sizeof copy, "%s", path);
    int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int r = fsync(fd) < 0 ? -errno : 0;
    close(fd);
    return r;
}

int file_replace(const char *path, struct str bytes, mode_t mode)
{
    char temporary[PATH_MAX];
    int n = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (n >= (int)sizeof temporary)
        return -ENAMETOOLONG;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int r = fill(fd, bytes, mode);
    close(fd);
    if (r == 0 && rename(temporary, path) < 0)
        r = -errno;
    if (r < 0) {
        unlink(temporary);
        return r;
    }
    return sync_folder(path);
}

int file_make_folder(const char *path)
{
    char part[PATH_MAX];

    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return -ENAMETOOLONG;
    for (size_t n = strlen(part); n > 1 && part[n - 1] == '/'; n--)
        part[n - 1] = '\0'; /* "a/b/" is b, and b is the one to protect */
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            return -errno;
        *slash = '/';
    }
    return mkdir(part, 0700) < 0 && errno != EEXIST ? -errno : 0;
}
