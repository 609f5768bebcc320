/* The store in the data folder, worked on by a command itself: its authority is the rights to the
 * files. A server may be running on them; it notices. */
#pragma once

#include "cli/command.h"
#include "store/store.h"

struct local {
    struct config *config;
    struct store *store;
    struct store_reader *reader;
    struct arena memory;
};

/* Reads the configuration; an exit code, and the user has been told. */
int local_configure(struct local *l, const struct invocation *in);
/* Then the store. A missing one is made, or the user told that there is none. */
int local_open(struct local *l, bool make);
void local_close(struct local *l);
#define LOCAL_CLEANUP __attribute__((cleanup(local_close)))

/* Both of these, for a store that must be there. */
int local_start(struct local *l, const struct invocation *in);
/* The same, when the format that was asked for is one. */
int local_start_list(struct local *l, const struct invocation *in, enum output_format *format);

/* Whose account this name is; NULL is the first one. */
int local_account(struct local *l, const char *name, struct account_record *ret);

/* Runs `write` in a transaction of its own: what it returned, or why it was not stored. */
int local_write(struct local *l, int (*write)(struct store *s, void *context), void *context);
/* Tells that something could not be stored, because of this error; CLI_FAILED. */
int local_failed(const struct local *l, const char *what, int error);

/* A cell with a time; NULL for 0. */
const char *local_time_cell(struct table *t, int64_t us);
/* A cell with a limit of a key's own; NULL where that of the plan holds. */
const char *local_limit_cell(struct table *t, int64_t limit);
