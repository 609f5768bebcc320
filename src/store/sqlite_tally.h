/* Small counts: rows of an owner, a number and a count. What a transaction adds to them is gathered
 * and written at its end, one row per owner and number, however many messages it holds. */
#pragma once

#include "store/records.h"

struct sqlite_store;

enum tally_table {
    TALLY_STATUS, /* messages of an owner per status; queued ones of a carrier, see below */
    TALLY_LANE,   /* queued messages of an owner per carrier */
    TALLY_HOOK,   /* deliveries of an owner per state */
    TALLY_TABLES
};

enum { TALLY_SLOTS = 96 };

/* Owned by the writing thread. */
struct tally_deltas {
    struct tally_delta {
        int64_t owner;
        int64_t count;
        int32_t number;
        enum tally_table table;
    } at[TALLY_SLOTS];
    size_t count;
};

int tally_count(struct sqlite_store *s, enum tally_table table, int64_t owner, unsigned number,
                int64_t delta);
/* So many more of an owner's messages are queued for a carrier. */
int tally_count_lane(struct sqlite_store *s, int64_t owner, unsigned carrier, int delta);
/* Before the commit: writes all. */
int tally_flush(struct sqlite_store *s);
void tally_forget(struct sqlite_store *s);
