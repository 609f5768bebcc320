/* What the rows of a message do not tell of its history. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

enum { EVENTS_MAX = 100 };

static int insert(struct sqlite_store *s, enum write_statement which, const struct event_record *e)
{
    sqlite3_stmt *insert = s->statements[which];

    bind_text(insert, BIND_NUMBERS(insert, e->message, e->at_us, e->kind), e->detail);
    return run(s, which);
}

int sqlite_event_add(struct store *base, const struct event_record *e)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = insert(s, WRITE_EVENT_INSERT_FIRST, e);

    if (failed || sqlite3_changes(s->db))
        return failed;
    return insert(s, WRITE_EVENT_INSERT, e);
}

int sqlite_event_list(struct store_reader *base, int64_t message, struct arena *a,
                      struct event_record **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_EVENT_LIST];
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    *ret = arena_alloc(a, EVENTS_MAX * sizeof **ret);
    if (!*ret)
        return -ENOMEM;
    BIND_NUMBERS(rows, message, EVENTS_MAX);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        struct event_record *e = &(*ret)[(*ret_count)++];
        *e = (struct event_record){.message = message,
                                   .at_us = sqlite3_column_int64(rows, 0),
                                   .kind = (enum event_kind)sqlite3_column_int(rows, 1),
                                   .detail = column_text(rows, 2, a)};
        failed = e->detail.p ? 0 : -ENOMEM;
    }
    int broken = finish(r, rows, code);
    return broken ? broken : failed;
}
