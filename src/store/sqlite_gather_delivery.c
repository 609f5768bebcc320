/* New deliveries and their counts, gathered while a transaction runs; see sqlite_gather.h. */
#include "store/sqlite_delivery.h"
#include "store/sqlite_outbox.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int delivery_flush(struct sqlite_store *s)
{
    struct outbox *o = s->outbox;
    size_t count = o->delivery_count;
    int failed = 0;

    o->delivery_count = 0;
    if (count == GATHER_ROWS)
        return run_with(s, WRITE_DELIVERY_PUT_MANY, o->deliveries[0],
                        GATHER_ROWS * DELIVERY_COLUMNS);
    for (size_t i = 0; i < count && !failed; i++)
        failed = run_with(s, WRITE_DELIVERY_PUT, o->deliveries[i], DELIVERY_COLUMNS);
    return failed;
}

int delivery_gather(struct sqlite_store *s, const struct delivery_record *d)
{
    struct outbox *o = s->outbox;
    const int64_t row[DELIVERY_COLUMNS] = {d->id,
                                           d->endpoint,
                                           d->account,
                                           d->mode,
                                           d->notice,
                                           d->kind,
                                           d->message,
                                           d->created_us,
                                           d->due_us,
                                           d->state,
                                           d->attempts + DELIVERY_COUNTS_FROM,
                                           d->tries + DELIVERY_COUNTS_FROM};

    memcpy(o->deliveries[o->delivery_count++], row, sizeof row);
    store_note_news(&s->base, d->endpoint);
    int failed = delivery_tally(s, d, d->state, 1);
    if (!failed && o->delivery_count == GATHER_ROWS)
        failed = delivery_flush(s);
    return failed;
}

int sqlite_delivery_add(struct store *base, const struct delivery_record *d)
{
    return delivery_gather(sqlite_of(base), d);
}

/* ---- counts ---- */

/* What is taken from an endpoint that was removed, is taken from nowhere: it went with it. */
static int write_tally(struct sqlite_store *s, const struct delivery_delta *d)
{
    bool more = d->count > 0;
    int failed = RUN_WITH(s, more ? WRITE_DELIVERY_TALLY_ADD : WRITE_DELIVERY_TALLY_TAKE,
                          d->endpoint, d->mode, d->state, d->count);

    if (failed || (!more && sqlite3_changes(s->db) == 0))
        return failed;
    return tally_count(s, TALLY_HOOK, owner_of(d->account, d->mode), d->state, d->count);
}

int delivery_flush_tallies(struct sqlite_store *s)
{
    struct outbox *o = s->outbox;
    int failed = 0;

    for (size_t i = 0; i < o->tally_count && !failed; i++)
        if (o->tallies[i].count)
            failed = write_tally(s, &o->tallies[i]);
    o->tally_count = 0;
    return failed;
}

int delivery_tally(struct sqlite_store *s, const struct delivery_record *d,
                   enum delivery_state state, int delta)
{
    struct outbox *o = s->outbox;

    for (size_t i = 0; i < o->tally_count; i++)
        if (o->tallies[i].endpoint == d->endpoint && o->tallies[i].mode == d->mode &&
            o->tallies[i].state == state) {
            o->tallies[i].count += delta;
            return 0;
        }
    int failed = o->tally_count == DELIVERY_TALLIES ? delivery_flush_tallies(s) : 0;
    o->tallies[o->tally_count++] =
        (struct delivery_delta){d->endpoint, d->account, d->mode, state, delta};
    return failed;
}

/* What is counted of an endpoint is no longer counted of its account. */
static int uncount_endpoint(struct sqlite_store *s, int64_t endpoint, int64_t account)
{
    sqlite3_stmt *rows = s->statements[WRITE_DELIVERY_TALLY_OF];
    int code, failed = 0;

    BIND_NUMBERS(rows, endpoint);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed)
        failed =
            tally_count(s, TALLY_HOOK, owner_of(account, (enum mode)sqlite3_column_int(rows, 0)),
                        (unsigned)sqlite3_column_int(rows, 1), -sqlite3_column_int64(rows, 2));
    sqlite3_reset(rows);
    return failed || code == SQLITE_DONE ? failed : sqlite_failed(s);
}

int delivery_drop_tallies(struct sqlite_store *s, int64_t endpoint, int64_t account)
{
    int failed = delivery_flush_tallies(s);

    if (!failed)
        failed = uncount_endpoint(s, endpoint, account);
    return failed ? failed : RUN_WITH(s, WRITE_DELIVERY_TALLY_DELETE, endpoint);
}

/* ---- others of the same message ---- */

int delivery_others(struct sqlite_store *s, int64_t message, int64_t endpoint, int64_t id,
                    int64_t *ret_until_us, bool *ret_behind)
{
    sqlite3_stmt *get = s->statements[WRITE_DELIVERY_OTHERS];

    BIND_NUMBERS(get, message, endpoint, id);
    int code = sqlite3_step(get);
    *ret_until_us = code == SQLITE_ROW ? sqlite3_column_int64(get, 0) : 0;
    *ret_behind = code == SQLITE_ROW && sqlite3_column_int(get, 1);
    sqlite3_reset(get);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : sqlite_failed(s);
}
