/* Parts of messages from handsets that wait for the others. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

static int part_from_row(sqlite3_stmt *row, struct arena *a, struct inbound_part_record *p)
{
    *p = (struct inbound_part_record){.carrier = (unsigned)sqlite3_column_int(row, 0),
                                      .reference = (unsigned)sqlite3_column_int(row, 1),
                                      .total = (unsigned)sqlite3_column_int(row, 2),
                                      .number = (unsigned)sqlite3_column_int(row, 3),
                                      .at_us = sqlite3_column_int64(row, 4),
                                      .from = column_text(row, 5, a),
                                      .to = column_text(row, 6, a),
                                      .text = column_text(row, 7, a)};
    return p->from.p && p->to.p && p->text.p ? 0 : -ENOMEM;
}

/* All rows of a bound statement; its last code, or -ENOMEM. */
static int read_parts(sqlite3_stmt *rows, struct rows *list)
{
    struct inbound_part_record *p;
    int code, failed = 0;

    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed && (p = rows_add(list)))
        failed = part_from_row(rows, list->arena, p);
    return failed || list->failed ? -ENOMEM : code;
}

int sqlite_inbound_part_overdue(struct store_reader *base, int64_t before_us, size_t limit,
                                struct arena *a, struct inbound_part_record **ret,
                                size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_INBOUND_PART_OVERDUE];
    struct rows list = {.arena = a, .size = sizeof **ret};
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(rows, before_us, (int64_t)limit);
    int code = read_parts(rows, &list);
    *ret = list.at;
    *ret_count = list.count;
    int broken = finish(r, rows, code == -ENOMEM ? SQLITE_ROW : code);
    return code == -ENOMEM ? code : broken;
}

static int put(struct sqlite_store *s, const struct inbound_part_record *p)
{
    sqlite3_stmt *put = s->statements[WRITE_INBOUND_PART_PUT];
    int at = BIND_NUMBERS(put, p->carrier, p->reference, p->total, p->number, p->at_us);

    bind_text(put, at++, p->from);
    bind_text(put, at++, p->to);
    bind_text(put, at, p->text);
    return run(s, WRITE_INBOUND_PART_PUT);
}

static sqlite3_stmt *bind_message(struct sqlite_store *s, enum write_statement which,
                                  const struct inbound_part_record *p)
{
    sqlite3_stmt *statement = s->statements[which];
    int at = BIND_NUMBERS(statement, p->carrier, p->reference, p->total);

    bind_text(statement, at++, p->from);
    bind_text(statement, at, p->to);
    return statement;
}

/* How many parts of this message are there. */
static int count_parts(struct sqlite_store *s, const struct inbound_part_record *p)
{
    sqlite3_stmt *count = bind_message(s, WRITE_INBOUND_PART_COUNT, p);
    int code = sqlite3_step(count);
    int found = code == SQLITE_ROW ? sqlite3_column_int(count, 0) : 0;

    sqlite3_reset(count);
    return code == SQLITE_ROW ? found : sqlite_failed(s);
}

static int take_out(struct sqlite_store *s, const struct inbound_part_record *p, struct rows *list)
{
    sqlite3_stmt *all = bind_message(s, WRITE_INBOUND_PART_ALL, p);
    int code = read_parts(all, list);

    sqlite3_reset(all);
    if (code != SQLITE_DONE)
        return code == -ENOMEM ? code : sqlite_failed(s);
    bind_message(s, WRITE_INBOUND_PART_DELETE, p);
    return run(s, WRITE_INBOUND_PART_DELETE);
}

int sqlite_inbound_part_add(struct store *base, const struct inbound_part_record *p, bool force,
                            struct arena *a, struct inbound_part_record **ret, size_t *ret_count)
{
    struct sqlite_store *s = sqlite_of(base);
    struct rows list = {.arena = a, .size = sizeof **ret};
    int failed = force ? 0 : put(s, p);
    int count = failed ? failed : count_parts(s, p);

    if (count < 0)
        return count;
    if (!force && (unsigned)count < p->total)
        return 0;
    failed = take_out(s, p, &list);
    *ret = list.at;
    *ret_count = failed ? 0 : list.count;
    return failed;
}
