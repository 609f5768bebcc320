/* How long a link waits before it tries again: longer each time, and not all links in step. */
#pragma once

#include <stdint.h>

struct smpp_backoff {
    uint64_t min_ms, max_ms;
    uint64_t next_ms; /* 0: the shortest */
};

/* A link that was bound for so long was well: the next wait is the shortest again. */
enum { SMPP_BACKOFF_WELL_MS = 10000 };

/* A link that was bound for `bound_ms` (0: not at all) is lost. `random` is any number. */
uint64_t smpp_backoff_wait_ms(struct smpp_backoff *b, uint64_t bound_ms, uint64_t random);
/* A quarter more or less. */
uint64_t smpp_backoff_jitter(uint64_t ms, uint64_t random);
