/* Accounts. They are few and another process changes them: each reading looks afresh. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

static void account_from_row(sqlite3_stmt *row, struct account_record *a)
{
    memset(a, 0, sizeof *a);
    a->id = sqlite3_column_int64(row, 0);
    column_word(row, 1, a->name, sizeof a->name);
    a->created_us = sqlite3_column_int64(row, 2);
    a->suspended_us = sqlite3_column_int64(row, 3);
    a->metered = sqlite3_column_type(row, 4) != SQLITE_NULL;
    a->balance_micros = sqlite3_column_int64(row, 4);
}

int sqlite_account_list(struct store_reader *base, struct arena *a, struct account_record **ret,
                        size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_ACCOUNT_LIST];
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct account_record *account;
    int code;

    sqlite_reader_rest(base);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && (account = rows_add(&list)))
        account_from_row(rows, account);
    *ret = list.at;
    *ret_count = list.count;
    return rows_finish(&list, r, rows, code);
}

/* One account, by a statement that is bound already. */
static int read_one(struct sqlite_reader *r, enum read_statement which, struct account_record *ret)
{
    sqlite3_stmt *get = r->statements[which];

    sqlite_reader_rest(&r->base);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        account_from_row(get, ret);
    int broken = finish(r, get, code);
    return broken ? broken : code == SQLITE_ROW ? 0 : -ENOENT;
}

int sqlite_account_find(struct store_reader *base, struct str name, struct account_record *ret)
{
    struct sqlite_reader *r = reader_of(base);

    bind_text(r->statements[READ_ACCOUNT_FIND], 1, name);
    return read_one(r, READ_ACCOUNT_FIND, ret);
}

int sqlite_account_get(struct store_reader *base, int64_t id, struct account_record *ret)
{
    struct sqlite_reader *r = reader_of(base);

    BIND_NUMBERS(r->statements[READ_ACCOUNT_GET], id);
    return read_one(r, READ_ACCOUNT_GET, ret);
}

int sqlite_account_insert(struct store *base, struct account_record *a)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *insert = s->statements[WRITE_ACCOUNT_INSERT];
    int at = BIND_NUMBERS(insert, a->created_us, a->suspended_us);

    if (a->metered)
        sqlite3_bind_int64(insert, at++, a->balance_micros);
    else
        sqlite3_bind_null(insert, at++);
    bind_text(insert, at, str_of(a->name));
    int failed = run(s, WRITE_ACCOUNT_INSERT);
    if (!failed)
        a->id = sqlite3_last_insert_rowid(s->db);
    return failed;
}

int sqlite_account_suspend(struct store *base, int64_t id, int64_t at_us)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = RUN_WITH(s, WRITE_ACCOUNT_SUSPEND, id, at_us);

    return failed ? failed : sqlite3_changes(s->db) ? 0 : -ENOENT;
}

/* 0 or -ENOENT; *ret_micros is 0 unless the account is metered. */
static int read_balance(struct sqlite_store *s, int64_t id, bool *ret_metered, int64_t *ret_micros)
{
    sqlite3_stmt *get = s->statements[WRITE_ACCOUNT_BALANCE];

    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    *ret_metered = code == SQLITE_ROW && sqlite3_column_type(get, 0) != SQLITE_NULL;
    *ret_micros = *ret_metered ? sqlite3_column_int64(get, 0) : 0;
    sqlite3_reset(get);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sqlite_failed(s);
    return code == SQLITE_ROW ? 0 : -ENOENT;
}

int sqlite_account_credit(struct store *base, int64_t id, int64_t micros)
{
    struct sqlite_store *s = sqlite_of(base);
    int64_t balance = 0;
    bool metered;
    int failed = read_balance(s, id, &metered, &balance);

    if (failed)
        return failed;
    if (__builtin_add_overflow(balance, micros, &balance))
        return -ERANGE;
    return RUN_WITH(s, WRITE_ACCOUNT_SET_BALANCE, id, balance);
}

int sqlite_account_charge(struct store *base, int64_t id, int64_t micros)
{
    struct sqlite_store *s = sqlite_of(base);
    int64_t balance = 0;
    bool metered = false;
    int failed = read_balance(s, id, &metered, &balance);

    if (failed && failed != -ENOENT)
        return failed;
    if (!metered)
        return 1;
    if (balance < micros)
        return 0;
    failed = RUN_WITH(s, WRITE_ACCOUNT_SET_BALANCE, id, balance - micros);
    return failed ? failed : 1;
}
