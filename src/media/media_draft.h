/* The content of a media file as it comes: in memory as long as it is little, so that what the
 * store has already, as with one image for thousands, costs no disk; in a temporary file of the
 * store when it is more. */
#pragma once

#include "base/buf.h"
#include "store/store.h"

enum { MEDIA_DRAFT_HELD = 256 << 10, MEDIA_DRAFTS_HELD = 16 << 20 };

struct media_draft {
    const struct store *store;
    size_t *held_by_all; /* bytes that drafts have in memory together; of one thread */

    char *path; /* the temporary file; NULL: none */

    /* Its own. */
    int64_t size;
    struct buf held; /* all of it, while there is no file */
    int fd;
};

void media_draft_init(struct media_draft *d, const struct store *s, size_t *held_by_all);
/* From the start again. -ENOSPC: what is left of the disk is for messages. */
int media_draft_begin(struct media_draft *d);
int media_draft_add(struct media_draft *d, struct str bytes);
/* All of it on disk, in its file. Any thread, one at a time. */
int media_draft_settle(struct media_draft *d);
/* Takes up no room any more, until it begins again. */
void media_draft_empty(struct media_draft *d);
/* No more will be added; what is held in memory stays for media_draft_settle. */
void media_draft_close(struct media_draft *d);
/* Whether the file is the store's now, or goes. */
void media_draft_done(struct media_draft *d, bool kept);
