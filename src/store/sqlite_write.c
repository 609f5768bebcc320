/* The write verbs: one transaction at a time on the writing connection.
 *
 * Counts of messages per status are gathered while a transaction runs and written at its end, one
 * row per owner and status, however many messages it holds. */
#include "sql.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

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

int sqlite_begin(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = sqlite_sync(s, true);

    s->tally_count = 0;
    return failed ? failed : run(s, WRITE_BEGIN);
}

static int write_tallies(struct sqlite_store *s)
{
    int failed = 0;

    for (size_t i = 0; i < s->tally_count && !failed; i++) {
        struct tally_delta *d = &s->tallies[i];
        if (d->count == 0)
            continue;
        failed = RUN_WITH(s, WRITE_TALLY_ADD, d->owner, d->status, d->count);
    }
    s->tally_count = 0;
    return failed;
}

static int count(struct sqlite_store *s, int64_t owner, enum message_status status, int delta)
{
    for (size_t i = 0; i < s->tally_count; i++)
        if (s->tallies[i].owner == owner && s->tallies[i].status == status) {
            s->tallies[i].count += delta;
            return 0;
        }
    int failed = s->tally_count == TALLY_SLOTS ? write_tallies(s) : 0;
    s->tallies[s->tally_count++] = (struct tally_delta){owner, status, delta};
    return failed;
}

/* After a rollback nothing remembered is certain. */
static void forget_works(struct sqlite_store *s)
{
    memset(s->works, 0, WORK_SLOTS * sizeof *s->works);
}

void sqlite_rollback(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);
    char why[sizeof s->base.error];

    s->tally_count = 0;
    once_forget(&s->once);
    index_forget(&s->index);
    forget_works(s);
    memcpy(why, s->base.error, sizeof why);
    if (!sqlite3_get_autocommit(s->db)) /* SQLite may have rolled back by itself */
        run(s, WRITE_ROLLBACK);
    memcpy(s->base.error, why, sizeof why);
}

int sqlite_commit(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = write_tallies(s);

    if (!failed)
        failed = run(s, WRITE_COMMIT);
    if (failed)
        sqlite_rollback(base);
    else
        atomic_fetch_add(&s->base.commits, 1);
    return failed;
}

/* What every message has; the place of the parameter behind. */
static int bind_message(sqlite3_stmt *insert, const struct message *m)
{
    const int64_t numbers[] = {m->id,          owner_of(m->account, m->mode),
                               m->created_us,  m->direction,
                               m->kind,        m->type,
                               m->encoding,    m->segments,
                               m->number_type, m->coverage,
                               m->reason,      m->rate_limit,
                               m->calling_code};
    int at = bind_numbers(insert, numbers, sizeof numbers / sizeof *numbers);

    bind_text(insert, at++, str_of(m->country));
    sqlite3_bind_int64(insert, at++, m->cost_micros);
    bind_text(insert, at++, str_of(m->currency));
    bind_text(insert, at++, m->from);
    bind_text(insert, at++, m->to);
    bind_text(insert, at++, m->media);
    bind_text(insert, at++, m->text);
    return at;
}

static bool has_extras(const struct message *m)
{
    return m->subject.n || m->tags.n || m->metadata.n || m->webhook_url.n ||
           m->webhook_failover_url.n || m->validity_s || m->scheduled_us || m->batch;
}

static void bind_extras(sqlite3_stmt *insert, int at, const struct message *m)
{
    bind_text_or_null(insert, at++, m->subject);
    bind_text_or_null(insert, at++, m->tags);
    bind_text_or_null(insert, at++, m->metadata);
    bind_text_or_null(insert, at++, m->webhook_url);
    bind_text_or_null(insert, at++, m->webhook_failover_url);
    bind_number_or_null(insert, at++, m->validity_s);
    bind_number_or_null(insert, at++, m->scheduled_us);
    bind_number_or_null(insert, at, m->batch);
}

/* Most messages have no extras, and binding nothing eight times would cost them. */
static int insert_message(struct sqlite_store *s, const struct message *m)
{
    bool whole = has_extras(m);
    enum write_statement which = whole ? WRITE_MESSAGE_INSERT_WHOLE : WRITE_MESSAGE_INSERT;
    int at = bind_message(s->statements[which], m);

    if (whole)
        bind_extras(s->statements[which], at, m);
    return run(s, which);
}

/* The place of a message in the memory of open work. */
static struct work *work_slot(struct sqlite_store *s, int64_t id)
{
    return &s->works[((uint64_t)id * 0x9e3779b97f4a7c15u) >> (64 - WORK_SLOT_BITS)];
}

/* The row of a message that becomes open. */
static int insert_work(struct sqlite_store *s, const struct work *work, int64_t updated_us)
{
    *work_slot(s, work->id) = *work;
    return RUN_WITH(s, WRITE_WORK_INSERT, work->id, work->owner, work->status, updated_us,
                    work->sent_us, work->retry_count);
}

/* Where a new message stands besides its own row. */
static int insert_state(struct sqlite_store *s, const struct message *m)
{
    struct work work = {.id = m->id,
                        .owner = owner_of(m->account, m->mode),
                        .sent_us = NOT_YET,
                        .retry_count = m->retry_count,
                        .status = m->status};

    if (m->status == STATUS_SCHEDULED)
        return RUN_WITH(s, WRITE_SCHEDULE_INSERT, m->scheduled_us, m->id);
    if (m->status == STATUS_RECEIVED)
        return RUN_WITH(s, WRITE_ENDING_INSERT, m->id, m->status, m->created_us, 0, FAILURE_NONE,
                        0);
    return insert_work(s, &work, m->updated_us);
}

int sqlite_message_insert(struct store *base, const struct message *m)
{
    struct sqlite_store *s = sqlite_of(base);
    int failed = insert_message(s, m);

    if (!failed)
        failed = insert_state(s, m);
    if (!failed)
        failed = count(s, owner_of(m->account, m->mode), m->status, 1);
    if (!failed)
        index_note(s, m);
    return failed;
}

/* 1 found, 0 no message with this number is queued or sent. */
static int read_work(struct sqlite_store *s, int64_t id, struct work *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_WORK_GET];

    if (work_slot(s, id)->id == id) {
        *ret = *work_slot(s, id);
        return 1;
    }
    sqlite3_bind_int64(get, 1, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        *ret = (struct work){.id = id,
                             .owner = sqlite3_column_int64(get, 0),
                             .status = (enum message_status)sqlite3_column_int(get, 1),
                             .sent_us = sqlite3_column_int64(get, 2),
                             .retry_count = sqlite3_column_int64(get, 3)};
    sqlite3_reset(get);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sqlite_failed(s);
    return code == SQLITE_ROW;
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
                             .sent_us = NOT_YET};
        due_us = sqlite3_column_int64(get, 1);
    }
    sqlite3_reset(get);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? 0 : sqlite_failed(s);
    int failed = RUN_WITH(s, WRITE_SCHEDULE_DELETE, due_us, id);
    return failed ? failed : 1;
}

static int move_on(struct sqlite_store *s, const struct message_move *move, struct work work)
{
    bool has_row = work.status != STATUS_SCHEDULED;

    if (move->to == STATUS_SENT)
        work.sent_us = move->at_us;
    work.status = move->to;
    if (!has_row)
        return insert_work(s, &work, move->at_us);
    *work_slot(s, move->id) = work;
    return RUN_WITH(s, WRITE_WORK_UPDATE, move->id, move->to, move->at_us, work.sent_us);
}

static int move_to_end(struct sqlite_store *s, const struct message_move *move,
                       const struct work *was)
{
    int64_t sent_us = was->sent_us == NOT_YET ? 0 : was->sent_us;
    int failed = RUN_WITH(s, WRITE_ENDING_INSERT, move->id, move->to, move->at_us, sent_us,
                          move->failure, was->retry_count);

    if (work_slot(s, move->id)->id == move->id)
        work_slot(s, move->id)->id = 0;
    if (failed || was->status == STATUS_SCHEDULED)
        return failed;
    return RUN_WITH(s, WRITE_WORK_DELETE, move->id);
}

int sqlite_message_move(struct store *base, const struct message_move *move)
{
    struct sqlite_store *s = sqlite_of(base);
    struct work was = {0};
    int found = read_work(s, move->id, &was);

    if (found == 0 && move->from & status_bit(STATUS_SCHEDULED))
        found = take_scheduled(s, move->id, &was);
    if (found <= 0)
        return found;
    if (!(move->from & status_bit(was.status)))
        return 0;
    bool open = status_bit(move->to) & STATUS_OPEN_BITS;
    int failed = open ? move_on(s, move, was) : move_to_end(s, move, &was);
    if (!failed)
        failed = count(s, was.owner, was.status, -1);
    if (!failed)
        failed = count(s, was.owner, move->to, 1);
    return failed ? failed : 1;
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
        forget_works(s);
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
