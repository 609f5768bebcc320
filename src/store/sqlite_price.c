/* The operator's prices. Another process writes them: each reading looks afresh. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_price_put(struct store *base, const struct price_record *p)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *put = s->statements[WRITE_PRICE_PUT];
    int at = BIND_NUMBERS(put, p->kind, p->from_us, p->micros);

    bind_text(put, at++, str_of(p->prefix));
    bind_text(put, at, str_of(p->country));
    return run(s, WRITE_PRICE_PUT);
}

int sqlite_price_clear(struct store *base)
{
    return run(sqlite_of(base), WRITE_PRICE_CLEAR);
}

int sqlite_price_each(struct store_reader *base,
                      bool (*tell)(void *context, const struct price_record *p), void *context)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_PRICE_ALL];
    bool more = true;
    int code;

    sqlite_reader_rest(base);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && more) {
        struct price_record p = {.kind = (enum message_kind)sqlite3_column_int(rows, 0),
                                 .from_us = sqlite3_column_int64(rows, 1),
                                 .micros = sqlite3_column_int64(rows, 2)};
        column_word(rows, 3, p.prefix, sizeof p.prefix);
        column_word(rows, 4, p.country, sizeof p.country);
        more = tell(context, &p);
    }
    return finish(r, rows, code);
}
