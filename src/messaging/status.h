/* The states of a message and the only moves between them. */
#pragma once

#include "store/store.h"

/* Bits of the states from which a message may come into this one. */
uint32_t status_sources(enum message_status to);
bool status_is_final(enum message_status status);
bool status_may_move(enum message_status from, enum message_status to);

/* The one place where a move is made. `failure` says why a message failed; for a move to any other
 * state it is FAILURE_NONE. */
void message_move_to(struct message_move *ret, int64_t id, enum message_status to,
                     enum failure failure, int64_t at_us);
