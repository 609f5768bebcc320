/* What the writer remembers of endpoints: which of an account's want to be told of what. Every
 * change of status asks, and most accounts have none. */
#pragma once

#include "store/records.h"

struct wish {
    int64_t endpoint;
    uint32_t modes, kinds; /* bits; every kind: all of them */
};

struct account_wishes {
    int64_t account;
    uint32_t kinds[2]; /* by mode: those that any of them wants */
    unsigned count;
    struct wish wishes[ENDPOINTS_MAX]; /* by number */
};

/* Owned by the writing thread. Zeroed: empty. */
struct wish_table {
    struct account_wishes *accounts;
    size_t count, room;
    uint32_t *slots; /* place in `accounts` and one, by account; 0 = free */
    unsigned bits;   /* there are 1 << bits slots */
};

void wishes_done(struct wish_table *t);
void wishes_clear(struct wish_table *t);
/* NULL: none. Holds until the next put. */
const struct account_wishes *wishes_find(const struct wish_table *t, int64_t account);
/* In the place of what the endpoint wished before; -ENOMEM: as before; -EDQUOT: the account has
 * ENDPOINTS_MAX. */
int wishes_put(struct wish_table *t, int64_t account, const struct wish *w);
void wishes_remove(struct wish_table *t, int64_t account, int64_t endpoint);
