/* Files of media contents: DATA/media/FOLDER/NUMBER, both in hexadecimal. A file keeps the name
 * under which it was made, so the writer neither renames nor syncs folders: whoever made the file
 * has brought it to disk, with its name, before the store hears of it. */
#include "store/store_media.h"

#include "net/digest.h"
#include "store/engine.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { FOLDER_DIGITS = 13, FILE_DIGITS = 15, TRIES = 8, PIECE = 16 << 10 };
/* What fits into a name. */
#define RUN_MAX ((INT64_C(1) << (4 * FILE_DIGITS - MEDIA_RUN_BITS)) - 1)

/* ---- the folder ---- */

/* A name of exactly so many hexadecimal digits; -EINVAL: it is none. */
static int64_t read_name(const char *name, size_t digits)
{
    if (strlen(name) != digits || strspn(name, "0123456789abcdef") != digits)
        return -EINVAL;
    return (int64_t)strtoull(name, NULL, 16);
}

/* The newest that any run has made; -1: none. */
static int64_t newest_run(const struct media_folder *f)
{
    int64_t newest = -1;
    struct dirent *one;
    DIR *all = opendir(f->path);

    while (all && (one = readdir(all))) {
        int64_t run = read_name(one->d_name, FOLDER_DIGITS) >> (MEDIA_RUN_BITS - MEDIA_FOLDER_BITS);
        if (run > newest && run < RUN_MAX)
            newest = run;
    }
    if (all)
        closedir(all);
    return newest;
}

struct media_folder *media_folder_new(const char *store_path, int64_t now_us)
{
    const char *slash = strrchr(store_path, '/');
    int length = slash ? (int)(slash - store_path) + 1 : 0;
    struct media_folder *f = calloc(1, sizeof *f);

    if (!f || asprintf(&f->path, "%.*smedia", length, store_path) < 0) {
        free(f);
        return NULL;
    }
    f->proofs = calloc(1, sizeof *f->proofs);
    if (!f->proofs) {
        media_folder_free(f);
        return NULL;
    }
    media_proofs_init(f->proofs);
    int64_t newest = newest_run(f);
    f->run = newest < now_us / 1000000 ? now_us / 1000000 : newest + 1;
    atomic_init(&f->next, f->run << MEDIA_RUN_BITS);
    return f;
}

void media_folder_free(struct media_folder *f)
{
    if (!f)
        return;
    if (f->walk)
        closedir(f->walk);
    if (f->proofs)
        media_proofs_done(f->proofs);
    free(f->proofs);
    free(f->path);
    free(f);
}

static int64_t folder_of(int64_t place)
{
    return place >> MEDIA_FOLDER_BITS;
}

static void folder_path(const struct media_folder *f, int64_t folder,
                        char path[STORE_MEDIA_PATH_SIZE])
{
    snprintf(path, STORE_MEDIA_PATH_SIZE, "%s/%0*llx", f->path, FOLDER_DIGITS,
             (unsigned long long)folder);
}

static void place_path(const struct media_folder *f, int64_t place,
                       char path[STORE_MEDIA_PATH_SIZE])
{
    snprintf(path, STORE_MEDIA_PATH_SIZE, "%s/%0*llx/%0*llx", f->path, FOLDER_DIGITS,
             (unsigned long long)folder_of(place), FILE_DIGITS, (unsigned long long)place);
}

int64_t media_place_of(const struct media_folder *f, const char *path)
{
    char wanted[STORE_MEDIA_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    int64_t place = slash ? read_name(slash + 1, FILE_DIGITS) : -EINVAL;

    if (place < 0)
        return -EINVAL;
    place_path(f, place, wanted);
    return strcmp(wanted, path) == 0 ? place : -EINVAL;
}

/* ---- what files hold ---- */

/* From where it stands. */
static int hash_file(int fd, uint8_t ret[DIGEST_SHA256_SIZE])
{
    struct digest *d = digest_new();
    char bytes[PIECE];
    ssize_t n = -1;

    if (!d)
        return -ENOMEM;
    while ((n = read(fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        digest_add(d, (struct str){bytes, n > 0 ? (size_t)n : 0});
    /* What cannot be read on this disk is as good as damaged. */
    int failed = n < 0 ? errno == EIO ? -EILSEQ : -errno : 0;
    digest_take(d, ret);
    digest_free(d);
    return failed;
}

/* The file is what its status says, which was read before its content. */
static int prove(const struct media_folder *f, int64_t place, const char *path,
                 const struct stat *status, const uint8_t hash[MEDIA_HASH_SIZE])
{
    uint8_t found[DIGEST_SHA256_SIZE];
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    int failed = hash_file(fd, found);
    close(fd);
    if (failed || memcmp(found, hash, sizeof found) != 0)
        return failed ? failed : -EILSEQ;
    media_proof_note(f->proofs, place, status);
    return 0;
}

int media_place_look(const struct media_folder *f, int64_t place, int64_t size,
                     const uint8_t hash[MEDIA_HASH_SIZE])
{
    char path[STORE_MEDIA_PATH_SIZE];
    struct stat status;

    place_path(f, place, path);
    if (stat(path, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode) || status.st_size != size)
        return -ENOENT;
    return media_proof_holds(f->proofs, place, &status) ? 0 : prove(f, place, path, &status, hash);
}

int store_media_look(const struct store *s, const struct media_record *m)
{
    return media_place_look(s->media, m->place, m->size, m->hash);
}

void store_media_written(const struct store *s, const char *path, int fd)
{
    int64_t place = media_place_of(s->media, path);
    struct stat status;

    if (place >= 0 && fstat(fd, &status) == 0)
        media_proof_note(s->media->proofs, place, &status);
}

void media_place_remove(const struct media_folder *f, int64_t place)
{
    char path[STORE_MEDIA_PATH_SIZE];

    place_path(f, place, path);
    unlink(path);
    folder_path(f, folder_of(place), path);
    rmdir(path); /* as a rule there are others in it */
}

/* ---- room ---- */

void store_media_reserve(struct store *s, int64_t bytes)
{
    atomic_store_explicit(&s->media->reserve, bytes, memory_order_relaxed);
}

/* Of its folder, or of the one that it will be in. */
static int look_at_disk(const struct media_folder *f, struct statvfs *ret)
{
    char path[STORE_MEDIA_PATH_SIZE];

    if (statvfs(f->path, ret) == 0)
        return 0;
    const char *slash = strrchr(f->path, '/');
    snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - f->path) + 1 : 1,
             slash ? f->path : ".");
    return statvfs(path, ret) < 0 ? -errno : 0;
}

int store_media_room(const struct store *s)
{
    int64_t reserve = atomic_load_explicit(&s->media->reserve, memory_order_relaxed);
    struct statvfs disk;

    /* When the disk does not say, whoever writes will hear of it. */
    if (reserve == 0 || look_at_disk(s->media, &disk) < 0)
        return 0;
    return (uint64_t)disk.f_bavail * disk.f_frsize < (uint64_t)reserve ? -ENOSPC : 0;
}

/* ---- making and opening files ---- */

/* A folder may go whenever it is empty, so it is made until a file is in it. */
static int make_file(const struct media_folder *f, int64_t place, char path[STORE_MEDIA_PATH_SIZE])
{
    for (int i = 0; i < TRIES; i++) {
        place_path(f, place, path);
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != ENOENT)
            return fd < 0 ? -errno : fd;
        folder_path(f, folder_of(place), path);
        if ((mkdir(f->path, 0700) < 0 && errno != EEXIST) ||
            (mkdir(path, 0700) < 0 && errno != EEXIST && errno != ENOENT))
            return -errno;
    }
    return -ENOENT;
}

int store_media_temporary(const struct store *s, char path[STORE_MEDIA_PATH_SIZE])
{
    struct media_folder *f = s->media;
    int fd = -EEXIST;

    /* Another program with the same store may have begun in the same second. */
    while (fd == -EEXIST)
        fd = make_file(f, atomic_fetch_add(&f->next, 1), path);
    return fd;
}

static int write_all(int fd, struct str content)
{
    while (content.n) {
        ssize_t n = write(fd, content.p, content.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        content = str_skip(content, (size_t)n);
    }
    return fsync(fd) < 0 ? -errno : 0;
}

int store_media_write(const struct store *s, struct str content, struct media_record *ret,
                      char path[STORE_MEDIA_PATH_SIZE])
{
    int fd = store_media_temporary(s, path);

    if (fd < 0)
        return fd;
    int failed = write_all(fd, content);
    if (!failed)
        store_media_written(s, path, fd);
    if (close(fd) < 0 && !failed)
        failed = -errno;
    if (failed) {
        unlink(path);
        return failed;
    }
    ret->size = (int64_t)content.n;
    digest_sha256(content, ret->hash);
    return 0;
}

int store_media_open(const struct store *s, const struct media_record *m)
{
    char path[STORE_MEDIA_PATH_SIZE];
    struct stat status;

    place_path(s->media, m->place, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == m->size)
        return fd;
    close(fd);
    return -ENOENT;
}

/* ---- what earlier runs made ---- */

/* The next folder of them; -ENOENT after the last. */
static int64_t next_folder(struct media_folder *f)
{
    int64_t end = folder_of(f->run << MEDIA_RUN_BITS);
    struct dirent *one;

    if (!f->walk)
        f->walk = opendir(f->path);
    while (f->walk && (one = readdir(f->walk))) {
        int64_t folder = read_name(one->d_name, FOLDER_DIGITS);
        if (folder >= 0 && folder < end)
            return folder;
    }
    if (f->walk)
        closedir(f->walk);
    f->walk = NULL;
    return -ENOENT;
}

static void tell_folder(const struct media_folder *f, int64_t folder,
                        void (*tell)(void *context, int64_t place), void *context)
{
    char path[STORE_MEDIA_PATH_SIZE];
    struct dirent *one;

    folder_path(f, folder, path);
    DIR *all = opendir(path);
    while (all && (one = readdir(all))) {
        int64_t place = read_name(one->d_name, FILE_DIGITS);
        if (place >= 0 && folder_of(place) == folder)
            tell(context, place);
    }
    if (all)
        closedir(all);
    rmdir(path);
}

bool media_folder_walk(struct media_folder *f, void (*tell)(void *context, int64_t place),
                       void *context)
{
    int64_t folder = next_folder(f);

    if (folder >= 0)
        tell_folder(f, folder, tell, context);
    return folder >= 0;
}

/* ---- verbs ---- */

int store_media_get(struct store_reader *r, int64_t message, unsigned number,
                    struct media_record *ret)
{
    return r->store->engine->media_get(r, message, number, ret);
}

int store_media_list(struct store_reader *r, int64_t message, struct media_record ret[MEDIA_MAX],
                     size_t *ret_count)
{
    *ret_count = 0;
    return r->store->engine->media_list(r, message, ret, ret_count);
}

int store_media_has(struct store_reader *r, const struct media_record *m)
{
    int64_t place, size;
    int failed = r->store->engine->media_content(r, m->hash, &place, &size);

    if (failed)
        return failed == -ENOENT ? 0 : failed;
    if (size != m->size)
        return 0;
    failed = media_place_look(r->store->media, place, size, m->hash);
    return failed == -EILSEQ ? failed : failed == 0;
}

int store_media_put(struct store *s, struct media_record *m, const char *temporary)
{
    assert(s->in_transaction && m->number >= 1 && m->number <= MEDIA_MAX);
    m->place = m->loose ? 0 : media_place_of(s->media, temporary);
    if (m->place < 0)
        return store_fail(s, -EINVAL, "%.200s is no file of media", temporary);
    m->at_us = clock_now_us(s->clock);
    return s->engine->media_put(s, m);
}
