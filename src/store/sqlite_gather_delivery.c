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
    int failed = delivery_tally(s, d->endpoint, d->mode, d->state, 1);
    if (!failed && o->delivery_count == GATHER_ROWS)
        failed = delivery_flush(s);
    return failed;
}

int sqlite_delivery_add(struct store *base, const struct delivery_record *d)
{
    return delivery_gather(sqlite_of(base), d);
}

/* ---- counts ---- */

int delivery_flush_tallies(struct sqlite_store *s)
{
    struct outbox *o = s->outbox;
    int failed = 0;

    for (size_t i = 0; i < o->tally_count && !failed; i++) {
        const struct delivery_delta *d = &o->tallies[i];
        if (d->count)
            failed =
                RUN_WITH(s, d->count > 0 ? WRITE_DELIVERY_TALLY_ADD : WRITE_DELIVERY_TALLY_TAKE,
                         d->endpoint, d->mode, d->state, d->count);
    }
    o->tally_count = 0;
    return failed;
}

int delivery_tally(struct sqlite_store *s, int64_t endpoint, enum mode mode,
                   enum delivery_state state, int delta)
{
    struct outbox *o = s->outbox;

    for (size_t i = 0; i < o->tally_count; i++)
        if (o->tallies[i].endpoint == endpoint && o->tallies[i].mode == mode &&
            o->tallies[i].state == state) {
            o->tallies[i].count += delta;
            return 0;
        }
    int failed = o->tally_count == DELIVERY_TALLIES ? delivery_flush_tallies(s) : 0;
    o->tallies[o->tally_count++] = (struct delivery_delta){endpoint, mode, state, delta};
    return failed;
}

int delivery_drop_tallies(struct sqlite_store *s, int64_t endpoint)
{
    struct outbox *o = s->outbox;

    for (size_t i = 0; i < o->tally_count; i++)
        if (o->tallies[i].endpoint == endpoint)
            o->tallies[i].count = 0;
    return RUN_WITH(s, WRITE_DELIVERY_TALLY_DELETE, endpoint);
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
