/* Rollups in one row: those of up to ROLLUP_CHUNK series of an owner, for one span of time. Many
 * series that are counted at the same time share a row, so that a transaction writes few rows and
 * a reader steps over few.
 *
 *   pack  = entry…
 *   entry = place, size, body             the series' number modulo ROLLUP_CHUNK; bytes of the body
 *   body  = accepted, statuses, segments, cost, delivery_ms, failures, times
 *   statuses = which of them are not 0, as bits; their counts
 *   failures, times = how many slots; of each what it is above the one before it, and its count
 *
 * All are numbers as in varint.h; a count below 0, which is none, takes ten bytes. */
#pragma once

#include "base/arena.h"
#include "store/records.h"

enum { ROLLUP_CHUNK = 16 };

/* Bytes that it takes at most. */
size_t rollup_pack_room(const struct rollup *r);
/* Writes an entry; the place behind it. */
uint8_t *rollup_pack(uint8_t *to, unsigned place, const struct rollup *r);

struct rollup_unpack {
    const uint8_t *at, *end;
    const uint8_t *body; /* of the entry at hand; it ends at `at` */
    unsigned place;      /* of the entry at hand */
    bool damaged;
};

void rollup_unpack_begin(struct rollup_unpack *u, const void *bytes, size_t n);
/* To the next entry; false at the end, and where the bytes make no sense (then u->damaged). */
bool rollup_unpack_next(struct rollup_unpack *u);
/* What `accepted` and `statuses` of the entry at hand are; the rest is 0. False: damaged. */
bool rollup_unpack_statuses(struct rollup_unpack *u, struct rollup *ret);
/* All but the times, which are many, are stepped over and not looked at; as below. */
int rollup_unpack_counts(struct rollup_unpack *u, struct arena *a, struct rollup *ret);
/* All of it; 0, -EBADMSG, -ENOMEM. */
int rollup_unpack_all(struct rollup_unpack *u, struct arena *a, struct rollup *ret);
