/* How an owner's messages stand now, and what happened to them lately. A worker has one board, with
 * the rings of the owners that were asked about last: what they know already is not read again.
 * Worker's thread. */
#pragma once

#include "messaging/pulse_ring.h"

struct stats {
    int64_t now_us;
    enum mode mode;
    struct pulse_view pulse;
    struct queue_state queue;
};

struct stats_board;

struct stats_board *stats_board_new(struct store *store);
void stats_board_free(struct stats_board *b);
/* 0, or a negative errno. */
int stats_read(struct stats_board *b, struct store_reader *r, int64_t account, enum mode mode,
               int64_t now_us, struct stats *ret);
