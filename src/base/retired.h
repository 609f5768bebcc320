/* What was replaced while other threads may still look at it: kept for a while, then freed. One
 * thread retires and frees. */
#pragma once

#include <stdint.h>

struct retired; /* one of a list; NULL is an empty list */

typedef void retired_release(void *what);

/* NULL is fine, and nothing. Without memory to note it, it is kept for good. */
void retire(struct retired **list, void *what, retired_release *release, int64_t now_us);
/* Frees what was retired before this time. */
void retired_free(struct retired **list, int64_t before_us);
