/* What skylark doctor looks at, and what it found. */
#pragma once

#include "cli/local.h"

enum health { HEALTH_OK, HEALTH_WARNING, HEALTH_WRONG };

struct doctor {
    const struct invocation *in;
    struct local local; /* the store is NULL when it cannot be opened */
    struct table found; /* a row for each check */
    bool answers;       /* a server runs on the data folder */
    bool over;          /* there is nothing more to look at */
    enum health worst;  /* of them all */
    bool counted;       /* the books were compared with every message */
    struct books books; /* when they could be read */
};

/* A row: which check, how it went, in words; and what to do about it unless all is well. */
void doctor_note(struct doctor *d, const char *check, enum health health, const char *remedy,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The checks, each a row or two. They go in this order, because they build on each other. */
void doctor_folder(struct doctor *d);
void doctor_certificate(struct doctor *d);
void doctor_disk(struct doctor *d);
void doctor_clock(struct doctor *d);
void doctor_store(struct doctor *d);
void doctor_books(struct doctor *d);
void doctor_server(struct doctor *d);
void doctor_carriers(struct doctor *d);

/* "12.3 GB" */
const char *doctor_bytes(uint64_t bytes, char out[32]);
