/* Who must not be written to. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

/* Texts are views of the row. */
static struct opt_out_record view_row(sqlite3_stmt *row)
{
    int64_t owner = sqlite3_column_int64(row, 1);

    return (struct opt_out_record){
        .id = sqlite3_column_int64(row, 0),
        .account = owner >> 1,
        .mode = (enum mode)(owner & 1),
        .number = column_view(row, 2),
        .source = (enum opt_out_source)sqlite3_column_int(row, 3),
        .keyword = column_view(row, 4),
        .created_us = sqlite3_column_int64(row, 5),
    };
}

static int copy_row(sqlite3_stmt *row, struct arena *a, struct opt_out_record *ret)
{
    struct opt_out_record o = view_row(row);

    o.number = arena_copy(a, o.number);
    o.keyword = arena_copy(a, o.keyword);
    if (!o.number.p || !o.keyword.p)
        return -ENOMEM;
    *ret = o;
    return 0;
}

static int read_page(struct sqlite_reader *r, int64_t owner, int64_t cursor, size_t limit,
                     struct arena *a, struct opt_out_page *page)
{
    sqlite3_stmt *rows = r->statements[READ_OPT_OUT_PAGE];
    int code, failed = 0;

    BIND_NUMBERS(rows, owner, cursor ? cursor : INT64_MAX, (int64_t)limit + 1);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        if (page->count == limit)
            page->next = sqlite3_column_int64(rows, 0);
        else
            failed = copy_row(rows, a, &page->records[page->count++]);
    }
    int broken = finish(r, rows, code);
    return broken ? broken : failed;
}

int sqlite_opt_out_page(struct store_reader *base, int64_t account, enum mode mode, int64_t cursor,
                        size_t limit, struct arena *a, struct opt_out_page *ret)
{
    struct sqlite_reader *r = reader_of(base);
    int64_t owner = owner_of(account, mode);

    ret->records = arena_alloc(a, limit * sizeof *ret->records);
    int failed = ret->records ? sqlite_enter(r) : -ENOMEM;
    if (!failed)
        failed = read_page(r, owner, cursor, limit, a, ret);
    if (!failed && cursor) {
        BIND_NUMBERS(r->statements[READ_OPT_OUT_BEFORE], owner, cursor, (int64_t)limit);
        failed = last_number(r, READ_OPT_OUT_BEFORE, &ret->previous);
    }
    if (!failed) {
        BIND_NUMBERS(r->statements[READ_OPT_OUT_TOTAL], owner);
        failed = last_number(r, READ_OPT_OUT_TOTAL, &ret->total);
    }
    return failed;
}

int sqlite_opt_out_get(struct store_reader *base, int64_t account, enum mode mode,
                       struct str number, struct arena *a, struct opt_out_record *ret)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *get = r->statements[READ_OPT_OUT_GET];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    bind_text(get, BIND_NUMBERS(get, owner_of(account, mode)), number);
    int code = sqlite3_step(get);
    failed = code == SQLITE_ROW ? copy_row(get, a, ret) : -ENOENT;
    int broken = finish(r, get, code);
    return broken ? broken : failed;
}

int sqlite_opt_out_each(struct store_reader *base,
                        bool (*tell)(void *context, const struct opt_out_record *o), void *context)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_OPT_OUT_ALL];
    bool more = true;
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && more) {
        struct opt_out_record o = view_row(rows);
        more = tell(context, &o);
    }
    return finish(r, rows, code);
}

/* 1 found, 0 there is none; sees what this transaction has written. */
static int read_one(struct sqlite_store *s, int64_t owner, struct str number, struct arena *a,
                    struct opt_out_record *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_OPT_OUT_GET];

    bind_text(get, BIND_NUMBERS(get, owner), number);
    int code = sqlite3_step(get);
    int failed = code == SQLITE_ROW ? copy_row(get, a, ret) : 0;
    sqlite3_reset(get);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sqlite_failed(s);
    return failed ? failed : code == SQLITE_ROW;
}

int sqlite_opt_out_add(struct store *base, struct arena *a, struct opt_out_record *o)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *add = s->statements[WRITE_OPT_OUT_ADD];
    int64_t owner = owner_of(o->account, o->mode);
    int found = read_one(s, owner, o->number, a, o);

    if (found != 0)
        return found < 0 ? found : 0;
    int at = BIND_NUMBERS(add, o->id, owner, o->source, o->created_us);
    bind_text(add, at++, o->number);
    bind_text(add, at, o->keyword);
    int failed = run(s, WRITE_OPT_OUT_ADD);
    if (!failed)
        failed = RUN_WITH(s, WRITE_OPT_OUT_COUNT, owner, 1);
    return failed ? failed : 1;
}

int sqlite_opt_out_remove(struct store *base, int64_t account, enum mode mode, struct str number,
                          struct arena *a, struct opt_out_record *ret)
{
    struct sqlite_store *s = sqlite_of(base);
    int64_t owner = owner_of(account, mode);
    int found = read_one(s, owner, number, a, ret);

    if (found <= 0)
        return found;
    int failed = RUN_WITH(s, WRITE_OPT_OUT_REMOVE, ret->id);
    if (!failed)
        failed = RUN_WITH(s, WRITE_OPT_OUT_COUNT, owner, -1);
    return failed ? failed : 1;
}
