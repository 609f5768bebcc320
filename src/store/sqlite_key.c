/* Keys and how much they are used. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

#define HOUR_US INT64_C(3600000000)

static void key_from_row(sqlite3_stmt *row, struct key_record *k)
{
    memset(k, 0, sizeof *k);
    k->id = sqlite3_column_int64(row, 0);
    k->account = sqlite3_column_int64(row, 1);
    k->mode = (enum mode)sqlite3_column_int(row, 2);
    column_word(row, 3, k->name, sizeof k->name);
    column_word(row, 4, k->plan, sizeof k->plan);
    if (sqlite3_column_bytes(row, 5) == KEY_HASH_SIZE)
        memcpy(k->hash, sqlite3_column_blob(row, 5), KEY_HASH_SIZE);
    column_word(row, 6, k->last_four, sizeof k->last_four);
    k->permissions = (uint32_t)sqlite3_column_int64(row, 7);
    k->created_us = sqlite3_column_int64(row, 8);
    k->revoked_us = sqlite3_column_int64(row, 9);
    k->expires_us = sqlite3_column_int64(row, 10);
    k->per_minute = sqlite3_column_int64(row, 11);
    k->per_hour = sqlite3_column_int64(row, 12);
    k->account_suspended = sqlite3_column_int(row, 13);
}

int sqlite_key_find(struct store_reader *base, const uint8_t hash[KEY_HASH_SIZE],
                    struct key_record *ret)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *find = r->statements[READ_KEY_FIND];

    sqlite_reader_rest(base);
    sqlite3_bind_blob(find, 1, hash, KEY_HASH_SIZE, SQLITE_STATIC);
    int code = sqlite3_step(find);
    if (code == SQLITE_ROW)
        key_from_row(find, ret);
    int broken = finish(r, find, code);
    return broken ? broken : code == SQLITE_ROW ? 0 : -ENOENT;
}

int sqlite_key_get(struct store_reader *base, int64_t account, int64_t id, struct key_record *ret)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *get = r->statements[READ_KEY_GET];

    sqlite_reader_rest(base);
    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    bool found = code == SQLITE_ROW && (account == 0 || sqlite3_column_int64(get, 1) == account);
    if (found)
        key_from_row(get, ret);
    int broken = finish(r, get, code);
    return broken ? broken : found ? 0 : -ENOENT;
}

int sqlite_key_list(struct store_reader *base, int64_t account, int64_t from, size_t limit,
                    struct arena *a, struct key_record **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_KEY_LIST];
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct key_record *k;
    int code;

    sqlite_reader_rest(base);
    BIND_NUMBERS(rows, account, from, (int64_t)limit);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && (k = rows_add(&list)))
        key_from_row(rows, k);
    *ret = list.at;
    *ret_count = list.count;
    return rows_finish(&list, r, rows, code);
}

static int read_page(struct sqlite_reader *r, int64_t account, enum mode mode, int64_t cursor,
                     size_t limit, struct key_page *page)
{
    sqlite3_stmt *rows = r->statements[READ_KEY_PAGE];
    int code;

    BIND_NUMBERS(rows, account, mode, cursor ? cursor : INT64_MAX, (int64_t)limit + 1);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        if (page->count == limit)
            page->next = sqlite3_column_int64(rows, 0);
        else
            key_from_row(rows, &page->keys[page->count++]);
    }
    return finish(r, rows, code);
}

int sqlite_key_page(struct store_reader *base, int64_t account, enum mode mode, int64_t cursor,
                    size_t limit, struct arena *a, struct key_page *ret)
{
    struct sqlite_reader *r = reader_of(base);

    ret->keys = arena_alloc(a, limit * sizeof *ret->keys);
    if (!ret->keys)
        return -ENOMEM;
    sqlite_reader_rest(base);
    int failed = sqlite_enter(r);
    if (!failed)
        failed = read_page(r, account, mode, cursor, limit, ret);
    if (!failed && cursor) {
        BIND_NUMBERS(r->statements[READ_KEY_BEFORE], account, mode, cursor, (int64_t)limit);
        failed = last_number(r, READ_KEY_BEFORE, &ret->previous);
    }
    if (!failed) {
        BIND_NUMBERS(r->statements[READ_KEY_TOTAL], account, mode);
        failed = last_number(r, READ_KEY_TOTAL, &ret->total);
    }
    return failed;
}

/* Not yet used is no error: everything stays 0. */
int sqlite_key_usage(struct store_reader *base, int64_t key, struct key_usage *ret)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *get = r->statements[READ_KEY_USAGE];

    sqlite_reader_rest(base);
    BIND_NUMBERS(get, key);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW) {
        ret->last_us = sqlite3_column_int64(get, 0);
        ret->requests = sqlite3_column_int64(get, 1);
        column_word(get, 2, ret->address, sizeof ret->address);
    }
    return finish(r, get, code);
}

int sqlite_key_insert(struct store *base, struct key_record *k)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *insert = s->statements[WRITE_KEY_INSERT];

    sqlite3_bind_int64(insert, 1, k->account);
    sqlite3_bind_int64(insert, 2, k->mode);
    bind_text(insert, 3, str_of(k->name));
    bind_text(insert, 4, str_of(k->plan));
    sqlite3_bind_blob(insert, 5, k->hash, KEY_HASH_SIZE, SQLITE_STATIC);
    bind_text(insert, 6, str_of(k->last_four));
    sqlite3_bind_int64(insert, 7, k->permissions);
    sqlite3_bind_int64(insert, 8, k->created_us);
    sqlite3_bind_int64(insert, 9, k->revoked_us);
    sqlite3_bind_int64(insert, 10, k->expires_us);
    sqlite3_bind_int64(insert, 11, k->per_minute);
    sqlite3_bind_int64(insert, 12, k->per_hour);
    int failed = run(s, WRITE_KEY_INSERT);
    if (!failed)
        k->id = sqlite3_last_insert_rowid(s->db);
    return failed;
}

int sqlite_key_off(struct store *base, int64_t id, int64_t *ret_us)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *get = s->statements[WRITE_KEY_OFF];

    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        *ret_us = sqlite3_column_int64(get, 0);
    sqlite3_reset(get);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sqlite_failed(s);
    return code == SQLITE_ROW ? 0 : -ENOENT;
}

int sqlite_key_revoke(struct store *base, int64_t account, int64_t id, int64_t at_us)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = RUN_WITH(s, WRITE_KEY_REVOKE, id, at_us, account);

    if (!failed && sqlite3_changes(s->db) == 0)
        return -ENOENT;
    return failed;
}

int sqlite_key_used(struct store *base, const struct key_usage *u)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *used = s->statements[WRITE_KEY_USED];
    int at = BIND_NUMBERS(used, u->key, u->last_us, u->requests);

    bind_text(used, at, str_of(u->address));
    int failed = run(s, WRITE_KEY_USED);
    return failed ? failed
                  : RUN_WITH(s, WRITE_REQUEST_TALLY_ADD, u->key, u->last_us / HOUR_US, u->requests);
}
