/* Stores from before there were rollups: their messages are counted as they stand. */
#include "sql.h"
#include "store/sqlite_rollup.h"
#include "store/sqlite_rows.h"

static const enum write_statement used[] = {WRITE_SERIES_INSERT, WRITE_SERIES_ALL, WRITE_ROLLUP_GET,
                                            WRITE_ROLLUP_PUT};
enum { USED_COUNT = sizeof used / sizeof *used };

enum { COUNTED, WORK_SET, SCHEDULE_SET, OWN_COUNT };
static const char *const own_sql[OWN_COUNT] = {sql_counted_all, sql_work_set_series,
                                               sql_schedule_set_series};

/* So that what comes of it is counted there, too. */
static int note_series(struct sqlite_store *s, sqlite3_stmt *const *own, const struct message *m,
                       int64_t series)
{
    bool scheduled = m->status == STATUS_SCHEDULED;
    sqlite3_stmt *set = own[scheduled ? SCHEDULE_SET : WORK_SET];

    if (!(status_bit(m->status) & STATUS_OPEN_BITS))
        return 0;
    BIND_NUMBERS(set, m->id, series);
    if (scheduled)
        sqlite3_bind_int64(set, 3, m->scheduled_us);
    int code = sqlite3_step(set);
    sqlite3_reset(set);
    return code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

static int count_message(struct sqlite_store *s, sqlite3_stmt *const *own)
{
    struct rollup_change c;
    struct message m;
    int64_t series;

    sqlite_counted_from_row(own[COUNTED], &m, &series);
    int failed = sqlite_series_of(s, &m, &series);
    if (failed)
        return failed;
    rollup_change_of(&c, &m, series);
    failed = rollup_apply(s, &c);
    return failed ? failed : note_series(s, own, &m, series);
}

static int count_all(struct sqlite_store *s, sqlite3_stmt *const *own)
{
    int code = SQLITE_DONE, failed = 0;

    while (!failed && (code = sqlite3_step(own[COUNTED])) == SQLITE_ROW)
        failed = count_message(s, own);
    if (!failed && code != SQLITE_DONE)
        failed = sqlite_failed(s);
    return failed ? failed : rollup_flush(s);
}

/* The statements of the writing connection are not prepared yet: further migrations may come. */
static int count_anew(struct sqlite_store *s)
{
    sqlite3_stmt *own[OWN_COUNT] = {NULL};
    int failed = sqlite_prepare(s->db, own_sql, own, OWN_COUNT);

    for (size_t i = 0; i < USED_COUNT && !failed; i++)
        failed = sqlite_prepare(s->db, &sqlite_write_sql[used[i]], &s->statements[used[i]], 1);
    if (!failed)
        failed = count_all(s, own);
    sqlite_finalize(own, OWN_COUNT);
    for (size_t i = 0; i < USED_COUNT; i++) {
        sqlite3_finalize(s->statements[used[i]]);
        s->statements[used[i]] = NULL;
    }
    rollup_forget(s);
    return failed;
}

int rollup_backfill(struct sqlite_store *s)
{
    int64_t counted = 0;
    int failed = sqlite_number(s->db, "SELECT EXISTS (SELECT 1 FROM rollup)", &counted);

    return failed || counted || !COUNTING ? failed : count_anew(s);
}
