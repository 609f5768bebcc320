/* With what messages that bring an address along are signed: one secret per account and mode. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

static int secret_from_row(sqlite3_stmt *row, int64_t account, enum mode mode, struct arena *a,
                           struct secret_record *ret)
{
    *ret = (struct secret_record){.account = account,
                                  .mode = mode,
                                  .old_until_us = sqlite3_column_int64(row, 0),
                                  .secret = column_text(row, 1, a),
                                  .old_secret = column_text(row, 2, a)};
    return ret->secret.p && ret->old_secret.p ? 0 : -ENOMEM;
}

int sqlite_secret_get(struct store_reader *base, int64_t account, enum mode mode, struct arena *a,
                      struct secret_record *ret)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *get = r->statements[READ_SECRET_GET];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(get, owner_of(account, mode));
    int code = sqlite3_step(get);
    failed = code == SQLITE_ROW ? secret_from_row(get, account, mode, a, ret) : -ENOENT;
    int broken = finish(r, get, code);
    return broken ? broken : failed;
}

int sqlite_secret_find(struct store *base, int64_t account, enum mode mode, struct arena *a,
                       struct secret_record *ret)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *get = s->statements[WRITE_SECRET_GET];

    BIND_NUMBERS(get, owner_of(account, mode));
    int code = sqlite3_step(get);
    int failed = code == SQLITE_ROW ? secret_from_row(get, account, mode, a, ret) : -ENOENT;
    sqlite3_reset(get);
    return code == SQLITE_ROW || code == SQLITE_DONE ? failed : sqlite_failed(s);
}

int sqlite_secret_put(struct store *base, const struct secret_record *r)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *put = s->statements[WRITE_SECRET_PUT];
    int at = BIND_NUMBERS(put, owner_of(r->account, r->mode), r->old_until_us);

    bind_text(put, at++, r->secret);
    bind_text(put, at, r->old_secret);
    return run(s, WRITE_SECRET_PUT);
}
