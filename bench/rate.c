#include "rate.h"

#include <time.h>

enum { OUT_MAX = 1 << 16 };

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double rate_of(round_fn *round, unsigned count, double seconds, uint64_t *sum)
{
    BUF_CLEANUP struct buf out;
    double begin, end;
    uint64_t done = 0;

    buf_init(&out, OUT_MAX);
    *sum += round(&out); /* warm */
    begin = now_s();
    do {
        *sum += round(&out);
        done += count;
        end = now_s();
    } while (end - begin < seconds);
    return (double)done / (end - begin);
}
