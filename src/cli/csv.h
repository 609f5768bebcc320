/* Comma-separated values, record by record: quotes with line breaks in them, CRLF, a byte order
 * mark, and a semicolon or a tab in the place of the comma. */
#pragma once

#include "base/arena.h"

enum { CSV_FIELDS_MAX = 64 };

struct csv {
    struct str rest;
    char separator;
    unsigned next_line;
    struct arena *memory; /* of fields that have quotes inside */
};

struct csv_record {
    unsigned line; /* where it begins, counted from 1 */
    struct str fields[CSV_FIELDS_MAX];
    size_t count;
};

/* The separator is the one that the first line has most of. */
void csv_init(struct csv *c, struct str bytes, struct arena *memory);
/* The next record that is not an empty line: 1, or 0 at the end. -EBADMSG, and ret->line says
 * where: `why` is a sentence; there is no way on. */
int csv_next(struct csv *c, struct csv_record *ret, const char **why);
