#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 8 /* stalled connections named one by one */

int report_add(struct report *report, uint64_t latency_ns)
{
    if (report->n == report->size) {
        size_t size = report->size ? report->size * 2 : 65536;
        uint32_t *grown = realloc(report->latency_us, size * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        report->latency_us = grown;
        report->size = size;
    }
    uint64_t us = latency_ns / 1000;
    report->latency_us[report->n++] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
    return 0;
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static unsigned report_quantile(const struct report *report, double q)
{
    return report->n ? report->latency_us[(size_t)((double)(report->n - 1) * q)] : 0;
}

static size_t report_stalled(const struct conn *conns, size_t n)
{
    size_t stalled = 0;
    for (size_t i = 0; i < n; i++) {
        const struct conn *c = &conns[i];
        if (c->answers > 0 && c->worst_ns <= STALL_NS && c->state != CONN_BUSY)
            continue;
        if (stalled++ >= NAMED_MAX)
            continue;
        fprintf(stderr, "pace: connection %zu stalled: %llu answers, longest wait %.3f s%s\n", i,
                (unsigned long long)c->answers, (double)c->worst_ns / 1e9,
                c->state == CONN_BUSY ? ", one answer still owed" : "");
    }
    return stalled;
}

void report_print(struct report *report, const struct conn *conns, size_t n, uint64_t unsent,
                  const char *cursor)
{
    size_t stalled = report_stalled(conns, n);
    if (report->n)
        qsort(report->latency_us, report->n, sizeof *report->latency_us, compare_u32);
    if (report->broken)
        fprintf(stderr, "pace: %llu connections broke, the last one with: %s\n",
                (unsigned long long)report->broken, strerror(report->broken_errno));
    if (report->unexpected)
        fprintf(stderr, "pace: %llu unexpected answers, the last one with status %d\n",
                (unsigned long long)report->unexpected, report->unexpected_status);
    printf("{\"answers\":%zu,\"unexpected\":%llu,\"broken\":%llu,\"unsent\":%llu,\"stalled\":%zu,"
           "\"seconds\":%.3f,\"rate\":%.0f,\"p50_us\":%u,\"p90_us\":%u,\"p99_us\":%u,"
           "\"p999_us\":%u,\"max_us\":%u,\"cursor\":\"%s\"}\n",
           report->n, (unsigned long long)report->unexpected, (unsigned long long)report->broken,
           (unsigned long long)unsent, stalled, report->seconds,
           report->seconds > 0 ? (double)report->n / report->seconds : 0.0,
           report_quantile(report, 0.5), report_quantile(report, 0.9),
           report_quantile(report, 0.99), report_quantile(report, 0.999),
           report_quantile(report, 1), cursor);
}

void report_done(struct report *report)
{
    free(report->latency_us);
    report->latency_us = NULL;
}
