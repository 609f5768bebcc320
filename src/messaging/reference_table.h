/* The ids under which carriers took messages lately: what most receipts are found by, without a
 * look at the store. Bounded: the oldest make room. Engine's thread. */
#pragma once

#include "base/siphash.h"
#include "store/records.h"

struct reference_table;

/* A message, and which of its parts (bit 0 is part 1); no bits: the whole. */
struct reference_match {
    int64_t message;
    uint64_t parts;
};

enum { REFERENCE_MATCHES = 4 };

/* Room for 2^bits. */
int reference_table_new(struct reference_table **ret, unsigned bits,
                        const uint8_t key[SIPHASH_KEY_SIZE]);
void reference_table_free(struct reference_table *t);

/* How an id of a carrier is kept. */
uint64_t reference_hash(const struct reference_table *t, unsigned carrier, struct str id);
/* How an address is kept: without '+' and zeros in front, which not everybody writes. */
uint64_t reference_address(const struct reference_table *t, struct str address);

struct reference_entry {
    uint64_t id, destination; /* hashes */
    int64_t message;
    unsigned part; /* from 1; 0: the whole */
};

void reference_table_add(struct reference_table *t, const struct reference_entry *is);

/* Two hashes of addresses, either of which may be the handset. */
struct reference_ends {
    uint64_t source, destination;
};

/* The messages that an id stands for, newest first; how many. When several have it, or `strict`,
 * only those to one of these addresses. */
size_t reference_table_find(const struct reference_table *t, uint64_t id,
                            const struct reference_ends *ends, bool strict,
                            struct reference_match ret[REFERENCE_MATCHES]);
/* Whether several messages have it. */
bool reference_table_repeats(const struct reference_table *t, uint64_t id);

/* One more part in a list of matches that is made newest first. False: it is full. */
bool reference_matches_add(struct reference_match matches[REFERENCE_MATCHES], size_t *count,
                           int64_t message, unsigned part);
