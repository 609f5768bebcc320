#include "messaging/projection.h"

struct time_range month_so_far(int64_t now_us)
{
    int64_t hour_us = interval_start(INTERVAL_HOUR, now_us);

    return (struct time_range){.from_us = interval_start(INTERVAL_MONTH, now_us),
                               .to_us = interval_next(INTERVAL_HOUR, hour_us),
                               .interval = INTERVAL_MONTH};
}

bool month_projection(int64_t so_far_micros, int64_t now_us, int64_t *ret_micros)
{
    int64_t start_us = interval_start(INTERVAL_MONTH, now_us);
    int64_t whole_us = interval_next(INTERVAL_MONTH, start_us) - start_us;
    int64_t passed_us = now_us - start_us;

    if (passed_us <= 0)
        return false;
    __int128 projected = ((__int128)so_far_micros * whole_us * 2 + passed_us) / (passed_us * 2);
    *ret_micros = projected > INT64_MAX ? INT64_MAX : (int64_t)projected;
    return true;
}
