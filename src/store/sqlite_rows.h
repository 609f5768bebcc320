/* What the sqlite_*.c files share: running statements, binding values, reading columns. */
#pragma once

#include "store/sqlite_internal.h"

#include <errno.h>

static inline struct sqlite_store *sqlite_of(struct store *s)
{
    return (struct sqlite_store *)s;
}

static inline struct sqlite_reader *reader_of(struct store_reader *r)
{
    return (struct sqlite_reader *)r;
}

/* Account and mode in one number, as the tables have it. */
static inline int64_t owner_of(int64_t account, enum mode mode)
{
    return account * 2 + (int64_t)mode;
}

/* ---- writing ---- */

/* Runs a statement that returns no rows. */
static inline int run(struct sqlite_store *s, enum write_statement which)
{
    sqlite3_stmt *statement = s->statements[which];
    int code = sqlite3_step(statement);

    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

/* Binds numbers from parameter `at` on; the place of the parameter behind them. */
static inline int bind_numbers_at(sqlite3_stmt *statement, int at, const int64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sqlite3_bind_int64(statement, at++, numbers[i]);
    return at;
}

static inline int bind_numbers(sqlite3_stmt *statement, const int64_t *numbers, size_t n)
{
    return bind_numbers_at(statement, 1, numbers, n);
}

#define BIND_NUMBERS(statement, ...)                                                               \
    bind_numbers((statement), (const int64_t[]){__VA_ARGS__},                                      \
                 sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static inline int run_with(struct sqlite_store *s, enum write_statement which,
                           const int64_t *numbers, size_t n)
{
    bind_numbers(s->statements[which], numbers, n);
    return run(s, which);
}

#define RUN_WITH(s, which, ...)                                                                    \
    run_with((s), (which), (const int64_t[]){__VA_ARGS__},                                         \
             sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static inline void bind_text(sqlite3_stmt *statement, int at, struct str text)
{
    sqlite3_bind_text(statement, at, text.p ? text.p : "", (int)text.n, SQLITE_STATIC);
}

/* NULL when it is empty. */
static inline void bind_text_or_null(sqlite3_stmt *statement, int at, struct str text)
{
    if (text.n)
        bind_text(statement, at, text);
    else
        sqlite3_bind_null(statement, at);
}

/* NULL when it is 0. */
static inline void bind_number_or_null(sqlite3_stmt *statement, int at, int64_t number)
{
    if (number)
        sqlite3_bind_int64(statement, at, number);
    else
        sqlite3_bind_null(statement, at);
}

/* ---- reading ---- */

/* Ends a statement of a reader; 0 unless `code` is an error. */
static inline int finish(struct sqlite_reader *r, sqlite3_stmt *statement, int code)
{
    sqlite3_reset(statement);
    return code == SQLITE_DONE || code == SQLITE_ROW ? 0 : sqlite_errno(sqlite3_errcode(r->db));
}

/* Holds until the next step. */
static inline struct str column_view(sqlite3_stmt *row, int at)
{
    const char *text = (const char *)sqlite3_column_text(row, at);
    return (struct str){text, (size_t)sqlite3_column_bytes(row, at)};
}

/* A copy in the arena; p is NULL when memory is short, never for an empty or NULL column. */
static inline struct str column_text(sqlite3_stmt *row, int at, struct arena *a)
{
    return arena_copy(a, column_view(row, at));
}

/* A short word into an array, with a NUL. */
static inline void column_word(sqlite3_stmt *row, int at, char *out, size_t size)
{
    const char *text = (const char *)sqlite3_column_text(row, at);
    size_t n = (size_t)sqlite3_column_bytes(row, at);

    if (n >= size)
        n = size - 1;
    if (n)
        memcpy(out, text, n);
    out[n] = '\0';
}

/* The first column of the last row of a bound statement; untouched when there is none. */
static inline int last_number(struct sqlite_reader *r, enum read_statement which, int64_t *ret)
{
    sqlite3_stmt *rows = r->statements[which];
    int code;

    while ((code = sqlite3_step(rows)) == SQLITE_ROW)
        *ret = sqlite3_column_int64(rows, 0);
    return finish(r, rows, code);
}

/* Records of a list that may be of any length, in an arena. */
struct rows {
    struct arena *arena;
    size_t size; /* of one record */
    void *at;
    size_t count, room;
    bool failed;
};

/* Memory for one more record; NULL when there is none. */
static inline void *rows_add(struct rows *list)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        void *larger = arena_alloc(list->arena, room * list->size);
        if (!larger) {
            list->failed = true;
            return NULL;
        }
        if (list->count)
            memcpy(larger, list->at, list->count * list->size);
        list->at = larger;
        list->room = room;
    }
    return (char *)list->at + list->size * list->count++;
}

/* Ends the statement whose rows they are. */
static inline int rows_finish(const struct rows *list, struct sqlite_reader *r,
                              sqlite3_stmt *statement, int code)
{
    int broken = finish(r, statement, code);
    return list->failed ? -ENOMEM : broken;
}

/* Into a read transaction that sees the last commit. */
int sqlite_enter(struct sqlite_reader *r);
/* A whole message from a row whose columns are {whole_message} of sql/message.sql. */
int sqlite_message_from_row(sqlite3_stmt *row, struct arena *a, struct message *m);
/* A batch of this owner; -ENOENT. */
int sqlite_batch_read(struct sqlite_reader *r, int64_t id, int64_t owner, struct batch_record *ret);
/* All messages of a statement whose parameters are a bound and the most rows. */
int sqlite_messages(struct sqlite_reader *r, enum read_statement which, int64_t bound, size_t limit,
                    struct arena *a, struct message **ret, size_t *ret_count);
