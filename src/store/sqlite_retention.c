/* What is past its time, and the edge that parts it from what is kept.
 *
 * The edge, the rows of messages, their tallies and the counts of what is gone change in one
 * transaction. What belongs to messages and can only be reached through them (history, parts,
 * batches) may follow a moment later: nobody sees it any more. Index volumes never change, so
 * searches begin at the edge; those that end before it are dropped whole.
 *
 * A message that is queued or scheduled stops the edge until it has ended. */
#include "store/sqlite_retention.h"

#include "store/sqlite_media.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"
#include "store/sqlite_work.h"

#define MINUTE_US INT64_C(60000000)

enum { ROWS_MAX = 4096 };

/* ---- the edge ---- */

int retention_edge(struct sqlite_store *s, int64_t *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_EDGE_GET];

    if (!s->kept.edge_known) {
        int code = sqlite3_step(get);
        s->kept.edge = code == SQLITE_ROW ? sqlite3_column_int64(get, 0) : 0;
        sqlite3_reset(get);
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return sqlite_failed(s);
        s->kept.edge_known = true;
    }
    *ret = s->kept.edge;
    return 0;
}

int sqlite_edge(struct store *base, int64_t *ret)
{
    return retention_edge(sqlite_of(base), ret);
}

void retention_forget(struct sqlite_store *s)
{
    s->kept = (struct retained){0};
}

static int set_edge(struct sqlite_store *s, int64_t edge)
{
    int failed = RUN_WITH(s, WRITE_EDGE_SET, edge);

    if (!failed)
        s->kept.edge = edge;
    return failed;
}

/* ---- a piece ---- */

/* Messages of one owner and status in a piece. */
struct leaver {
    int64_t owner;
    unsigned status;
    int64_t count;
};

/* Messages side by side that go together. */
struct piece {
    struct leaver leavers[STINT_PIECE_MAX];
    size_t leaver_count;
    int64_t sent[STINT_PIECE_MAX]; /* numbers of those that are */
    size_t sent_count;
    size_t count;
    int64_t edge; /* the first number that stays */
    bool stopped; /* by a message that has not ended */
};

static void count_leaver(struct piece *p, int64_t owner, unsigned status)
{
    size_t i = 0;

    while (i < p->leaver_count && (p->leavers[i].owner != owner || p->leavers[i].status != status))
        i++;
    if (i == p->leaver_count)
        p->leavers[p->leaver_count++] = (struct leaver){.owner = owner, .status = status};
    p->leavers[i].count++;
}

static void add_message(struct piece *p, int64_t id, int64_t owner, unsigned status)
{
    p->stopped = status == STATUS_QUEUED || status == STATUS_SCHEDULED;
    if (p->stopped) {
        p->edge = id;
        return;
    }
    count_leaver(p, owner, status);
    if (status == STATUS_SENT)
        p->sent[p->sent_count++] = id;
    p->edge = id + 1;
    p->count++;
}

static int read_piece(struct sqlite_store *s, int64_t before, size_t rows, struct piece *p)
{
    sqlite3_stmt *oldest = s->statements[WRITE_MESSAGE_OLDEST];
    int code = SQLITE_DONE;

    BIND_NUMBERS(oldest, s->kept.edge, before, (int64_t)rows);
    while (!p->stopped && (code = sqlite3_step(oldest)) == SQLITE_ROW)
        add_message(p, sqlite3_column_int64(oldest, 0), sqlite3_column_int64(oldest, 1),
                    (unsigned)sqlite3_column_int(oldest, 2));
    sqlite3_reset(oldest);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sqlite_failed(s);
    if (!p->stopped && p->count < rows) /* there are no others before */
        p->edge = before;
    return 0;
}

/* Statuses but delivered and sent have a list of their messages. */
static bool stands(unsigned status)
{
    return status != STATUS_DELIVERED && status != STATUS_SENT;
}

static int count_out(struct sqlite_store *s, const struct piece *p)
{
    int failed = 0;

    for (size_t i = 0; i < p->leaver_count && !failed; i++) {
        const struct leaver *l = &p->leavers[i];
        failed = RUN_WITH(s, WRITE_TALLY_ADD, l->owner, l->status, -l->count);
        if (!failed)
            failed = RUN_WITH(s, WRITE_GONE_ADD, l->owner, l->status, l->count);
        if (!failed && stands(l->status))
            failed = RUN_WITH(s, WRITE_STANDING_DELETE_BEFORE, l->owner, l->status, p->edge);
    }
    return failed;
}

static int drop_piece(struct sqlite_store *s, const struct piece *p)
{
    int failed = count_out(s, p);

    for (size_t i = 0; i < p->sent_count; i++)
        work_forget(s->works, p->sent[i]);
    if (!failed && p->sent_count)
        failed = RUN_WITH(s, WRITE_WORK_DELETE_BEFORE, p->edge);
    if (!failed && p->count)
        failed = RUN_WITH(s, WRITE_ENDING_DELETE_BEFORE, p->edge);
    if (!failed && p->count)
        failed = RUN_WITH(s, WRITE_MESSAGE_DELETE_BEFORE, p->edge);
    return failed ? failed : set_edge(s, p->edge);
}

/* ---- what messages leave behind ---- */

/* Takes some of it away: 1 there may be more, 0 nothing is left. */
static int clear_behind(struct sqlite_store *s, size_t rows)
{
    static const enum write_statement deletes[] = {
        WRITE_EVENT_DELETE_BEFORE, WRITE_PARTS_DELETE_BEFORE, WRITE_BATCH_DELETE_BEFORE,
        WRITE_MEDIA_DELETE_BEFORE};
    int more = 0;

    for (size_t i = 0; i < sizeof deletes / sizeof *deletes; i++) {
        int failed = RUN_WITH(s, deletes[i], s->kept.edge, (int64_t)rows);
        if (failed)
            return failed;
        if (deletes[i] == WRITE_MEDIA_DELETE_BEFORE && sqlite3_changes(s->db))
            media_litter_found(s);
        more |= (size_t)sqlite3_changes(s->db) >= rows;
    }
    return more;
}

static int drop_volumes(struct sqlite_store *s)
{
    struct shelf *shelf = &s->index.shelf;

    return shelf->loaded ? shelf_drop_before(s, shelf, s->kept.edge) : 0;
}

/* ---- the chore ---- */

/* Minutes before which no message is kept. */
static int64_t oldest_minute(const struct sqlite_store *s)
{
    return (clock_now_us(s->base.clock) - s->base.retention.messages_us) / MINUTE_US;
}

bool retention_wants_messages(struct sqlite_store *s, bool idle)
{
    return s->base.retention.messages_us && oldest_minute(s) > s->kept.minute;
}

/* Where the edge may go at most. Numbers that are yet to be given are above it, whatever the clock
 * has shown meanwhile. */
static int64_t edge_of_minute(const struct sqlite_store *s, int64_t minute)
{
    int64_t before = id_at_ms(minute * (MINUTE_US / 1000)), next = s->base.ids.last + 1;

    return before < next ? before : next;
}

/* 1 there is more, 0 all are gone that can. */
static int drop_step(struct sqlite_store *s, int64_t before, size_t rows)
{
    struct piece p = {.edge = s->kept.edge};
    int more = clear_behind(s, rows);

    if (more != 0)
        return more;
    int failed = s->kept.edge < before ? read_piece(s, before, rows, &p) : 0;
    if (failed || p.edge <= s->kept.edge)
        return failed;
    failed = drop_piece(s, &p);
    return failed ? failed : 1;
}

int retention_drop_messages(struct sqlite_store *s, bool idle)
{
    int64_t minute = oldest_minute(s), before = edge_of_minute(s, minute), edge;
    struct stint stint;
    size_t rows;
    int more = retention_edge(s, &edge);

    if (more < 0)
        return more;
    stint_begin(&stint, s->chores_until_us, ROWS_MAX);
    do {
        rows = stint_next(&stint, clock_monotonic_us());
        more = rows ? drop_step(s, before, rows) : 1;
    } while (rows && more > 0);
    if (more == 0)
        s->kept.minute = minute;
    return more < 0 ? more : drop_volumes(s);
}

/* ---- strays ---- */

static int64_t oldest_stray_minute(const struct sqlite_store *s)
{
    return (clock_now_us(s->base.clock) - s->base.retention.notices_us) / MINUTE_US;
}

bool retention_wants_strays(struct sqlite_store *s, bool idle)
{
    return oldest_stray_minute(s) > s->kept.stray_minute;
}

int retention_drop_strays(struct sqlite_store *s, bool idle)
{
    int64_t minute = oldest_stray_minute(s), before = id_at_ms(minute * (MINUTE_US / 1000));
    struct stint stint;
    size_t rows;
    int failed = 0;

    stint_begin(&stint, s->chores_until_us, ROWS_MAX);
    while (!failed && (rows = stint_next(&stint, clock_monotonic_us()))) {
        failed = RUN_WITH(s, WRITE_STRAY_DELETE_BEFORE, before, (int64_t)rows);
        if (!failed && (size_t)sqlite3_changes(s->db) < rows) {
            s->kept.stray_minute = minute;
            return 0;
        }
    }
    return failed;
}
