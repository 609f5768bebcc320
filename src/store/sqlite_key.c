/* Keys and how much they are used. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

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

int sqlite_key_list(struct store_reader *base, int64_t account, int64_t from, size_t limit,
                    struct arena *a, struct key_record **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_KEY_LIST];
    size_t size = 16;
    int code;

    sqlite_reader_rest(base);
    BIND_NUMBERS(rows, account, from, (int64_t)limit);
    *ret = arena_alloc(a, size * sizeof **ret);
    while (*ret && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        if (*ret_count == size) {
            struct key_record *larger = arena_alloc(a, 2 * size * sizeof **ret);
            if (!larger) {
                finish(r, rows, SQLITE_ROW);
                return -ENOMEM;
            }
            memcpy(larger, *ret, size * sizeof **ret);
            *ret = larger;
            size *= 2;
        }
        key_from_row(rows, &(*ret)[(*ret_count)++]);
    }
    return *ret ? finish(r, rows, code) : -ENOMEM;
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

int sqlite_key_revoke(struct store *base, int64_t account, int64_t id, int64_t at_us)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = RUN_WITH(s, WRITE_KEY_REVOKE, id, at_us, account);

    if (!failed && sqlite3_changes(s->db) == 0)
        return -ENOENT;
    return failed;
}

int sqlite_key_get(struct store_reader *r, int64_t account, int64_t id, struct key_record *ret)
{
    return -ENOSYS;
}

int sqlite_key_count(struct store_reader *r, int64_t account, int64_t *ret)
{
    return -ENOSYS;
}

int sqlite_key_usage(struct store_reader *r, int64_t key, struct key_usage *ret)
{
    return -ENOSYS;
}

int sqlite_key_used(struct store *s, const struct key_usage *u)
{
    return -ENOSYS;
}
