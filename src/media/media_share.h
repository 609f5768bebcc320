/* Who may have how much of what is scarce at the desk: places for messages, and connections. Pure.
 *
 * What is promised, whatever hangs:
 * - Test messages have a quarter at most, all of them together.
 * - An account gets no more when it has as much as is left over. So one alone has half at most, two
 *   have a third each, and a share that was large shrinks when others come.
 * - A host gets no more when it has half as much as is left over. So one alone has a third at most.
 *
 * Accounts and hosts are counted in slots; those that share one share its limit, which does little
 * harm. */
#pragma once

#include "store/records.h"

enum { MEDIA_SHARE_SLOTS = 1024 };

/* For whom. */
struct media_claim {
    uint16_t account, host; /* slots */
    bool test;
};

struct media_shares {
    size_t all, taken, test; /* test: of those that are taken */
    uint16_t accounts[MEDIA_SHARE_SLOTS], hosts[MEDIA_SHARE_SLOTS];
};

/* For a file at this address; of several lines the first counts. */
struct media_claim media_claim_of(const struct message *m, struct str url);

void media_shares_init(struct media_shares *s, size_t all);
bool media_shares_have_room(const struct media_shares *s, const struct media_claim *c);
void media_shares_take(struct media_shares *s, const struct media_claim *c);
void media_shares_give(struct media_shares *s, const struct media_claim *c);
