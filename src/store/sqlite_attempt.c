/* Deliveries as they go: tries, and being asked for again. */
#include "store/sqlite_delivery.h"
#include "store/sqlite_outbox.h"
#include "store/sqlite_pulse.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

/* ---- attempts ---- */

static int attempt_from_row(sqlite3_stmt *row, int64_t delivery, struct arena *a,
                            struct attempt_record *t)
{
    *t = (struct attempt_record){.delivery = delivery,
                                 .number = (unsigned)sqlite3_column_int(row, 0),
                                 .failover = sqlite3_column_int(row, 1),
                                 .at_us = sqlite3_column_int64(row, 2),
                                 .duration_us = sqlite3_column_int64(row, 3),
                                 .connect_us = sqlite3_column_int64(row, 4),
                                 .status = (unsigned)sqlite3_column_int(row, 5),
                                 .error = column_text(row, 6, a),
                                 .answer = column_text(row, 7, a),
                                 .signature = column_text(row, 8, a),
                                 .url = column_text(row, 9, a)};
    return t->error.p && t->answer.p && t->signature.p && t->url.p ? 0 : -ENOMEM;
}

int sqlite_attempt_list(struct store_reader *base, int64_t delivery, size_t most, struct arena *a,
                        struct attempt_record **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_ATTEMPT_LIST];
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct attempt_record *t;
    int code, short_of = 0, failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(rows, delivery, (int64_t)most);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !short_of && (t = rows_add(&list)))
        short_of = attempt_from_row(rows, delivery, a, t);
    *ret = list.at;
    *ret_count = list.count;
    failed = rows_finish(&list, r, rows, code);
    return failed ? failed : short_of;
}

static int insert_attempt(struct sqlite_store *s, const struct attempt_record *t)
{
    sqlite3_stmt *add = s->statements[WRITE_ATTEMPT_ADD];
    int at = BIND_NUMBERS(add, t->delivery, t->number, t->failover, t->at_us, t->duration_us,
                          t->connect_us, t->status);

    bind_text(add, at++, t->error);
    sqlite3_bind_blob(add, at++, t->answer.p ? t->answer.p : "", (int)t->answer.n, SQLITE_STATIC);
    bind_text(add, at++, t->signature);
    bind_text(add, at, t->url);
    return run(s, WRITE_ATTEMPT_ADD);
}

/* ---- where a delivery stands ---- */

int sqlite_delivery_find(struct store *base, int64_t id, struct delivery_record *ret)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *get = s->statements[WRITE_DELIVERY_GET];
    int failed = delivery_flush(s);

    if (failed)
        return failed;
    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        delivery_from_row(get, ret);
    sqlite3_reset(get);
    return code == SQLITE_ROW ? 0 : code == SQLITE_DONE ? -ENOENT : sqlite_failed(s);
}

static int set(struct sqlite_store *s, const struct delivery_record *d, enum delivery_state was)
{
    int failed = RUN_WITH(s, WRITE_DELIVERY_SET, d->id, d->due_us, d->state,
                          d->attempts + DELIVERY_COUNTS_FROM, d->tries + DELIVERY_COUNTS_FROM);

    if (failed || was == d->state)
        return failed;
    failed = delivery_tally(s, d, was, -1);
    return failed ? failed : delivery_tally(s, d, d->state, 1);
}

/* What waits behind a delivery, later notices of its message, waits as long as it and those before
 * it do; when it is over, no longer than those before it. */
static int set_behind(struct sqlite_store *s, const struct delivery_record *d, int64_t until_us)
{
    int64_t before_us;
    bool behind;

    if (!d->message)
        return 0;
    int failed = delivery_others(s, d->message, d->endpoint, d->id, &before_us, &behind);
    if (failed || !behind)
        return failed;
    store_note_news(&s->base, d->endpoint);
    return RUN_WITH(s, WRITE_DELIVERY_BEHIND, d->message, d->endpoint, d->id,
                    until_us > before_us ? until_us : before_us);
}

int sqlite_delivery_tried(struct store *base, const struct attempt_record *attempt,
                          enum delivery_state state, unsigned tries, int64_t due_us)
{
    struct sqlite_store *s = sqlite_of(base);
    struct delivery_record d = {0};
    int failed = sqlite_delivery_find(base, attempt->delivery, &d);

    if (failed)
        return failed == -ENOENT ? 0 : failed;
    enum delivery_state was = d.state;
    d.state = state;
    d.attempts = attempt->number;
    d.tries = tries;
    d.due_us = due_us;
    failed = insert_attempt(s, attempt);
    if (!failed)
        failed = set(s, &d, was);
    if (!failed)
        failed = set_behind(
            s, &d, state == DELIVERY_WAITING ? due_us : attempt->at_us + attempt->duration_us);
    if (!failed && state != DELIVERY_DONE)
        failed = pulse_hook_failed(s, owner_of(d.account, d.mode),
                                   attempt->at_us + attempt->duration_us);
    return failed ? failed : 1;
}

/* ---- asked for again ---- */

static int wait_again(struct sqlite_store *s, struct delivery_record *d, int64_t now_us)
{
    enum delivery_state was = d->state;
    int64_t before_us = 0;
    bool behind;
    int failed =
        d->message ? delivery_others(s, d->message, d->endpoint, d->id, &before_us, &behind) : 0;

    d->state = DELIVERY_WAITING;
    d->tries = 0;
    d->due_us = now_us > before_us ? now_us : before_us;
    if (!failed)
        failed = set(s, d, was);
    if (!failed)
        failed = set_behind(s, d, d->due_us);
    store_note_news(&s->base, d->endpoint);
    return failed;
}

int sqlite_delivery_again(struct store *base, int64_t id, int64_t now_us)
{
    struct delivery_record d = {0};
    int failed = sqlite_delivery_find(base, id, &d);

    if (!failed)
        failed = wait_again(sqlite_of(base), &d, now_us);
    return failed == -ENOENT ? 0 : failed ? failed : 1;
}
