/* From a change of status to a notice, and from the notice to a delivery for each endpoint that
 * wants it, all in the transaction of the change. */
#include "store/sqlite_outbox.h"

#include "store/origin.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

/* ---- transactions ---- */

static int load_wishes(struct sqlite_store *s)
{
    sqlite3_stmt *rows = s->statements[WRITE_ENDPOINT_WISHES];
    int code, failed = 0;

    wishes_clear(&s->outbox->wishes);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        const struct wish w = {.endpoint = sqlite3_column_int64(rows, 0),
                               .modes = (uint32_t)sqlite3_column_int64(rows, 2),
                               .kinds = sqlite3_column_int(rows, 4)
                                            ? UINT32_MAX
                                            : (uint32_t)sqlite3_column_int64(rows, 3)};
        failed = wishes_put(&s->outbox->wishes, sqlite3_column_int64(rows, 1), &w);
    }
    sqlite3_reset(rows);
    if (!failed && code != SQLITE_DONE)
        failed = sqlite_failed(s);
    s->outbox->known = !failed;
    return failed;
}

static void clear(struct outbox *o)
{
    o->pack_count = o->delivery_count = o->tally_count = 0;
    o->changed = false;
}

int outbox_begin(struct sqlite_store *s)
{
    struct outbox *o = s->outbox;

    clear(o);
    o->now_us = clock_now_us(s->base.clock);
    return o->known ? 0 : load_wishes(s);
}

int outbox_flush(struct sqlite_store *s)
{
    int failed = notice_flush(s);

    if (!failed)
        failed = delivery_flush(s);
    return failed ? failed : delivery_flush_tallies(s);
}

void outbox_forget(struct sqlite_store *s)
{
    if (s->outbox->changed)
        outbox_doubt(s);
    clear(s->outbox);
}

void outbox_doubt(struct sqlite_store *s)
{
    s->outbox->known = false;
}

/* ---- deliveries for a notice ---- */

/* A notice waits at least as long as those of its message before it. */
static int add_delivery(struct sqlite_store *s, const struct notice_record *n, int64_t endpoint)
{
    struct delivery_record d = {.endpoint = endpoint,
                                .account = n->account,
                                .mode = n->mode,
                                .notice = n->id,
                                .kind = n->kind,
                                .message = n->message,
                                .state = DELIVERY_WAITING,
                                .created_us = s->outbox->now_us,
                                .due_us = s->outbox->now_us};
    int64_t until_us = 0;
    bool behind;
    int failed = 0;

    d.id = id_next(&s->base.ids, d.created_us);
    if (n->id != n->message)
        failed = delivery_others(s, d.message, endpoint, d.id, &until_us, &behind);
    if (until_us > d.due_us)
        d.due_us = until_us;
    return failed ? failed : delivery_gather(s, &d);
}

static int tell_endpoints(struct sqlite_store *s, const struct notice_record *n)
{
    const struct account_wishes *a = wishes_find(&s->outbox->wishes, n->account);
    int failed = 0;

    if (!a || !(a->kinds[n->mode] & notice_bit(n->kind)))
        return 0;
    for (unsigned i = 0; i < a->count && !failed; i++)
        if (a->wishes[i].modes & 1u << n->mode && a->wishes[i].kinds & notice_bit(n->kind))
            failed = add_delivery(s, n, a->wishes[i].endpoint);
    return failed;
}

/* The endpoint of the address that a message has brought along; 0 = none. */
static int find_hook(struct sqlite_store *s, const struct notice_record *n, int64_t *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_MESSAGE_HOOK];
    char origin[ORIGIN_MAX];
    size_t size = 0;

    BIND_NUMBERS(get, n->message);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        size = origin_of(column_view(get, 0), origin);
    sqlite3_reset(get);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sqlite_failed(s);
    return size ? endpoint_of_origin(s, n->account, (struct str){origin, size}, ret) : 0;
}

static int tell_hook(struct sqlite_store *s, const struct notice_record *n)
{
    int64_t endpoint = 0;
    int failed = find_hook(s, n, &endpoint);

    return failed || !endpoint ? failed : add_delivery(s, n, endpoint);
}

/* ---- notices ---- */

/* The message is the row of its first notice. */
int outbox_accepted(struct sqlite_store *s, const struct message *m)
{
    if (s->outbox->wishes.count == 0)
        return 0;
    return tell_endpoints(s, &(struct notice_record){.id = m->id,
                                                     .account = m->account,
                                                     .mode = m->mode,
                                                     .kind = (enum notice_kind)m->status,
                                                     .message = m->id,
                                                     .at_us = m->created_us});
}

static int tell(struct sqlite_store *s, const struct notice_record *n, bool hooked)
{
    int failed = notice_gather(s, n);

    if (!failed)
        failed = tell_endpoints(s, n);
    if (!failed && hooked && HOOK_KINDS & notice_bit(n->kind))
        failed = tell_hook(s, n);
    return failed;
}

int outbox_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was)
{
    bool sent = move->to == STATUS_SENT;
    struct notice_record n = {.id = id_next(&s->base.ids, s->outbox->now_us),
                              .account = was->owner >> 1,
                              .mode = (enum mode)(was->owner & 1),
                              .kind = (enum notice_kind)move->to,
                              .message = move->id,
                              .at_us = move->at_us,
                              .sent_us = sent ? move->at_us : time_if_any(was->sent_us),
                              .failure = move->failure,
                              .retry_count = was->retry_count,
                              .carrier = was->carrier};

    return tell(s, &n, was->hooked);
}

int sqlite_notice_add(struct store *base, const struct notice_record *n)
{
    return tell(sqlite_of(base), n, false);
}
