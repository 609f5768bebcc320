/* Open work by the carrier that it goes to. `work` has no index for it: who looks for one carrier's
 * messages passes the others' by, and is told how far it came. */
#include "store/sqlite_gather.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

/* ---- reading ---- */

static int read_message(struct sqlite_reader *r, int64_t id, struct arena *a, struct message *ret)
{
    sqlite3_stmt *get = r->statements[READ_WORK_MESSAGE];

    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    int failed = code == SQLITE_ROW ? sqlite_message_from_row(get, a, ret) : -ENOENT;
    int broken = finish(r, get, code);
    return broken ? broken : failed;
}

static bool is_wanted(sqlite3_stmt *row, const struct work_query *q)
{
    return (unsigned)sqlite3_column_int(row, 2) == q->carrier &&
           (q->sent || sqlite3_column_int(row, 1) == STATUS_QUEUED);
}

int sqlite_work_list(struct store_reader *base, const struct work_query *q, struct arena *a,
                     struct message **ret, size_t *ret_count, int64_t *ret_looked, bool *ret_end)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_WORK_AFTER];
    struct rows list = {.arena = a, .size = sizeof **ret};
    size_t looked = 0, most = q->look_max ? q->look_max : SIZE_MAX;
    int code = SQLITE_ROW, failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(rows, q->after);
    while (!failed && list.count < q->limit && looked++ < most &&
           (code = sqlite3_step(rows)) == SQLITE_ROW) {
        *ret_looked = sqlite3_column_int64(rows, 0);
        if (!is_wanted(rows, q))
            continue;
        struct message *m = rows_add(&list);
        failed = m ? read_message(r, *ret_looked, a, m) : -ENOMEM;
    }
    *ret = list.at;
    *ret_count = list.count;
    *ret_end = code == SQLITE_DONE;
    int broken = finish(r, rows, code);
    return broken ? broken : failed;
}

int sqlite_work_carriers(struct store_reader *base, unsigned *ret, size_t max, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_CARRIER_BUSY];
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && *ret_count < max)
        ret[(*ret_count)++] = (unsigned)sqlite3_column_int(rows, 0);
    return finish(r, rows, code);
}

/* ---- writing ---- */

/* The message is another carrier's from now on. */
static int give_to(struct sqlite_store *s, struct work *work, unsigned carrier)
{
    int failed = 0;

    if (work->carrier != carrier) {
        failed = tally_count_lane(s, work->owner, work->carrier, -1);
        if (!failed)
            failed = tally_count_lane(s, work->owner, carrier, 1);
    }
    work->carrier = (uint16_t)carrier;
    return failed ? failed : gather_work(s, work);
}

int sqlite_hand_over(struct store *base, const int64_t *ids, size_t count, unsigned carrier)
{
    struct sqlite_store *s = sqlite_of(base);

    for (size_t i = 0; i < count; i++) {
        struct work work;
        int found = gather_read_work(s, ids[i], &work);
        if (found < 0)
            return found;
        if (found == 0 || work.status != STATUS_QUEUED)
            continue;
        work.sent_us = NOT_YET_BUT_HANDED;
        int failed = give_to(s, &work, carrier);
        if (failed)
            return failed;
    }
    return 0;
}

int sqlite_requeue(struct store *base, int64_t id, unsigned carrier, unsigned retry_count)
{
    struct sqlite_store *s = sqlite_of(base);
    struct work work;
    int found = gather_read_work(s, id, &work);

    if (found <= 0 || work.status != STATUS_QUEUED)
        return found < 0 ? found : 0;
    work.retry_count = (uint16_t)retry_count;
    work.sent_us = NOT_YET;
    int failed = give_to(s, &work, carrier);
    return failed ? failed : 1;
}
