/* Shared by the files that look after the books. */
#pragma once

#include "store/sqlite_rollup.h"
#include "store/store.h"

/* What is compared for one owner. */
struct ledger {
    struct sqlite_reader *reader;
    struct books *books;
    int64_t owner;                /* 0 or below: of none */
    int64_t stored[STATUS_SLOTS]; /* messages by status, as they are tallied */
    int64_t gone[STATUS_SLOTS];   /* and those that were past their time */
};

/* A count that is not what it should be; the sentence without whose it is. */
void books_differ(struct ledger *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Recounts the owner's messages and compares all rows with them. */
int books_scan(struct ledger *l);
/* Compares hours of all series together with those of each. */
int books_together(struct ledger *l);
/* Recounts what waits, of all owners. */
int books_queues(struct sqlite_reader *r, struct books *books);

/* The word of a status in the API. */
const char *books_status_word(unsigned status);
