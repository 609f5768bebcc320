/* The media files of a message from a handset, whoever brings it: a live carrier, or a client that
 * plays the handset in test mode. First they are written to temporary files of the store and
 * brought to disk; then the message is accepted with them, in one transaction. */
#pragma once

#include "store/store.h"

/* The file is the store's when the message is on disk; otherwise it is dropped. */
struct arrival_media {
    char path[STORE_MEDIA_PATH_SIZE];
    struct media_record record; /* type, size and hash */
};

/* What a type is kept as, "image/jpeg" of "image/JPG; name=cat.jpg". False: it is none. */
bool arrival_media_type(struct str said, char out[MEDIA_TYPE_MAX + 1]);

/* Files with these contents, whose types the caller has filled in. Negative errno: none is left
 * behind. Any thread; it waits for the disk. */
int arrival_media_keep(const struct store *s, const struct str *contents,
                       struct arrival_media *media, size_t count);
/* Away with what nobody took. */
void arrival_media_drop(const struct arrival_media *media, size_t count);

/* What the message shows of its files: the type of each, on a line of its own. p is NULL when
 * memory is short. */
struct str arrival_media_types(const struct arrival_media *media, size_t count, struct arena *a);
/* In the transaction that has accepted the message. `loose`: another message took the files in the
 * same transaction. 0 or the store's negative errno. */
int arrival_media_put(struct store *s, int64_t message, const struct arrival_media *media,
                      size_t count, bool loose);
