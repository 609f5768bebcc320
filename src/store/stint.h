/* A stint: rows that are worked through in pieces, for as long as it may last. It ends by the
 * clock, not by the count, because a row that must be read from a slow disk takes a thousand times
 * as long as one in memory. The first piece is one row; pieces grow while they take little time, so
 * the last one does not reach far beyond the end. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct stint {
    int64_t until_us; /* monotonic, as all of these */
    int64_t began_us; /* the piece under way */
    size_t piece;     /* its rows; 0 = none yet */
    size_t left;      /* rows that may follow */
};

enum { STINT_PIECE_MAX = 64 };

/* So many rows at most. */
void stint_begin(struct stint *t, int64_t until_us, size_t rows);
/* How many rows the next piece has; 0: the stint is over. There is always a first one. */
size_t stint_next(struct stint *t, int64_t now_us);
