#include "carriers/smpp_backoff.h"

uint64_t smpp_backoff_jitter(uint64_t ms, uint64_t random)
{
    uint64_t range = ms / 2;
    return ms - ms / 4 + random % (range + 1);
}

uint64_t smpp_backoff_wait_ms(struct smpp_backoff *b, uint64_t bound_ms, uint64_t random)
{
    uint64_t ms = b->next_ms && bound_ms < SMPP_BACKOFF_WELL_MS ? b->next_ms : b->min_ms;

    if (ms > b->max_ms)
        ms = b->max_ms;
    b->next_ms = ms > b->max_ms / 2 ? b->max_ms : ms * 2;
    return smpp_backoff_jitter(ms, random);
}
