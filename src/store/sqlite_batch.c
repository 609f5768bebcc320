/* Batches. What became of their messages is counted when it is asked for: they lie side by side,
 * and there are at most a thousand. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_batch_insert(struct store *base, const struct batch_record *b)
{
    return RUN_WITH(sqlite_of(base), WRITE_BATCH_INSERT, b->id, owner_of(b->account, b->mode),
                    b->created_us, b->total, b->accepted, b->last);
}

int sqlite_batch_read(struct sqlite_reader *r, int64_t id, int64_t owner, struct batch_record *ret)
{
    sqlite3_stmt *get = r->statements[READ_BATCH_GET];

    BIND_NUMBERS(get, id, owner);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        *ret = (struct batch_record){.id = id,
                                     .account = owner >> 1,
                                     .mode = (enum mode)(owner & 1),
                                     .created_us = sqlite3_column_int64(get, 0),
                                     .total = (unsigned)sqlite3_column_int(get, 1),
                                     .accepted = (unsigned)sqlite3_column_int(get, 2),
                                     .last = sqlite3_column_int64(get, 3)};
    int broken = finish(r, get, code);
    return broken ? broken : code == SQLITE_ROW ? 0 : -ENOENT;
}

static int count_states(struct sqlite_reader *r, int64_t owner, const struct batch_record *b,
                        unsigned counts[STATUS_SLOTS])
{
    sqlite3_stmt *rows = r->statements[READ_BATCH_STATES];
    int code;

    BIND_NUMBERS(rows, owner, b->id, b->last);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        bool scheduled = sqlite3_column_type(rows, 0) == SQLITE_NULL;
        unsigned status = scheduled ? STATUS_SCHEDULED : (unsigned)sqlite3_column_int(rows, 0);
        if (status < STATUS_SLOTS)
            counts[status]++;
    }
    return finish(r, rows, code);
}

int sqlite_batch_get(struct store_reader *base, int64_t account, enum mode mode, int64_t id,
                     struct batch_record *ret, unsigned counts[STATUS_SLOTS])
{
    struct sqlite_reader *r = reader_of(base);
    int64_t owner = owner_of(account, mode);
    int failed = sqlite_enter(r);

    if (!failed)
        failed = sqlite_batch_read(r, id, owner, ret);
    return failed ? failed : count_states(r, owner, ret, counts);
}
