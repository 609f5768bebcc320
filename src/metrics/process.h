/* What the system knows of this process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* NAN: not known. */
struct process_facts {
    double cpu_s, start_s; /* start: unix time */
    double resident_bytes, virtual_bytes;
    double open_fds, max_fds;
};

void process_look(struct process_facts *ret);
