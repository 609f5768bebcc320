/* Rollups in one row: those of up to ROLLUP_CHUNK series of an owner, for one span of time. Many
 * series that are counted at the same time share a row, so that a transaction writes few rows and
 * a reader steps over few.
 *
 * Counts are one pack, and the times of delivery, which are longer and which few want, another.
 *
 *   counts = entry…
 *   entry  = place, size, body            the series' number modulo ROLLUP_CHUNK; bytes of the body
 *   body   = accepted, statuses, segments, cost, delivery_ms, failures
 *   statuses = which of them are not 0, as bits; their counts
 *   failures = how many; of each what it is above the one before it, and its count
 *   times  = size, slots, for each entry of the counts in turn
 *   slots  = the count of each slot from 0 on; a 0, and how many slots in a row have none
 *
 * Times lie close together, so that a byte for each slot between the quickest and the slowest is
 * about all it takes, however many messages there are.
 *
 * All are numbers as in varint.h; a count below 0, which is none, takes ten bytes. */
#pragma once

#include "base/arena.h"
#include "store/records.h"

enum { ROLLUP_CHUNK = 16 };

/* Bytes that it takes at most. */
size_t rollup_pack_room(const struct rollup *r);
size_t rollup_pack_times_room(const struct rollup *r);
/* Writes an entry of the counts, and of the times; the place behind it. */
uint8_t *rollup_pack(uint8_t *to, unsigned place, const struct rollup *r);
uint8_t *rollup_pack_times(uint8_t *to, const struct rollup *r);

struct rollup_unpack {
    const uint8_t *at, *end;
    const uint8_t *times_at, *times_end;
    const uint8_t *body, *times; /* of the entry at hand; they end at `at` and at `times_at` */
    unsigned place;              /* of the entry at hand */
    bool with_times, damaged;
    bool old_times; /* as schema 8 had them: packed like failures */
};

/* A pack of the counts, of at most `n` bytes; and without times, or with: rollup_unpack_times next.
 */
void rollup_unpack_begin(struct rollup_unpack *u, const void *bytes, size_t n);
void rollup_unpack_times(struct rollup_unpack *u, const void *bytes, size_t n);
/* To the next entry; false at the end, and where the bytes make no sense (then u->damaged). */
bool rollup_unpack_next(struct rollup_unpack *u);
/* What `accepted` and `statuses` of the entry at hand are; the rest is 0. False: damaged. */
bool rollup_unpack_statuses(struct rollup_unpack *u, struct rollup *ret);
/* Adds all but failures and times. False: damaged. */
bool rollup_unpack_add(struct rollup_unpack *u, struct rollup *sum);
/* All that there is, the times only if they were given; 0, -EBADMSG, -ENOMEM. */
int rollup_unpack_all(struct rollup_unpack *u, struct arena *a, struct rollup *ret);
