/* A file of prices as operators have them: CSV with a line of titles. Read whole and judged whole:
 * either all of it is right, or every fault is named. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "store/records.h"

enum { PRICE_FAULTS_SHOWN = 20 };

struct price_file {
    struct price_record *records; /* sorted; each thing has one price at a time */
    size_t count;
    size_t fault_count;
    struct buf faults;  /* a line for each of the first: "prices.csv:7: …" */
    struct buf ignored; /* titles of columns that mean nothing here: "carrier, note" */
};

/* Zeroed before; `name` is what the file is called in faults. */
void price_file_read(struct price_file *f, const char *name, struct str bytes, struct arena *a);
void price_file_done(struct price_file *f);
#define PRICE_FILE_CLEANUP __attribute__((cleanup(price_file_done)))

/* 0 when both are the price of the same thing from the same time on. */
int price_record_compare(const struct price_record *a, const struct price_record *b);
