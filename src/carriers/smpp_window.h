/* Requests of one connection that are not answered yet: found by their sequence number, oldest
 * first when the time is up. As large as it is made; never grows. */
#pragma once

#include "base/str.h"

struct smpp_window_entry;

struct smpp_window {
    struct smpp_window_entry *entries;
    uint16_t *chains; /* by the low bits of the sequence number: the first entry of each */
    unsigned size, mask, count;
    uint16_t oldest, newest, unused; /* lists of entries */
    uint32_t sequence;               /* given last */
};

enum { SMPP_WINDOW_MAX = 10000 };
#define SMPP_SEQUENCE_MAX UINT32_C(0x7fffffff)

int smpp_window_init(struct smpp_window *w, unsigned size);
void smpp_window_done(struct smpp_window *w);
/* Of a new connection: begins to count at 1. The window is empty. */
void smpp_window_begin(struct smpp_window *w);
/* The next number that no request in the window has: 1 to 0x7FFFFFFF, then 1 again. */
uint32_t smpp_window_sequence(struct smpp_window *w);
/* There is room. Deadlines never go back. */
void smpp_window_put(struct smpp_window *w, uint32_t sequence, void *request, int64_t deadline_us);
/* Takes it out; false when there is none with this number. */
bool smpp_window_take(struct smpp_window *w, uint32_t sequence, void **ret_request);
/* Takes the oldest out; false when it is empty. */
bool smpp_window_take_oldest(struct smpp_window *w, void **ret_request);
/* Whether the oldest is over its time. */
bool smpp_window_is_late(const struct smpp_window *w, int64_t now_us);
