/* Receipts that no message was found for. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

int sqlite_stray_add(struct store *base, const struct stray_record *stray)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *add = s->statements[WRITE_STRAY_ADD];
    int at = BIND_NUMBERS(add, stray->id, stray->at_us, stray->carrier);

    bind_text(add, at++, stray->reference);
    bind_text(add, at++, stray->source);
    bind_text(add, at++, stray->destination);
    bind_text(add, at, stray->raw);
    return run(s, WRITE_STRAY_ADD);
}

int sqlite_stray_remove(struct store *base, int64_t id)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = RUN_WITH(s, WRITE_STRAY_REMOVE, id);

    return failed ? failed : sqlite3_changes(s->db) > 0;
}

static int stray_from_row(sqlite3_stmt *row, struct arena *a, struct stray_record *stray)
{
    *stray = (struct stray_record){.id = sqlite3_column_int64(row, 0),
                                   .at_us = sqlite3_column_int64(row, 1),
                                   .carrier = (unsigned)sqlite3_column_int(row, 2),
                                   .reference = column_text(row, 3, a),
                                   .source = column_text(row, 4, a),
                                   .destination = column_text(row, 5, a),
                                   .raw = column_text(row, 6, a)};
    bool whole = stray->reference.p && stray->source.p && stray->destination.p && stray->raw.p;
    return whole ? 0 : -ENOMEM;
}

int sqlite_stray_list(struct store_reader *base, int64_t cursor, size_t limit, struct arena *a,
                      struct stray_record **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_STRAY_LIST];
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct stray_record *stray;
    int code, short_of = 0, failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(rows, cursor ? cursor : INT64_MAX, (int64_t)limit);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !short_of && (stray = rows_add(&list)))
        short_of = stray_from_row(rows, a, stray);
    *ret = list.at;
    *ret_count = list.count;
    failed = rows_finish(&list, r, rows, code);
    return failed ? failed : short_of;
}
