/* How fast a carrier is fed: a bucket of segments that fills at the allowed rate. Throttling halves
 * the rate; it comes back by a tenth each second. Pure: the caller tells the
 * time, which never goes back. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct smpp_rate {
    double configured; /* segments a second; 0: any number */
    double known;      /* where it was when it had to slow down; of the configured rate: that */
    double allowed;    /* now; 0: any number */
    double tokens;
    int64_t filled_us;
    int64_t slowed_us;          /* 0: never */
    int64_t second;             /* in which `sent` is counted */
    unsigned sent, sent_before; /* in this second; in the one before */
};

void smpp_rate_init(struct smpp_rate *r, unsigned per_second, int64_t now_us);
/* May one more segment go? Then it is counted. */
bool smpp_rate_take(struct smpp_rate *r, int64_t now_us);
/* Microseconds until a segment may go; 0: now. */
int64_t smpp_rate_wait_us(struct smpp_rate *r, int64_t now_us);
/* The carrier is too busy: half as fast. Several such words within a second are one, because a
 * whole window may come back with them. */
void smpp_rate_slow_down(struct smpp_rate *r, int64_t now_us);
/* Each second: recovers. */
void smpp_rate_tick(struct smpp_rate *r, int64_t now_us);

/* How long a bind that was throttled keeps still. */
struct smpp_pause {
    int64_t until_us;
    int64_t length_us; /* of the last pause; 0: the next is the shortest */
};

/* A segment came back as throttled. True when a pause begins, false when it was on already. A pause
 * after which nothing was taken before the next one is doubled, up to a minute. */
bool smpp_pause_begin(struct smpp_pause *p, int64_t now_us);
/* It is not the first in a row. */
bool smpp_pause_goes_on(const struct smpp_pause *p, int64_t now_us);
/* A segment was taken. */
void smpp_pause_forget(struct smpp_pause *p, int64_t now_us);
static inline bool smpp_pause_is_on(const struct smpp_pause *p, int64_t now_us)
{
    return now_us < p->until_us;
}
