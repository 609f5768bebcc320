/* A ring of entries and two ways to them, by id and by id and destination. Each is a list of those
 * that share a slot, newest first, linked by turn: the number under which an entry came. A turn
 * whose entry was overwritten leads nowhere, and so do all behind it, because they are older. So
 * entries are never taken out of a list.
 *
 * Some carriers give the same id to every message; that is what the second way is for. */
#include "messaging/reference_table.h"

#include <errno.h>
#include <stdlib.h>

struct entry {
    struct reference_entry is;
    uint32_t turn;
    uint32_t next_by_id, next_by_both; /* turns; 0: none */
};

struct reference_table {
    uint8_t key[SIPHASH_KEY_SIZE];
    uint32_t mask;
    uint32_t turn; /* given last */
    uint32_t *by_id, *by_both;
    struct entry *entries;
};

int reference_table_new(struct reference_table **ret, unsigned bits,
                        const uint8_t key[SIPHASH_KEY_SIZE])
{
    struct reference_table *t = calloc(1, sizeof *t);
    size_t size = (size_t)1 << bits;

    *ret = NULL;
    if (!t)
        return -ENOMEM;
    memcpy(t->key, key, sizeof t->key);
    t->mask = (uint32_t)size - 1;
    t->by_id = calloc(size, sizeof *t->by_id);
    t->by_both = calloc(size, sizeof *t->by_both);
    t->entries = calloc(size, sizeof *t->entries);
    if (!t->by_id || !t->by_both || !t->entries) {
        reference_table_free(t);
        return -ENOMEM;
    }
    *ret = t;
    return 0;
}

void reference_table_free(struct reference_table *t)
{
    if (!t)
        return;
    free(t->by_id);
    free(t->by_both);
    free(t->entries);
    free(t);
}

/* ---- hashes ---- */

static uint64_t finish(struct siphash *s)
{
    uint8_t out[SIPHASH_SIZE];
    uint64_t hash;

    siphash_done(s, out);
    memcpy(&hash, out, sizeof hash);
    return hash;
}

uint64_t reference_hash(const struct reference_table *t, unsigned carrier, struct str id)
{
    struct siphash s;

    siphash_init(&s, t->key);
    siphash_u64(&s, carrier);
    siphash_text(&s, id);
    return finish(&s);
}

uint64_t reference_address(const struct reference_table *t, struct str address)
{
    struct siphash s;

    while (address.n && (address.p[0] == '+' || address.p[0] == '0'))
        address = str_skip(address, 1);
    siphash_init(&s, t->key);
    siphash_text(&s, address);
    return finish(&s);
}

/* ---- the ways ---- */

static uint32_t *way_by_id(const struct reference_table *t, uint64_t id)
{
    return &t->by_id[id & t->mask];
}

static uint32_t *way_by_both(const struct reference_table *t, uint64_t id, uint64_t destination)
{
    return &t->by_both[(id ^ destination * UINT64_C(0x9e3779b97f4a7c15)) & t->mask];
}

/* NULL when it was overwritten. */
static const struct entry *entry_of(const struct reference_table *t, uint32_t turn)
{
    const struct entry *e = &t->entries[turn & t->mask];

    return turn && e->turn == turn ? e : NULL;
}

void reference_table_add(struct reference_table *t, const struct reference_entry *is)
{
    uint32_t *by_id = way_by_id(t, is->id);
    uint32_t *by_both = way_by_both(t, is->id, is->destination);

    if (++t->turn == 0)
        t->turn = 1;
    t->entries[t->turn & t->mask] = (struct entry){*is, t->turn, *by_id, *by_both};
    *by_id = *by_both = t->turn;
}

bool reference_matches_add(struct reference_match matches[REFERENCE_MATCHES], size_t *count,
                           int64_t message, unsigned part)
{
    if (*count == 0 || matches[*count - 1].message != message) {
        if (*count == REFERENCE_MATCHES)
            return false;
        matches[(*count)++] = (struct reference_match){.message = message};
    }
    if (part)
        matches[*count - 1].parts |= UINT64_C(1) << (part - 1);
    return true;
}

static size_t find_by_both(const struct reference_table *t, uint64_t id, uint64_t destination,
                           struct reference_match ret[REFERENCE_MATCHES])
{
    const struct entry *e = entry_of(t, *way_by_both(t, id, destination));
    size_t count = 0;

    for (; e; e = entry_of(t, e->next_by_both))
        if (e->is.id == id && e->is.destination == destination &&
            !reference_matches_add(ret, &count, e->is.message, e->is.part))
            break;
    return count;
}

/* One match is enough to know, two tell that there are several. */
static size_t find_by_id(const struct reference_table *t, uint64_t id,
                         struct reference_match ret[REFERENCE_MATCHES])
{
    const struct entry *e = entry_of(t, *way_by_id(t, id));
    size_t count = 0;

    for (; e && count < 2; e = entry_of(t, e->next_by_id))
        if (e->is.id == id)
            reference_matches_add(ret, &count, e->is.message, e->is.part);
    return count;
}

bool reference_table_repeats(const struct reference_table *t, uint64_t id)
{
    struct reference_match found[REFERENCE_MATCHES];

    return find_by_id(t, id, found) > 1;
}

size_t reference_table_find(const struct reference_table *t, uint64_t id,
                            const struct reference_ends *ends, bool strict,
                            struct reference_match ret[REFERENCE_MATCHES])
{
    size_t count = find_by_id(t, id, ret);

    if (count == 0 || (count == 1 && !strict))
        return count;
    count = find_by_both(t, id, ends->source, ret);
    return count ? count : find_by_both(t, id, ends->destination, ret);
}
