/* The write verbs: one transaction at a time on the writing connection. Rows are written in groups
 * (sqlite_gather.c), and counts once in a transaction (sqlite_tally.c). */
#include "sql.h"
#include "store/sqlite_media.h"
#include "store/sqlite_outbox.h"
#include "store/sqlite_pulse.h"
#include "store/sqlite_retention.h"
#include "store/sqlite_rollup.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"
#include "store/sqlite_work.h"

enum { LOG_PAGES_MOVE = 2000 }; /* ask the checkpointer from here on: 8 MB */

const char *const sqlite_write_sql[WRITE_COUNT] = {
#define X(name, sql) [WRITE_##name] = sql_##sql,
#include "store/sqlite_write.def"
#undef X
};

int sqlite_sync(struct sqlite_store *s, bool on)
{
    const char *sql = on ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL";

    if (s->unsynced == !on)
        return 0;
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return sqlite_failed(s);
    s->unsynced = !on;
    return 0;
}

/* Looking around ten times a second is too late for what is counted from memory. */
static void forget_if_changed(struct sqlite_store *s)
{
    if (!rollup_begin(s))
        return;
    work_forget_all(s->works);
    outbox_doubt(s);
    pulse_forget(s);
    retention_forget(s);
}

int sqlite_begin(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = sqlite_sync(s, true);

    tally_forget(s);
    gather_clear(s);
    if (!failed)
        failed = run(s, WRITE_BEGIN);
    if (failed)
        return failed;
    forget_if_changed(s);
    failed = outbox_begin(s);
    if (failed)
        sqlite_rollback(base);
    return failed;
}

void sqlite_rollback(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);
    char why[sizeof s->base.error];

    tally_forget(s);
    once_forget(&s->once);
    index_forget(&s->index);
    gather_clear(s);
    outbox_forget(s);
    rollup_forget(s);
    pulse_forget(s);
    retention_forget(s);
    media_forget(s);
    work_forget_all(s->works);
    memcpy(why, s->base.error, sizeof why);
    if (!sqlite3_get_autocommit(s->db)) /* SQLite may have rolled back by itself */
        run(s, WRITE_ROLLBACK);
    memcpy(s->base.error, why, sizeof why);
}

int sqlite_commit(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = gather_flush(s);

    if (!failed)
        failed = outbox_flush(s);
    if (!failed)
        failed = rollup_flush(s);
    if (!failed)
        failed = pulse_flush(s);
    if (!failed)
        failed = tally_flush(s);
    if (!failed)
        failed = run(s, WRITE_COMMIT);
    if (failed)
        sqlite_rollback(base);
    else
        atomic_fetch_add(&s->base.commits, 1);
    if (!failed)
        media_drop_spares(s);
    return failed;
}

/* Where a new message stands besides its own row. */
static int insert_state(struct sqlite_store *s, const struct message *m, int64_t series)
{
    struct work work = {.id = m->id,
                        .owner = owner_of(m->account, m->mode),
                        .series = series,
                        .updated_us = m->updated_us,
                        .sent_us = NOT_YET,
                        .retry_count = (uint16_t)m->retry_count,
                        .carrier = (uint16_t)m->carrier,
                        .status = m->status,
                        .hooked = m->webhook_url.n != 0};

    if (m->status == STATUS_QUEUED)
        return gather_work(s, &work);
    int failed = RUN_WITH(s, WRITE_STANDING_INSERT, work.owner, m->status, m->id);
    if (failed)
        return failed;
    if (m->status == STATUS_SCHEDULED)
        return RUN_WITH(s, WRITE_SCHEDULE_INSERT, m->scheduled_us, m->id, series);
    return gather_ending(s, &(struct ending){.id = m->id,
                                             .status = m->status,
                                             .ended_us = m->created_us,
                                             .carrier = work.carrier});
}

int sqlite_message_insert(struct store *base, const struct message *m)
{
    struct sqlite_store *s = sqlite_of(base);
    int64_t series = 0;
    int failed = gather_message(s, m);

    if (!failed)
        failed = rollup_accepted(s, m, &series);
    if (!failed)
        failed = insert_state(s, m, series);
    if (!failed)
        failed = tally_count(s, TALLY_STATUS, owner_of(m->account, m->mode), m->status, 1);
    if (!failed && m->status == STATUS_QUEUED)
        failed = tally_count_lane(s, owner_of(m->account, m->mode), m->carrier, 1);
    if (!failed)
        failed = pulse_accepted(s, m);
    if (!failed)
        index_note(s, m);
    return failed ? failed : outbox_accepted(s, m);
}

/* Takes a message that waits for its time off the schedule: 1, 0 it is not scheduled. */
static int take_scheduled(struct sqlite_store *s, int64_t id, struct work *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_SCHEDULE_GET];
    int64_t due_us = 0;

    sqlite3_bind_int64(get, 1, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW) {
        *ret = (struct work){.id = id,
                             .owner = sqlite3_column_int64(get, 0),
                             .status = STATUS_SCHEDULED,
                             .sent_us = NOT_YET,
                             .carrier = (uint16_t)sqlite3_column_int(get, 2),
                             .hooked = sqlite3_column_int(get, 3),
                             .series = sqlite3_column_int64(get, 4)};
        due_us = sqlite3_column_int64(get, 1);
    }
    sqlite3_reset(get);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? 0 : sqlite_failed(s);
    int failed = RUN_WITH(s, WRITE_SCHEDULE_DELETE, due_us, id);
    if (!failed)
        failed = RUN_WITH(s, WRITE_STANDING_DELETE, ret->owner, ret->status, id);
    return failed ? failed : 1;
}

static int move_on(struct sqlite_store *s, const struct message_move *move, struct work work)
{
    if (move->to == STATUS_SENT)
        work.sent_us = move->at_us;
    else if (work.sent_us == NOT_YET_BUT_HANDED)
        work.sent_us = NOT_YET;
    work.status = move->to;
    work.updated_us = move->at_us;
    return gather_work(s, &work);
}

static int move_to_end(struct sqlite_store *s, const struct message_move *move,
                       const struct work *was)
{
    struct ending ending = {.id = move->id,
                            .status = move->to,
                            .ended_us = move->at_us,
                            .sent_us = time_if_any(was->sent_us),
                            .failure = move->failure,
                            .retry_count = was->retry_count,
                            .carrier = was->carrier};
    int failed = gather_ending(s, &ending);

    if (!failed && move->to != STATUS_DELIVERED)
        failed = RUN_WITH(s, WRITE_STANDING_INSERT, was->owner, move->to, move->id);
    if (failed || was->status == STATUS_SCHEDULED)
        return failed;
    work_forget(s->works, move->id);
    gather_drop_work(s, move->id);
    failed = RUN_WITH(s, WRITE_WORK_DELETE, move->id);
    if (!failed && was->carrier && move->to == STATUS_FAILED)
        failed = RUN_WITH(s, WRITE_PARTS_CLOSE, move->id);
    return failed;
}

int sqlite_message_move(struct store *base, const struct message_move *move)
{
    struct sqlite_store *s = sqlite_of(base);
    struct work was = {0};
    int found = gather_read_work(s, move->id, &was);

    if (found == 0 && move->from & status_bit(STATUS_SCHEDULED))
        found = take_scheduled(s, move->id, &was);
    if (found <= 0)
        return found;
    if (!(move->from & status_bit(was.status)) ||
        (move->to == STATUS_CANCELLED && was.sent_us == NOT_YET_BUT_HANDED))
        return 0;
    bool open = status_bit(move->to) & STATUS_OPEN_BITS;
    int failed = open ? move_on(s, move, was) : move_to_end(s, move, &was);
    if (!failed)
        failed = tally_count(s, TALLY_STATUS, was.owner, was.status, -1);
    if (!failed)
        failed = tally_count(s, TALLY_STATUS, was.owner, move->to, 1);
    int queued = (move->to == STATUS_QUEUED) - (was.status == STATUS_QUEUED);
    if (!failed && queued)
        failed = tally_count_lane(s, was.owner, was.carrier, queued);
    if (!failed)
        failed = rollup_moved(s, move, &was);
    if (!failed)
        failed = pulse_moved(s, move, &was);
    if (!failed)
        failed = outbox_moved(s, move, &was);
    if (failed)
        return failed;
    deeds_moved(&s->base.deeds, (enum mode)(was.owner & 1), move,
                was.status == STATUS_QUEUED ? was.updated_us : 0, time_if_any(was.sent_us));
    return 1;
}

int sqlite_touch(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);
    return sqlite3_exec(s->db, sql_meta_touch, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                              : sqlite_failed(s);
}

bool sqlite_wrote_elsewhere(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);
    sqlite3_stmt *ask = s->statements[WRITE_DATA_VERSION];
    int64_t version = s->data_version;

    if (sqlite3_step(ask) == SQLITE_ROW)
        version = sqlite3_column_int64(ask, 0);
    sqlite3_reset(ask);
    bool changed = version != s->data_version;
    s->data_version = version;
    if (changed) {
        work_forget_all(s->works);
        outbox_doubt(s);
        pulse_forget(s);
        atomic_fetch_add(&s->base.commits, 1);
    }
    return changed;
}

/* Moves the rest of the log and starts it afresh, unless a reader is still inside: commits must not
 * wait for one, and there is a next time. */
static void restart_log(struct sqlite_store *s)
{
    sqlite3_busy_timeout(s->db, 0);
    if (sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL) == SQLITE_OK)
        s->log_pages = 0;
    sqlite3_busy_timeout(s->db, BUSY_MS);
}

void sqlite_tidy(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);

    if (s->log_pages < LOG_PAGES_MOVE)
        return;
    if (atomic_exchange(&s->checkpointer.caught_up, false))
        restart_log(s);
    else
        checkpointer_ask(&s->checkpointer);
}
