#include "store/wishes.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

enum { FIRST_BITS = 4 };

void wishes_done(struct wish_table *t)
{
    free(t->accounts);
    free(t->slots);
    *t = (struct wish_table){0};
}

void wishes_clear(struct wish_table *t)
{
    t->count = 0;
    if (t->slots)
        memset(t->slots, 0, sizeof *t->slots << t->bits);
}

/* The slot of an account, or the free one where it would be. There is always a free one. */
static uint32_t *slot_of(const struct wish_table *t, int64_t account)
{
    size_t mask = ((size_t)1 << t->bits) - 1;
    size_t at = (uint64_t)account * 0x9e3779b97f4a7c15 >> (64 - t->bits);

    while (t->slots[at] && t->accounts[t->slots[at] - 1].account != account)
        at = (at + 1) & mask;
    return &t->slots[at];
}

static struct account_wishes *find(const struct wish_table *t, int64_t account)
{
    if (t->count == 0)
        return NULL;
    uint32_t slot = *slot_of(t, account);
    return slot ? &t->accounts[slot - 1] : NULL;
}

const struct account_wishes *wishes_find(const struct wish_table *t, int64_t account)
{
    return find(t, account);
}

/* Twice as many slots as accounts, at least. */
static int grow(struct wish_table *t)
{
    unsigned bits = t->slots ? t->bits + 1 : FIRST_BITS;
    size_t room = (size_t)1 << (bits - 1);
    struct account_wishes *accounts = calloc(room, sizeof *accounts);
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);

    if (!accounts || !slots) {
        free(accounts);
        free(slots);
        return -ENOMEM;
    }
    if (t->accounts)
        memcpy(accounts, t->accounts, t->count * sizeof *accounts);
    free(t->accounts);
    free(t->slots);
    t->accounts = accounts;
    t->slots = slots;
    t->bits = bits;
    t->room = room;
    for (size_t i = 0; i < t->count; i++)
        *slot_of(t, t->accounts[i].account) = (uint32_t)i + 1;
    return 0;
}

static struct account_wishes *add_account(struct wish_table *t, int64_t account)
{
    if (t->count == t->room && grow(t) != 0)
        return NULL;
    assert(t->accounts);
    t->accounts[t->count] = (struct account_wishes){.account = account};
    *slot_of(t, account) = (uint32_t)++t->count;
    return &t->accounts[t->count - 1];
}

static void sum_up(struct account_wishes *a)
{
    a->kinds[MODE_TEST] = a->kinds[MODE_LIVE] = 0;
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned mode = MODE_TEST; mode <= MODE_LIVE; mode++)
            if (a->wishes[i].modes & 1u << mode)
                a->kinds[mode] |= a->wishes[i].kinds;
}

int wishes_put(struct wish_table *t, int64_t account, const struct wish *w)
{
    struct account_wishes *a = find(t, account);
    unsigned at = 0;

    if (!a)
        a = add_account(t, account);
    if (!a)
        return -ENOMEM;
    while (at < a->count && a->wishes[at].endpoint != w->endpoint)
        at++;
    if (at == ENDPOINTS_MAX)
        return -EDQUOT;
    if (at == a->count)
        a->count++;
    a->wishes[at] = *w;
    sum_up(a);
    return 0;
}

void wishes_remove(struct wish_table *t, int64_t account, int64_t endpoint)
{
    struct account_wishes *a = find(t, account);
    unsigned kept = 0;

    if (!a)
        return;
    for (unsigned i = 0; i < a->count; i++)
        if (a->wishes[i].endpoint != endpoint)
            a->wishes[kept++] = a->wishes[i];
    a->count = kept;
    sum_up(a);
}
