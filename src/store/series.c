#include "store/series.h"

#include "base/random.h"
#include "base/siphash.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_BITS = 6, FIRST_NUMBER = 2 }; /* 0 and 1 take no room on disk: rows would grow */
#define TEXTS_MAX ((size_t)1 << 30)

enum entry_kind {
    ENTRY_SERIES,
    ENTRY_TAGS, /* a set of tags that is told apart: `series` has it and the owner */
    ENTRY_OWNER,
};

struct series_entry {
    uint64_t hash;
    enum entry_kind kind;
    struct series_record series; /* of an owner: its highest number */
    size_t tag_sets;             /* of an owner; without the empty one */
    bool has_others;             /* of an owner: there is a series of other tags */
};

void series_init(struct series_table *t)
{
    *t = (struct series_table){0};
    random_secret(t->key, sizeof t->key);
    arena_init(&t->texts, TEXTS_MAX);
}

void series_done(struct series_table *t)
{
    arena_done(&t->texts);
    free(t->entries);
    free(t->slots);
    *t = (struct series_table){0};
}

void series_clear(struct series_table *t)
{
    arena_reset(&t->texts);
    t->count = t->last = 0;
    if (t->slots)
        memset(t->slots, 0, sizeof *t->slots << t->bits);
}

/* ---- what a message belongs to ---- */

static int compare(struct str a, struct str b)
{
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Into its place among those that are sorted already, unless it is there. */
static size_t insert(struct str *tags, size_t count, struct str tag)
{
    size_t at = count;

    while (at > 0 && compare(tags[at - 1], tag) > 0)
        at--;
    if (at > 0 && str_eq(tags[at - 1], tag))
        return count;
    memmove(&tags[at + 1], &tags[at], (count - at) * sizeof *tags);
    tags[at] = tag;
    return count + 1;
}

struct str series_tags(struct str tags, char room[SERIES_TAGS_SIZE])
{
    struct str sorted[SERIES_TAGS_COUNT + 1], rest = tags;
    size_t count = 0, used = 0;

    if (tags.n > SERIES_TAGS_SIZE)
        return (struct str){0};
    if (tags.n == 0 || !memchr(tags.p, '\n', tags.n))
        return (struct str){tags.n ? tags.p : "", tags.n};
    while (rest.p && count <= SERIES_TAGS_COUNT)
        count = insert(sorted, count, str_cut(&rest, '\n'));
    if (count > SERIES_TAGS_COUNT)
        return (struct str){0};
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            room[used++] = '\n';
        memcpy(room + used, sorted[i].p, sorted[i].n);
        used += sorted[i].n;
    }
    return (struct str){room, used};
}

static void set_other_tags(struct series_record *r)
{
    r->other_tags = true;
    r->tags = STR("");
}

void series_of_message(struct series_record *ret, const struct message *m,
                       char room[SERIES_TAGS_SIZE])
{
    *ret = (struct series_record){.account = m->account,
                                  .mode = m->mode,
                                  .direction = m->direction,
                                  .kind = m->kind,
                                  .type = m->type,
                                  .number_type = m->number_type,
                                  .sender = STR(""),
                                  .tags = series_tags(m->tags, room)};
    if (m->country[0])
        memcpy(ret->country, m->country, sizeof ret->country);
    if (m->direction == DIRECTION_OUTBOUND && m->from.n)
        ret->sender = m->from;
    if (!ret->tags.p)
        set_other_tags(ret);
}

bool series_has_tag(const struct series_record *r, struct str tag)
{
    for (struct str rest = r->tags; rest.n;)
        if (str_eq(str_cut(&rest, '\n'), tag))
            return true;
    return false;
}

/* ---- finding ---- */

static uint64_t hash_of(const struct series_table *t, enum entry_kind kind,
                        const struct series_record *r)
{
    struct siphash h;
    uint64_t out[2];
    uint64_t small = (uint64_t)kind | (uint64_t)r->direction << 8 | (uint64_t)r->kind << 16 |
                     (uint64_t)r->type << 24 | (uint64_t)r->number_type << 32 |
                     (uint64_t)(uint8_t)r->country[0] << 40 |
                     (uint64_t)(uint8_t)r->country[1] << 48 | (uint64_t)r->other_tags << 56;

    siphash_init(&h, t->key);
    siphash_u64(&h, (uint64_t)r->account * 2 + r->mode);
    siphash_u64(&h, small);
    siphash_text(&h, r->sender);
    siphash_text(&h, r->tags);
    siphash_done(&h, (uint8_t *)out);
    return out[0];
}

static bool same_series(const struct series_record *a, const struct series_record *b)
{
    return a->account == b->account && a->mode == b->mode && a->direction == b->direction &&
           a->kind == b->kind && a->type == b->type && a->number_type == b->number_type &&
           memcmp(a->country, b->country, 2) == 0 && a->other_tags == b->other_tags &&
           str_eq(a->sender, b->sender) && str_eq(a->tags, b->tags);
}

/* The slot that has it, or the free one where it would be. There is always a free one. */
static uint32_t *slot_of(const struct series_table *t, enum entry_kind kind, uint64_t hash,
                         const struct series_record *r)
{
    size_t mask = ((size_t)1 << t->bits) - 1;

    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        const struct series_entry *e = &t->entries[t->slots[at] - 1];
        if (t->slots[at] == 0 || (e->hash == hash && e->kind == kind && same_series(&e->series, r)))
            return &t->slots[at];
    }
}

static struct series_entry *find(const struct series_table *t, enum entry_kind kind,
                                 const struct series_record *r)
{
    if (t->count == 0)
        return NULL;
    uint32_t slot = *slot_of(t, kind, hash_of(t, kind, r), r);
    return slot ? &t->entries[slot - 1] : NULL;
}

static struct series_record owner_key(int64_t account, enum mode mode)
{
    return (struct series_record){
        .account = account, .mode = mode, .sender = STR(""), .tags = STR("")};
}

static struct series_record tags_key(const struct series_record *r)
{
    struct series_record key = owner_key(r->account, r->mode);

    key.tags = r->tags;
    return key;
}

static struct series_entry *find_owner(const struct series_table *t, int64_t account,
                                       enum mode mode)
{
    struct series_record key = owner_key(account, mode);
    return find(t, ENTRY_OWNER, &key);
}

void series_settle(const struct series_table *t, struct series_record *r, size_t max)
{
    if (r->tags.n == 0)
        return;
    struct series_record key = tags_key(r);
    if (find(t, ENTRY_TAGS, &key))
        return;
    const struct series_entry *owner = find_owner(t, r->account, r->mode);
    if (owner && (owner->has_others || owner->tag_sets >= max))
        set_other_tags(r);
}

/* Messages that follow each other are often of the same series. */
int64_t series_find(struct series_table *t, const struct series_record *r)
{
    if (t->count == 0)
        return 0;
    const struct series_entry *last = &t->entries[t->last];
    if (last->kind == ENTRY_SERIES && same_series(&last->series, r))
        return last->series.id;
    const struct series_entry *e = find(t, ENTRY_SERIES, r);
    if (!e)
        return 0;
    t->last = (size_t)(e - t->entries);
    return e->series.id;
}

int64_t series_next(const struct series_table *t, int64_t account, enum mode mode)
{
    const struct series_entry *owner = find_owner(t, account, mode);
    return owner ? owner->series.id + 1 : FIRST_NUMBER;
}

/* ---- remembering ---- */

/* Twice as many slots as entries, at least. */
static int grow(struct series_table *t)
{
    unsigned bits = t->slots ? t->bits + 1 : FIRST_BITS;
    size_t room = (size_t)1 << (bits - 1);
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);
    struct series_entry *entries = calloc(room, sizeof *entries);

    if (!entries || !slots) {
        free(entries);
        free(slots);
        return -ENOMEM;
    }
    if (t->entries)
        memcpy(entries, t->entries, t->count * sizeof *entries);
    free(t->entries);
    free(t->slots);
    t->entries = entries;
    t->slots = slots;
    t->bits = bits;
    t->room = room;
    for (size_t i = 0; i < t->count; i++) {
        const struct series_entry *e = &t->entries[i];
        *slot_of(t, e->kind, e->hash, &e->series) = (uint32_t)i + 1;
    }
    return 0;
}

/* The entry, new if there was none; NULL when memory is short. */
static struct series_entry *put(struct series_table *t, enum entry_kind kind,
                                const struct series_record *r)
{
    struct series_entry *known = find(t, kind, r);

    if (known)
        return known;
    if (t->count == t->room && grow(t) != 0)
        return NULL;
    struct series_entry e = {.hash = hash_of(t, kind, r), .kind = kind, .series = *r};
    e.series.sender = arena_copy(&t->texts, r->sender);
    e.series.tags = arena_copy(&t->texts, r->tags);
    if (!e.series.sender.p || !e.series.tags.p)
        return NULL;
    *slot_of(t, kind, e.hash, r) = (uint32_t)t->count + 1;
    t->entries[t->count] = e;
    return &t->entries[t->count++];
}

int series_put(struct series_table *t, const struct series_record *r)
{
    struct series_record key = owner_key(r->account, r->mode), tags = tags_key(r);

    if (!put(t, ENTRY_SERIES, r) || !put(t, ENTRY_OWNER, &key))
        return -ENOMEM;
    size_t before = t->count;
    if (r->tags.n && !put(t, ENTRY_TAGS, &tags))
        return -ENOMEM;
    struct series_entry *owner = find_owner(t, r->account, r->mode);
    owner->tag_sets += t->count - before;
    owner->has_others |= r->other_tags;
    if (owner->series.id < r->id)
        owner->series.id = r->id;
    return 0;
}
