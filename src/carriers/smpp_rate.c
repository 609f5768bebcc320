#include "carriers/smpp_rate.h"

enum {
    SECOND_US = 1000000,
    BURSTS_A_SECOND = 10, /* the bucket holds a tenth of a second's worth */
    RECOVERIES = 10,      /* seconds from nothing to the known rate */
    KNOWN_LEAST = 10, /* what was measured in a quiet hour says little of what a carrier takes */
    LIFTED_AT = 4,    /* times the known rate: what was not configured is free again */
    PAUSE_FIRST_US = 1000000,      /* Kannel's, and it doubles */
    PAUSE_MAX_US = 60 * SECOND_US, /* carriers are known that ask for this */
};

static double bucket_size(const struct smpp_rate *r)
{
    double size = r->allowed / BURSTS_A_SECOND;
    return size < 1 ? 1 : size;
}

static void fill(struct smpp_rate *r, int64_t now_us)
{
    int64_t passed_us = now_us - r->filled_us;

    r->filled_us = now_us;
    if (r->allowed == 0)
        return;
    r->tokens += r->allowed * (double)passed_us / SECOND_US;
    if (r->tokens > bucket_size(r))
        r->tokens = bucket_size(r);
}

static void count(struct smpp_rate *r, int64_t now_us)
{
    int64_t second = now_us / SECOND_US;

    if (second != r->second) {
        r->sent_before = second == r->second + 1 ? r->sent : 0;
        r->sent = 0;
        r->second = second;
    }
    r->sent++;
}

void smpp_rate_init(struct smpp_rate *r, unsigned per_second, int64_t now_us)
{
    *r = (struct smpp_rate){.configured = per_second,
                            .known = per_second,
                            .allowed = per_second,
                            .filled_us = now_us,
                            .second = now_us / SECOND_US};
    r->tokens = bucket_size(r);
}

bool smpp_rate_take(struct smpp_rate *r, int64_t now_us)
{
    if (r->allowed != 0) {
        fill(r, now_us);
        if (r->tokens < 1)
            return false;
        r->tokens -= 1;
    }
    count(r, now_us);
    return true;
}

int64_t smpp_rate_wait_us(struct smpp_rate *r, int64_t now_us)
{
    if (r->allowed == 0)
        return 0;
    fill(r, now_us);
    if (r->tokens >= 1)
        return 0;
    return (int64_t)((1 - r->tokens) * SECOND_US / r->allowed) + 1;
}

/* What went in a second lately. */
static double measured(const struct smpp_rate *r)
{
    unsigned most = r->sent > r->sent_before ? r->sent : r->sent_before;
    return most ? most : 1;
}

void smpp_rate_slow_down(struct smpp_rate *r, int64_t now_us)
{
    if (r->slowed_us && now_us - r->slowed_us < SECOND_US)
        return;
    r->slowed_us = now_us;
    if (r->allowed == 0)
        r->allowed = measured(r);
    if (r->configured == 0)
        r->known = r->allowed < KNOWN_LEAST ? KNOWN_LEAST : r->allowed;
    r->allowed = r->allowed / 2 < 1 ? 1 : r->allowed / 2;
    r->filled_us = now_us;
    if (r->tokens > bucket_size(r))
        r->tokens = bucket_size(r);
}

/* Without a configured rate nobody knows the limit, so it is felt for, slowly, until it is far
 * away. */
void smpp_rate_tick(struct smpp_rate *r, int64_t now_us)
{
    if (r->allowed == r->configured || now_us - r->slowed_us < SECOND_US)
        return;
    fill(r, now_us);
    r->allowed += r->known / RECOVERIES;
    if (r->configured != 0 && r->allowed > r->configured)
        r->allowed = r->configured;
    if (r->configured == 0 && r->allowed > r->known * LIFTED_AT)
        r->allowed = 0;
}

bool smpp_pause_begin(struct smpp_pause *p, int64_t now_us)
{
    if (smpp_pause_is_on(p, now_us))
        return false;
    p->length_us = p->length_us ? p->length_us * 2 : PAUSE_FIRST_US;
    if (p->length_us > PAUSE_MAX_US)
        p->length_us = PAUSE_MAX_US;
    p->until_us = now_us + p->length_us;
    return true;
}

bool smpp_pause_goes_on(const struct smpp_pause *p, int64_t now_us)
{
    return smpp_pause_is_on(p, now_us) && p->length_us > PAUSE_FIRST_US;
}

/* What was sent before the pause may still be taken while it lasts, and says nothing. */
void smpp_pause_forget(struct smpp_pause *p, int64_t now_us)
{
    if (!smpp_pause_is_on(p, now_us))
        p->length_us = 0;
}
