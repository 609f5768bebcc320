/* Carriers by name, and how they stand. They are few and another process drains them: each reading
 * looks afresh. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

static void carrier_from_row(sqlite3_stmt *row, struct carrier_record *c)
{
    int at = 0;

    memset(c, 0, sizeof *c);
    c->id = (unsigned)sqlite3_column_int(row, at++);
    c->drained = sqlite3_column_int(row, at++);
    c->told_us = sqlite3_column_int64(row, at++);
    c->state = (enum carrier_state)sqlite3_column_int(row, at++);
    c->since_us = sqlite3_column_int64(row, at++);
    c->binds_up = (unsigned)sqlite3_column_int(row, at++);
    c->binds = (unsigned)sqlite3_column_int(row, at++);
    c->waiting = sqlite3_column_int64(row, at++);
    c->in_flight = sqlite3_column_int64(row, at++);
    c->submitted = sqlite3_column_int64(row, at++);
    c->taken = sqlite3_column_int64(row, at++);
    c->refused = sqlite3_column_int64(row, at++);
    c->throttled = sqlite3_column_int64(row, at++);
    c->receipts = sqlite3_column_int64(row, at++);
    c->strays = sqlite3_column_int64(row, at++);
    c->maybe_twice = sqlite3_column_int64(row, at++);
    column_word(row, at++, c->name, sizeof c->name);
    column_word(row, at, c->note, sizeof c->note);
}

/* What is noted of it, behind one number; the place of the parameter behind. */
static int bind_state(sqlite3_stmt *statement, int64_t first, const struct carrier_record *c)
{
    return BIND_NUMBERS(statement, first, c->told_us, c->state, c->since_us, c->binds_up, c->binds,
                        c->waiting, c->in_flight, c->submitted, c->taken, c->refused, c->throttled,
                        c->receipts, c->strays);
}

int sqlite_carrier_list(struct store_reader *base, struct arena *a, struct carrier_record **ret,
                        size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_CARRIER_LIST];
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct carrier_record *c;
    int code;

    sqlite_reader_rest(base);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && (c = rows_add(&list)))
        carrier_from_row(rows, c);
    *ret = list.at;
    *ret_count = list.count;
    return rows_finish(&list, r, rows, code);
}

/* 1 found, 0 there is none of this name. */
static int find(struct sqlite_store *s, struct carrier_record *c)
{
    sqlite3_stmt *get = s->statements[WRITE_CARRIER_FIND];

    bind_text(get, 1, str_of(c->name));
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        carrier_from_row(get, c);
    sqlite3_reset(get);
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

int sqlite_carrier_add(struct store *base, struct carrier_record *c)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *insert = s->statements[WRITE_CARRIER_INSERT];
    int found = find(s, c);

    if (found != 0)
        return found < 0 ? found : 0;
    int at = bind_state(insert, c->drained, c);
    bind_text(insert, at++, str_of(c->name));
    bind_text(insert, at, str_of(c->note));
    int failed = run(s, WRITE_CARRIER_INSERT);
    if (failed)
        return failed;
    int64_t id = sqlite3_last_insert_rowid(s->db);
    if (id > UINT16_MAX) /* what rows of open work are remembered with */
        return store_fail(base, -ENOSPC, "the store has seen %d carriers and takes no more",
                          UINT16_MAX);
    c->id = (unsigned)id;
    return 0;
}

int sqlite_carrier_note(struct store *base, const struct carrier_record *c)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *note = s->statements[WRITE_CARRIER_NOTE];

    bind_text(note, bind_state(note, c->id, c), str_of(c->note));
    return run(s, WRITE_CARRIER_NOTE);
}

int sqlite_carrier_twice(struct store *base, unsigned id)
{
    return RUN_WITH(sqlite_of(base), WRITE_CARRIER_TWICE, id);
}

int sqlite_carrier_drain(struct store *base, unsigned id, bool drained)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = RUN_WITH(s, WRITE_CARRIER_DRAIN, id, drained);

    if (failed)
        return failed;
    return sqlite3_changes(s->db) ? 0 : store_fail(base, -ENOENT, "no such carrier");
}
