#include "hooks/retry.h"

#define MINUTE_US INT64_C(60000000)

int64_t retry_delay_us(unsigned tries, uint64_t random)
{
    static const int64_t delays[RETRY_TRIES - 1] = {MINUTE_US, 5 * MINUTE_US, 30 * MINUTE_US,
                                                    120 * MINUTE_US, 24 * 60 * MINUTE_US};

    if (tries == 0 || tries >= RETRY_TRIES)
        return 0;
    int64_t delay = delays[tries - 1], tenth = delay / 10;
    return delay - tenth + (int64_t)(random % (uint64_t)(2 * tenth + 1));
}
