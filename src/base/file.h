/* Small whole files: read at once, replaced at once. */
#pragma once

#include "base/buf.h"

#include <sys/types.h>

/* Adds the whole file to b, and a NUL behind it that b->n does not count. -EFBIG when it does not
 * fit into b's ceiling. */
int file_read(const char *path, struct buf *b);
/* The same of what is open, to its end. */
int file_read_from(int fd, struct buf *b);

/* Puts the bytes under a temporary name, on disk, then renames: whoever looks sees the old file
 * or the new one, never half of one, and never with looser rights than `mode`. */
int file_replace(const char *path, struct str bytes, mode_t mode);

/* mkdir -p; the last folder, when it is new, is for its owner only. */
int file_make_folder(const char *path);
