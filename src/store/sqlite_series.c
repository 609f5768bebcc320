/* The table `series` and the writer's memory of it. */
#include "store/sqlite_rollup.h"
#include "store/sqlite_rows.h"

void sqlite_series_from_row(sqlite3_stmt *row, struct series_record *ret)
{
    int64_t owner = sqlite3_column_int64(row, 0);

    *ret = (struct series_record){.account = owner >> 1,
                                  .mode = (enum mode)(owner & 1),
                                  .id = sqlite3_column_int64(row, 1),
                                  .direction = (enum direction)sqlite3_column_int(row, 2),
                                  .kind = (enum message_kind)sqlite3_column_int(row, 3),
                                  .type = (enum message_type)sqlite3_column_int(row, 4),
                                  .number_type = (enum number_type)sqlite3_column_int(row, 5),
                                  .sender = column_view(row, 7),
                                  .other_tags = sqlite3_column_type(row, 8) == SQLITE_NULL};
    column_word(row, 6, ret->country, sizeof ret->country);
    ret->tags = ret->other_tags ? STR("") : column_view(row, 8);
}

static void ended_from_row(sqlite3_stmt *row, struct message *m)
{
    m->status = (enum message_status)sqlite3_column_int(row, 11);
    m->updated_us = sqlite3_column_int64(row, 12);
    m->sent_us = sqlite3_column_int64(row, 13);
    m->failure = (enum failure)sqlite3_column_int(row, 14);
    if (m->status == STATUS_DELIVERED)
        m->delivered_us = m->updated_us;
}

void sqlite_counted_from_row(sqlite3_stmt *row, struct message *m, int64_t *ret_series)
{
    int64_t owner = sqlite3_column_int64(row, 1);

    *m = (struct message){.id = sqlite3_column_int64(row, 0),
                          .account = owner >> 1,
                          .mode = (enum mode)(owner & 1),
                          .direction = (enum direction)sqlite3_column_int(row, 2),
                          .kind = (enum message_kind)sqlite3_column_int(row, 3),
                          .type = (enum message_type)sqlite3_column_int(row, 4),
                          .number_type = (enum number_type)sqlite3_column_int(row, 5),
                          .from = column_view(row, 7),
                          .tags = column_view(row, 8),
                          .segments = (unsigned)sqlite3_column_int(row, 9),
                          .cost_micros = sqlite3_column_int64(row, 10),
                          .scheduled_us = sqlite3_column_int64(row, 18)};
    column_word(row, 6, m->country, sizeof m->country);
    *ret_series = sqlite3_column_int64(row, 17);
    m->status = STATUS_SCHEDULED;
    if (sqlite3_column_type(row, 11) != SQLITE_NULL)
        ended_from_row(row, m);
    else if (sqlite3_column_type(row, 15) != SQLITE_NULL) {
        m->status = (enum message_status)sqlite3_column_int(row, 15);
        m->sent_us = time_if_any(sqlite3_column_int64(row, 16));
    }
}

static int load(struct sqlite_store *s)
{
    sqlite3_stmt *rows = s->statements[WRITE_SERIES_ALL];
    struct rollups *r = s->rollups;
    struct series_record series;
    int code, failed = 0;

    series_clear(&r->series);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        sqlite_series_from_row(rows, &series);
        failed = series_put(&r->series, &series);
    }
    sqlite3_reset(rows);
    if (!failed && code != SQLITE_DONE)
        failed = sqlite_failed(s);
    r->series_known = !failed;
    return failed;
}

static int add(struct sqlite_store *s, struct series_record *r)
{
    sqlite3_stmt *insert = s->statements[WRITE_SERIES_INSERT];

    r->id = series_next(&s->rollups->series, r->account, r->mode);
    BIND_NUMBERS(insert, owner_of(r->account, r->mode), r->id, r->direction, r->kind, r->type,
                 r->number_type);
    bind_text(insert, 7, str_of(r->country));
    bind_text(insert, 8, r->sender);
    if (r->other_tags)
        sqlite3_bind_null(insert, 9);
    else
        bind_text(insert, 9, r->tags);
    s->rollups->series_added = true;
    int failed = run(s, WRITE_SERIES_INSERT);
    return failed ? failed : series_put(&s->rollups->series, r);
}

int sqlite_series_of(struct sqlite_store *s, const struct message *m, int64_t *ret)
{
    struct rollups *r = s->rollups;
    struct series_record series;
    char room[SERIES_TAGS_SIZE];
    int failed = r->series_known ? 0 : load(s);

    if (failed)
        return failed;
    series_of_message(&series, m, room);
    *ret = series_find(&r->series, &series);
    if (*ret) /* so its tags are told apart */
        return 0;
    series_settle(&r->series, &series, r->tag_sets_max);
    *ret = series_find(&r->series, &series);
    if (*ret)
        return 0;
    failed = add(s, &series);
    *ret = series.id;
    return failed;
}
