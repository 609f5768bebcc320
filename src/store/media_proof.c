#include "store/media_proof.h"

#include <string.h>

void media_proofs_init(struct media_proofs *p)
{
    pthread_mutex_init(&p->lock, NULL);
}

void media_proofs_done(struct media_proofs *p)
{
    pthread_mutex_destroy(&p->lock);
}

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct media_proof proof_of(int64_t place, const struct stat *file)
{
    return (struct media_proof){.place = place,
                                .inode = file->st_ino,
                                .size = file->st_size,
                                .modified_ns = ns_of(file->st_mtim),
                                .changed_ns = ns_of(file->st_ctim)};
}

/* Places of one run differ in their low bits, those of several runs in the high ones. */
static struct media_proof *slot_of(struct media_proofs *p, int64_t place)
{
    return &p->table[(uint64_t)place * UINT64_C(0x9E3779B97F4A7C15) >> (64 - MEDIA_PROOF_BITS)];
}

void media_proof_note(struct media_proofs *p, int64_t place, const struct stat *file)
{
    pthread_mutex_lock(&p->lock);
    *slot_of(p, place) = proof_of(place, file);
    pthread_mutex_unlock(&p->lock);
}

bool media_proof_holds(struct media_proofs *p, int64_t place, const struct stat *file)
{
    struct media_proof now = proof_of(place, file);

    pthread_mutex_lock(&p->lock);
    bool holds = memcmp(slot_of(p, place), &now, sizeof now) == 0;
    pthread_mutex_unlock(&p->lock);
    return holds;
}
