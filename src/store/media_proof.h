/* Which media files have been found to hold what they should, so that each is read for that once,
 * and again only when it has changed (by more than a tick of the file system's clock), or when
 * another took its place in the table. Any thread; the lock guards the table. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum { MEDIA_PROOF_BITS = 13, MEDIA_PROOFS = 1 << MEDIA_PROOF_BITS };

/* A file as it was then. */
struct media_proof {
    int64_t place;
    uint64_t inode;
    int64_t size, modified_ns, changed_ns;
};

struct media_proofs {
    pthread_mutex_t lock;
    struct media_proof table[MEDIA_PROOFS];
};

void media_proofs_init(struct media_proofs *p);
void media_proofs_done(struct media_proofs *p);
/* The file with this number is as it should be. */
void media_proof_note(struct media_proofs *p, int64_t place, const struct stat *file);
/* Whether that was said of it, as it is now. */
bool media_proof_holds(struct media_proofs *p, int64_t place, const struct stat *file);
