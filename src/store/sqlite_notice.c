/* Notices, as they are written: those of a transaction in one row per owner. */
#include "store/sqlite_outbox.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

static int insert(struct sqlite_store *s, const struct notice_pack *p)
{
    sqlite3_stmt *put = s->statements[WRITE_NOTICE_PUT];
    int at = BIND_NUMBERS(put, p->first, p->owner, p->last, p->kinds);

    sqlite3_bind_blob(put, at, p->bytes, (int)p->size, SQLITE_STATIC);
    return run(s, WRITE_NOTICE_PUT);
}

/* All at once: so the highest number of all is in one of the newest rows, of which there are as
 * many as packs (see id_last in sql/message.sql). */
int notice_flush(struct sqlite_store *s)
{
    struct outbox *o = s->outbox;
    size_t count = o->pack_count;
    int failed = 0;

    o->pack_count = 0;
    for (size_t i = 0; i < count && !failed; i++)
        failed = insert(s, &o->packs[i]);
    return failed;
}

/* Of this owner; NULL when it has none, or a full one. */
static struct notice_pack *find_pack(struct outbox *o, int64_t owner, bool *ret_full)
{
    for (size_t i = o->pack_count; i-- > 0;)
        if (o->packs[i].owner == owner) {
            *ret_full = o->packs[i].count == NOTICE_PACK_COUNT;
            return *ret_full ? NULL : &o->packs[i];
        }
    *ret_full = o->pack_count == NOTICE_PACKS;
    return NULL;
}

int notice_gather(struct sqlite_store *s, const struct notice_record *n)
{
    struct outbox *o = s->outbox;
    int64_t owner = owner_of(n->account, n->mode);
    bool full;
    struct notice_pack *p = find_pack(o, owner, &full);
    int failed = full ? notice_flush(s) : 0;

    if (!p) {
        p = &o->packs[o->pack_count++];
        notice_pack_begin(p, owner, n->id);
    }
    notice_pack_add(p, n);
    return failed;
}
