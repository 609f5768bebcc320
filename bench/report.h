/* What came back: every latency, and the sums, as one JSON object on stdout. */
#pragma once

#include "conn.h"

struct report {
    uint32_t *latency_us;
    size_t n, size;
    uint64_t unexpected; /* answers with another status than asked for */
    int unexpected_status;
    uint64_t broken; /* connections that broke, and handshakes that did */
    int broken_errno;
    double seconds;
};

int report_add(struct report *report, uint64_t latency_ns);

/* A connection is stalled when it never answered, still owes an answer, or kept a request waiting
 * for more than this. */
#define STALL_NS 2000000000ull

void report_print(struct report *report, const struct conn *conns, size_t n, uint64_t unsent,
                  const char *cursor);
void report_done(struct report *report);
