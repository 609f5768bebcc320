/* Where media contents lie: files beside the store, each with a number. Engines know the numbers,
 * this file knows the paths. */
#pragma once

#include "store/media_proof.h"
#include "store/store.h"

#include <dirent.h>
#include <stdatomic.h>

/* A number has the time of the start in it that made the file, so what earlier runs left behind is
 * told from what is being written now. */
enum { MEDIA_RUN_BITS = 28, MEDIA_FOLDER_BITS = 8 };

struct media_folder {
    char *path;
    int64_t run; /* seconds of the time when it was opened, or more: later than any other has */
    _Atomic int64_t next;    /* any thread */
    _Atomic int64_t reserve; /* bytes of the disk; any thread */
    DIR *walk;               /* the writing thread's */
    struct media_proofs *proofs;
};

/* Beside the store's file at this path; NULL: out of memory. Makes nothing on disk yet. */
struct media_folder *media_folder_new(const char *store_path, int64_t now_us);
void media_folder_free(struct media_folder *f);

/* The number of a file that store_media_temporary gave; -EINVAL: this is none. */
int64_t media_place_of(const struct media_folder *f, const char *path);
/* Whether the file is there and holds this: 0, -ENOENT, -EILSEQ when it is damaged, or why nobody
 * can tell. */
int media_place_look(const struct media_folder *f, int64_t place, int64_t size,
                     const uint8_t hash[MEDIA_HASH_SIZE]);
/* Nothing is there any more, nor a folder that nothing is in. */
void media_place_remove(const struct media_folder *f, int64_t place);

/* Tells the files of one more folder that an earlier run made; `tell` may remove them. False: there
 * are no more, and the next call begins anew. */
bool media_folder_walk(struct media_folder *f, void (*tell)(void *context, int64_t place),
                       void *context);
