/* What the files that read prices share. */
#pragma once

#include "cli/csv.h"
#include "cli/price_file.h"

enum price_column { PREFIX, COUNTRY, PRICE, CURRENCY, VALID_FROM, TYPE, PRICE_COLUMNS };

struct price_reading {
    struct price_file *file;
    const char *name;
    struct csv csv;
    struct csv_record record;
    size_t width;              /* how many columns there are */
    int places[PRICE_COLUMNS]; /* of each column in a record; -1: it is not there */
    struct price_line *lines;
    size_t room;
};

/* Notes what is wrong on a line. */
void price_fault(struct price_reading *r, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The record that the line at hand tells; false after naming its faults. */
bool price_fields_read(struct price_reading *r, struct price_record *ret);
