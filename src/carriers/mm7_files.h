/* The media files of a message from a handset, on their way to the store: written to temporary
 * files and brought to disk. Any thread; it waits for the disk. */
#pragma once

#include "carriers/mm7_deliver.h"

/* As struct arrival has them; `media` has room for all. Negative errno: none is left behind. */
int mm7_files_keep(const struct store *s, const struct mm7_delivered *d,
                   struct arrival_media media[MEDIA_MAX]);
