/* What requests that are answered once leave to be done later: volumes and filters that lead to
 * their rows, and the end of rows that are past their time. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"
#include "store/stint.h"

enum { FILTER_ROWS = 4096, EXPIRY_ROWS = 1000 };

/* ---- what is remembered ---- */

bool once_wants_rows(struct sqlite_store *s, bool idle)
{
    return !s->once.loaded;
}

int once_read_rows(struct sqlite_store *s, bool idle)
{
    return once_load(s);
}

/* ---- volumes ---- */

bool once_wants_volume(struct sqlite_store *s, bool idle)
{
    return s->once.loaded && s->once.pending.rows >= (idle ? s->sizes.bulk_idle : s->sizes.bulk);
}

int once_write_volume(struct sqlite_store *s, bool idle)
{
    int failed = shelf_add(s, &s->once.shelf, &s->once.pending);

    if (!failed)
        recent_forget(&s->once.recent, shelf_upto(&s->once.shelf));
    return failed;
}

/* ---- filters ---- */

bool once_wants_filter(struct sqlite_store *s, bool idle)
{
    return s->once.loaded && once_filters_incomplete(&s->once.filters);
}

static int add_to_filter(struct sqlite_store *s, int64_t id, int64_t term)
{
    struct once_filter *filter = once_filters_incomplete(&s->once.filters);

    if (once_generation(&s->once.filters, id) == filter->generation)
        bloom_add(&filter->bloom, (uint64_t)term);
    return 0;
}

int once_fill_filter(struct sqlite_store *s, bool idle)
{
    struct once_filter *filter = once_filters_incomplete(&s->once.filters);
    int64_t read = filter->read;
    int count = once_each_key(s, &read, FILTER_ROWS, add_to_filter);

    if (count >= 0)
        once_filter_note_read(&s->once.filters, filter, count < FILTER_ROWS ? s->once.last : read,
                              s->once.last);
    return count < 0 ? count : 0;
}

/* ---- rows past their time ---- */

bool once_wants_expiry(struct sqlite_store *s, bool idle)
{
    return s->once.loaded && clock_now_us(s->base.clock) >= s->once.expiry_us;
}

/* The oldest row; number 0 when there is none. */
static int read_oldest(struct sqlite_store *s, int64_t *ret_id, int64_t *ret_created_us)
{
    sqlite3_stmt *get = s->statements[WRITE_ONCE_OLDEST];
    int code = sqlite3_step(get);

    *ret_id = code == SQLITE_ROW ? sqlite3_column_int64(get, 0) : 0;
    *ret_created_us = code == SQLITE_ROW ? sqlite3_column_int64(get, 1) : 0;
    sqlite3_reset(get);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

/* Rows below this number are gone: so may be what leads to them. */
static int forget_before(struct sqlite_store *s, int64_t number)
{
    recent_forget(&s->once.recent, number - 1);
    once_filters_forget(&s->once.filters, number);
    return shelf_drop_before(s, &s->once.shelf, number);
}

/* Answers that are kept whole may be long, so it is not their number alone that counts. */
static int drop_rows(struct sqlite_store *s, int64_t oldest, int64_t before_us)
{
    struct stint stint;
    size_t rows;
    int failed = 0;

    stint_begin(&stint, s->chores_until_us, EXPIRY_ROWS);
    while (!failed && (rows = stint_next(&stint, clock_monotonic_us()))) {
        oldest += (int64_t)rows;
        failed = RUN_WITH(s, WRITE_ONCE_DELETE, oldest, before_us);
        if (!failed && sqlite3_changes(s->db) == 0)
            break;
    }
    return failed;
}

int once_expire(struct sqlite_store *s, bool idle)
{
    int64_t now_us = clock_now_us(s->base.clock), kept_us = s->base.retention.once_us;
    int64_t id, created_us;
    int failed = read_oldest(s, &id, &created_us);

    if (!failed && id)
        failed = drop_rows(s, id, now_us - kept_us);
    if (!failed)
        failed = read_oldest(s, &id, &created_us);
    if (!failed)
        s->once.expiry_us = (id ? created_us : now_us) + kept_us + 1;
    return failed ? failed : forget_before(s, id ? id : s->once.last + 1);
}
