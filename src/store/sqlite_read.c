/* The read verbs: each reader has a connection of its own and sees the last commit. */
#include "sql.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

const char *const sqlite_read_sql[READ_COUNT] = {
#define X(name, sql) [READ_##name] = sql_##sql,
#include "store/sqlite_read.def"
#undef X
};

static int step_once(struct sqlite_reader *r, enum read_statement which)
{
    return finish(r, r->statements[which], sqlite3_step(r->statements[which]));
}

/* Asked of SQLite, which leaves a transaction by itself after some errors. */
static bool is_inside(const struct sqlite_reader *r)
{
    return !sqlite3_get_autocommit(r->db);
}

void sqlite_reader_rest(struct store_reader *base)
{
    struct sqlite_reader *r = reader_of(base);

    if (is_inside(r))
        step_once(r, READ_COMMIT);
}

/* The count is read before the transaction
 * begins: it may see more than that, never less. */
int sqlite_enter(struct sqlite_reader *r)
{
    uint64_t commits = store_commits(r->base.store);

    if (is_inside(r) && r->seen == commits)
        return 0;
    sqlite_reader_rest(&r->base);
    r->seen = commits;
    return step_once(r, READ_BEGIN);
}

static void set_end_time(struct message *m)
{
    if (m->status == STATUS_DELIVERED)
        m->delivered_us = m->updated_us;
    if (m->status == STATUS_FAILED)
        m->failed_us = m->updated_us;
    if (m->status == STATUS_CANCELLED)
        m->cancelled_us = m->updated_us;
}

/* How it ended: the columns of `ending`. */
static void ending_from_row(sqlite3_stmt *row, int at, struct message *m)
{
    m->status = (enum message_status)sqlite3_column_int(row, at);
    m->updated_us = sqlite3_column_int64(row, at + 1);
    m->sent_us = sqlite3_column_int64(row, at + 2);
    m->failure = (enum failure)sqlite3_column_int(row, at + 3);
    m->retry_count = (unsigned)sqlite3_column_int(row, at + 4);
    m->carrier = (unsigned)sqlite3_column_int(row, at + 5);
    set_end_time(m);
}

/* Where it stands: the columns of `work`. */
static void work_from_row(sqlite3_stmt *row, int at, struct message *m)
{
    int64_t sent_us = sqlite3_column_int64(row, at + 2);

    m->status = (enum message_status)sqlite3_column_int(row, at);
    m->updated_us = sqlite3_column_int64(row, at + 1);
    m->sent_us = time_if_any(sent_us);
    m->handed = sent_us == NOT_YET_BUT_HANDED;
    m->retry_count = (unsigned)sqlite3_column_int(row, at + 3);
    m->carrier = (unsigned)sqlite3_column_int(row, at + 4);
}

enum { ENDING_COLUMNS = 6, WORK_COLUMNS = 5 };

/* What became of a message; the place of the column behind. A carrier other than the first choice
 * was the reason of the route. */
static int state_from_row(sqlite3_stmt *row, int at, struct message *m)
{
    int work = at + ENDING_COLUMNS;
    unsigned first_choice = m->carrier;

    if (sqlite3_column_type(row, at) != SQLITE_NULL)
        ending_from_row(row, at, m);
    else if (sqlite3_column_type(row, work) != SQLITE_NULL)
        work_from_row(row, work, m);
    else {
        m->status = STATUS_SCHEDULED;
        m->updated_us = m->created_us;
    }
    if (m->carrier != first_choice)
        m->reason = REASON_FAILOVER;
    return work + WORK_COLUMNS;
}

/* What few messages have. False when memory is short. */
static bool extras_from_row(sqlite3_stmt *row, int at, struct arena *a, struct message *m)
{
    struct str *const texts[] = {&m->subject, &m->tags, &m->metadata, &m->webhook_url,
                                 &m->webhook_failover_url};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++, at++)
        if (sqlite3_column_type(row, at) != SQLITE_NULL) {
            *texts[i] = column_text(row, at, a);
            if (!texts[i]->p)
                return false;
        }
    m->validity_s = sqlite3_column_int64(row, at++);
    m->scheduled_us = sqlite3_column_int64(row, at++);
    m->batch = sqlite3_column_int64(row, at);
    return true;
}

int sqlite_message_from_row(sqlite3_stmt *row, struct arena *a, struct message *m)
{
    int at = 0;

    memset(m, 0, sizeof *m);
    m->id = sqlite3_column_int64(row, at++);
    int64_t owner = sqlite3_column_int64(row, at++);
    m->account = owner >> 1;
    m->mode = (enum mode)(owner & 1);
    m->created_us = sqlite3_column_int64(row, at++);
    m->direction = (enum direction)sqlite3_column_int(row, at++);
    m->kind = (enum message_kind)sqlite3_column_int(row, at++);
    m->type = (enum message_type)sqlite3_column_int(row, at++);
    m->encoding = (enum encoding)sqlite3_column_int(row, at++);
    m->segments = (unsigned)sqlite3_column_int(row, at++);
    m->number_type = (enum number_type)sqlite3_column_int(row, at++);
    m->coverage = (enum coverage)sqlite3_column_int(row, at++);
    m->reason = (enum route_reason)sqlite3_column_int(row, at++);
    m->rate_limit = (unsigned)sqlite3_column_int(row, at++);
    m->calling_code = (unsigned)sqlite3_column_int(row, at++);
    column_word(row, at++, m->country, sizeof m->country);
    m->cost_micros = sqlite3_column_int64(row, at++);
    column_word(row, at++, m->currency, sizeof m->currency);
    m->from = column_text(row, at++, a);
    m->to = column_text(row, at++, a);
    m->media = column_text(row, at++, a);
    m->text = column_text(row, at++, a);
    m->carrier = (unsigned)sqlite3_column_int(row, at++);
    at = state_from_row(row, at, m);
    bool whole = extras_from_row(row, at, a, m);
    return whole && m->from.p && m->to.p && m->media.p && m->text.p ? 0 : -ENOMEM;
}

/* By number; of this owner, unless it is 0. */
static int read_one(struct sqlite_reader *r, enum read_statement which, int64_t owner, int64_t id,
                    struct arena *a, struct message *ret)
{
    sqlite3_stmt *get = r->statements[which];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    failed = -ENOENT;
    sqlite3_bind_int64(get, 1, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW && (owner == 0 || sqlite3_column_int64(get, 1) == owner))
        failed = sqlite_message_from_row(get, a, ret);
    int broken = finish(r, get, code);
    return broken ? broken : failed;
}

int sqlite_message_get(struct store_reader *base, int64_t account, enum mode mode, int64_t id,
                       struct arena *a, struct message *ret)
{
    return read_one(reader_of(base), READ_MESSAGE_GET, owner_of(account, mode), id, a, ret);
}

int sqlite_message_find(struct store_reader *base, int64_t id, struct arena *a, struct message *ret)
{
    return read_one(reader_of(base), READ_MESSAGE_GET, 0, id, a, ret);
}

/* The state that a notice tells of, in the place of "scheduled". */
static void set_state(struct message *m, const struct notice_record *n)
{
    bool keyword = n->kind == NOTICE_OPT_OUT || n->kind == NOTICE_OPT_IN;

    m->status = keyword ? STATUS_RECEIVED : (enum message_status)n->kind;
    m->updated_us = n->at_us;
    m->sent_us = n->sent_us;
    m->failure = n->failure;
    m->retry_count = n->retry_count;
    set_end_time(m);
    if (n->carrier != m->carrier)
        m->reason = REASON_FAILOVER;
    m->carrier = n->carrier;
}

int sqlite_message_at(struct store_reader *base, const struct notice_record *n, struct arena *a,
                      struct message *ret)
{
    int failed = read_one(reader_of(base), READ_MESSAGE_AS_ACCEPTED, owner_of(n->account, n->mode),
                          n->message, a, ret);

    if (!failed)
        set_state(ret, n);
    return failed;
}

int sqlite_messages(struct sqlite_reader *r, enum read_statement which, int64_t bound, size_t limit,
                    struct arena *a, struct message **ret, size_t *ret_count)
{
    sqlite3_stmt *rows = r->statements[which];
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    *ret = arena_alloc(a, limit * sizeof **ret);
    if (!*ret)
        return -ENOMEM;
    sqlite3_bind_int64(rows, 1, bound);
    sqlite3_bind_int64(rows, 2, (int64_t)limit);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed)
        failed = sqlite_message_from_row(rows, a, &(*ret)[(*ret_count)++]);
    int broken = finish(r, rows, code);
    return broken ? broken : failed;
}
