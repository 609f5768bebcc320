/* Endpoints: where accounts want to be told. */
#include "store/sqlite_outbox.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

/* ---- rows ---- */

/* The numbers of a row, in the order of its columns. */
enum { ENDPOINT_NUMBERS = 19 };

static int endpoint_from_row(sqlite3_stmt *row, struct arena *a, struct endpoint_record *e)
{
    int at = 0;

    *e = (struct endpoint_record){.id = sqlite3_column_int64(row, at++)};
    e->account = sqlite3_column_int64(row, at++);
    e->of_messages = sqlite3_column_int(row, at++);
    e->modes = (uint32_t)sqlite3_column_int64(row, at++);
    e->kinds = (uint32_t)sqlite3_column_int64(row, at++);
    e->every_kind = sqlite3_column_int(row, at++);
    e->created_us = sqlite3_column_int64(row, at++);
    e->updated_us = sqlite3_column_int64(row, at++);
    e->old_until_us = sqlite3_column_int64(row, at++);
    e->off = (enum endpoint_off)sqlite3_column_int(row, at++);
    e->off_us = sqlite3_column_int64(row, at++);
    e->failures = (unsigned)sqlite3_column_int64(row, at++);
    e->failing_since_us = sqlite3_column_int64(row, at++);
    e->paused_until_us = sqlite3_column_int64(row, at++);
    e->last_success_us = sqlite3_column_int64(row, at++);
    e->replay_from = sqlite3_column_int64(row, at++);
    e->replay_to = sqlite3_column_int64(row, at++);
    e->replay_states = (uint32_t)sqlite3_column_int64(row, at++);
    e->replay_modes = (uint32_t)sqlite3_column_int64(row, at++);
    e->url = column_text(row, at++, a);
    e->description = column_text(row, at++, a);
    e->secret = column_text(row, at++, a);
    e->old_secret = column_text(row, at, a);
    return e->url.p && e->description.p && e->secret.p && e->old_secret.p ? 0 : -ENOMEM;
}

static void bind_texts(sqlite3_stmt *statement, int at, const struct endpoint_record *e)
{
    bind_text(statement, at++, e->url);
    bind_text(statement, at++, e->description);
    bind_text(statement, at++, e->secret);
    bind_text(statement, at, e->old_secret);
}

/* ---- reading ---- */

int sqlite_endpoint_list(struct store_reader *base, int64_t account, struct arena *a,
                         struct endpoint_record **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[account ? READ_ENDPOINT_LIST : READ_ENDPOINT_ALL];
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct endpoint_record *e;
    int code, short_of = 0, failed = sqlite_enter(r);

    if (failed)
        return failed;
    if (account)
        BIND_NUMBERS(rows, account);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !short_of && (e = rows_add(&list)))
        short_of = endpoint_from_row(rows, a, e);
    *ret = list.at;
    *ret_count = list.count;
    failed = rows_finish(&list, r, rows, code);
    return failed ? failed : short_of;
}

int sqlite_endpoint_get(struct store_reader *base, int64_t account, int64_t id, struct arena *a,
                        struct endpoint_record *ret)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *get = r->statements[READ_ENDPOINT_GET];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(get, id, account);
    int code = sqlite3_step(get);
    failed = code == SQLITE_ROW ? endpoint_from_row(get, a, ret) : -ENOENT;
    int broken = finish(r, get, code);
    return broken ? broken : failed;
}

/* The first endpoint above a number that is being replayed; INT64_MAX: none. */
static int next_replaying(struct sqlite_reader *r, int64_t after, int64_t *ret)
{
    *ret = INT64_MAX;
    BIND_NUMBERS(r->statements[READ_ENDPOINT_REPLAYING], after);
    return last_number(r, READ_ENDPOINT_REPLAYING, ret);
}

/* The same of those with waiting deliveries. What is left of removed ones is passed over. */
static int next_waiting(struct sqlite_reader *r, int64_t after, int64_t *ret)
{
    sqlite3_stmt *next = r->statements[READ_ENDPOINT_WAITING];
    int code, failed = 0;
    bool there = false;

    do {
        BIND_NUMBERS(next, after);
        code = sqlite3_step(next);
        if (code == SQLITE_ROW) {
            after = sqlite3_column_int64(next, 0);
            there = sqlite3_column_int(next, 1);
        }
        failed = finish(r, next, code);
    } while (!failed && code == SQLITE_ROW && !there);
    *ret = there ? after : INT64_MAX;
    return failed;
}

int sqlite_endpoint_busy(struct store_reader *base, int64_t after, int64_t *ret, size_t max,
                         size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    int64_t waiting = after, replaying = after;
    int failed = sqlite_enter(r);

    while (!failed && *ret_count < max) {
        if (waiting <= after)
            failed = next_waiting(r, after, &waiting);
        if (!failed && replaying <= after)
            failed = next_replaying(r, after, &replaying);
        after = waiting < replaying ? waiting : replaying;
        if (failed || after == INT64_MAX)
            break;
        ret[(*ret_count)++] = after;
    }
    return failed;
}

/* ---- writing ---- */

static int remember(struct sqlite_store *s, const struct endpoint_record *e)
{
    const struct wish w = {
        .endpoint = e->id, .modes = e->modes, .kinds = e->every_kind ? UINT32_MAX : e->kinds};

    s->outbox->changed = true;
    return e->of_messages ? 0 : wishes_put(&s->outbox->wishes, e->account, &w);
}

static int insert(struct sqlite_store *s, const struct endpoint_record *e)
{
    const int64_t numbers[ENDPOINT_NUMBERS] = {
        e->id,          e->account,    e->of_messages,      e->modes,           e->kinds,
        e->every_kind,  e->created_us, e->updated_us,       e->old_until_us,    e->off,
        e->off_us,      e->failures,   e->failing_since_us, e->paused_until_us, e->last_success_us,
        e->replay_from, e->replay_to,  e->replay_states,    e->replay_modes};
    sqlite3_stmt *add = s->statements[WRITE_ENDPOINT_ADD];

    bind_texts(add, bind_numbers(add, numbers, ENDPOINT_NUMBERS), e);
    return run(s, WRITE_ENDPOINT_ADD);
}

int sqlite_endpoint_add(struct store *base, const struct endpoint_record *e)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = remember(s, e);

    if (failed == -EDQUOT)
        return store_fail(base, failed, "the account has %d endpoints", ENDPOINTS_MAX);
    return failed ? failed : insert(s, e);
}

int sqlite_endpoint_find(struct store *base, int64_t account, int64_t id, struct arena *a,
                         struct endpoint_record *ret)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *get = s->statements[WRITE_ENDPOINT_GET];

    BIND_NUMBERS(get, id, account);
    int code = sqlite3_step(get);
    int failed = code == SQLITE_ROW ? endpoint_from_row(get, a, ret) : -ENOENT;
    sqlite3_reset(get);
    return code == SQLITE_ROW || code == SQLITE_DONE ? failed : sqlite_failed(s);
}

int sqlite_endpoint_put(struct store *base, const struct endpoint_record *e)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *put = s->statements[WRITE_ENDPOINT_PUT];

    int at = BIND_NUMBERS(put, e->id, e->modes, e->kinds, e->every_kind, e->updated_us,
                          e->old_until_us, e->off, e->off_us, e->failures, e->failing_since_us,
                          e->paused_until_us, e->last_success_us, e->replay_from, e->replay_to,
                          e->replay_states, e->replay_modes);
    bind_texts(put, at, e);
    int failed = run(s, WRITE_ENDPOINT_PUT);
    if (failed)
        return failed;
    return sqlite3_changes(s->db) ? remember(s, e) : -ENOENT;
}

/* Whose it is: 0, or -ENOENT when it is not of this account (0: of any). */
static int read_account(struct sqlite_store *s, int64_t account, int64_t id, int64_t *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_ENDPOINT_GET];

    BIND_NUMBERS(get, id, account);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        *ret = sqlite3_column_int64(get, 1);
    sqlite3_reset(get);
    return code == SQLITE_ROW ? 0 : code == SQLITE_DONE ? -ENOENT : sqlite_failed(s);
}

int sqlite_endpoint_remove(struct store *base, int64_t account, int64_t id)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = read_account(s, account, id, &account);

    if (failed)
        return failed;
    s->outbox->changed = true;
    s->outbox->none_removed = false;
    wishes_remove(&s->outbox->wishes, account, id);
    failed = RUN_WITH(s, WRITE_ENDPOINT_DELETE, id);
    if (!failed)
        failed = RUN_WITH(s, WRITE_ENDPOINT_REMOVED_ADD, id);
    return failed ? failed : delivery_drop_tallies(s, id, account);
}

/* ---- endpoints of messages ---- */

static int insert_origin(struct sqlite_store *s, int64_t account, struct str origin, int64_t *ret)
{
    int64_t now_us = s->outbox->now_us;
    struct endpoint_record e = {.account = account,
                                .of_messages = true,
                                .modes = 1u << MODE_TEST | 1u << MODE_LIVE,
                                .kinds = HOOK_KINDS,
                                .url = origin,
                                .created_us = now_us,
                                .updated_us = now_us};

    *ret = e.id = id_next(&s->base.ids, now_us);
    return insert(s, &e);
}

int endpoint_of_origin(struct sqlite_store *s, int64_t account, struct str origin, int64_t *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_ENDPOINT_OF_ORIGIN];

    bind_text(get, BIND_NUMBERS(get, account), origin);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        *ret = sqlite3_column_int64(get, 0);
    sqlite3_reset(get);
    if (code == SQLITE_ROW)
        return 0;
    return code == SQLITE_DONE ? insert_origin(s, account, origin, ret) : sqlite_failed(s);
}
