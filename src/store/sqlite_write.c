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

int sqlite_begin(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);

    s->tally_count = 0;
    return run(s, WRITE_BEGIN);
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

static int insert_message(struct sqlite_store *s, const struct message *m)
{
    sqlite3_stmt *insert = s->statements[WRITE_MESSAGE_INSERT];
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
    bind_text(insert, at, m->text);
    return run(s, WRITE_MESSAGE_INSERT);
}

/* The place of a message in the memory of open work. */
static struct work *work_slot(struct sqlite_store *s, int64_t id)
{
    return &s->works[((uint64_t)id * 0x9e3779b97f4a7c15u) >> (64 - WORK_SLOT_BITS)];
}

int sqlite_message_insert(struct store *base, const struct message *m)
{
    struct sqlite_store *s = sqlite_of(base);
    struct work work = {.id = m->id,
                        .owner = owner_of(m->account, m->mode),
                        .sent_us = NOT_YET,
                        .retry_count = m->retry_count,
                        .status = m->status};
    int failed = insert_message(s, m);

    if (!failed)
        failed = RUN_WITH(s, WRITE_WORK_INSERT, m->id, work.owner, m->status, m->updated_us,
                          work.sent_us, work.retry_count);
    if (!failed)
        failed = count(s, work.owner, m->status, 1);
    if (!failed)
        *work_slot(s, m->id) = work;
    return failed;
}

/* 1 found, 0 no open message has this number. */
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

static int move_on(struct sqlite_store *s, const struct message_move *move, struct work work)
{
    if (move->to == STATUS_SENT)
        work.sent_us = move->at_us;
    work.status = move->to;
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
    return failed ? failed : RUN_WITH(s, WRITE_WORK_DELETE, move->id);
}

int sqlite_message_move(struct store *base, const struct message_move *move)
{
    struct sqlite_store *s = sqlite_of(base);
    struct work was = {0};
    int found = read_work(s, move->id, &was);

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
