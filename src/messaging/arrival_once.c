#include "messaging/arrival_once.h"

#include "base/siphash.h"

#include <errno.h>

struct arrival_once arrival_once_of(const struct store *s, const struct arrival *a, struct str to)
{
    struct arrival_once o = {.known = a->transaction.n > 0, .within_us = a->within_us};
    struct siphash hash;

    _Static_assert((int)SIPHASH_SIZE == (int)ONCE_KEY_SIZE, "a hash is a key");
    if (!o.known)
        return o;
    siphash_init(&hash, store_secret(s));
    siphash_text(&hash, STR("arrival")); /* no path begins so: it is never a client's key */
    siphash_u64(&hash, a->carrier);
    siphash_text(&hash, a->transaction);
    siphash_text(&hash, a->from);
    siphash_text(&hash, to);
    siphash_text(&hash, a->subject);
    siphash_text(&hash, a->text);
    for (size_t i = 0; i < a->media_count; i++) {
        const struct media_record *m = &a->media[i].record;
        siphash_text(&hash, (struct str){(const char *)m->hash, sizeof m->hash});
    }
    if (a->stamp_us)
        siphash_u64(&hash, (uint64_t)a->stamp_us);
    siphash_done(&hash, o.key);
    return o;
}

int arrival_once_find(const struct arrival_once *o, struct store *s, const struct message *m,
                      struct arena *a)
{
    struct once_record record;

    if (!o->known)
        return 0;
    int64_t within_us = o->within_us ? o->within_us : INT64_MAX;
    int failed = store_once_find_within(s, m->account, m->mode, o->key, within_us, a, &record);
    if (failed)
        return failed == -ENOENT ? 0 : failed;
    return 1;
}

int arrival_once_keep(const struct arrival_once *o, struct store *s, const struct message *m)
{
    struct once_record record = {
        .account = m->account, .mode = m->mode, .message = m->id, .answer = STR("")};

    if (!o->known)
        return 0;
    memcpy(record.key, o->key, sizeof record.key);
    return store_once_keep(s, &record);
}
