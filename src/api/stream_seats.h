/* How many streams each account has open, on all workers together. A mutex is inside. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { STREAMS_PER_ACCOUNT = 64 };

struct stream_seats;

struct stream_seats *stream_seats_new(void);
void stream_seats_free(struct stream_seats *s);
/* False when the account has as many as it may, or memory is short. */
bool stream_seat_take(struct stream_seats *s, int64_t account);
void stream_seat_leave(struct stream_seats *s, int64_t account);
