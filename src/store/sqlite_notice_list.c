/* Notices, as they are read. The first of each message is the message itself, the others stand in
 * rows of `notice`; the two are put in order by their numbers. */
#include "store/sqlite_outbox.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"

#include <stdlib.h>

#define FIRST_KINDS                                                                                \
    (notice_bit(NOTICE_SCHEDULED) | notice_bit(NOTICE_QUEUED) | notice_bit(NOTICE_RECEIVED))

/* What is looked for, and what was found of it. */
struct search_notices {
    struct sqlite_reader *reader;
    int64_t owner;
    uint32_t kinds;
    bool forward;
    int64_t first, last; /* numbers between these */
    size_t limit;        /* of each source */
    struct rows found;
};

static bool is_wanted(const struct search_notices *q, const struct notice_record *n)
{
    return q->kinds & notice_bit(n->kind) && n->id >= q->first && n->id <= q->last;
}

static int keep(struct search_notices *q, const struct notice_record *n)
{
    struct notice_record *kept = rows_add(&q->found);

    if (kept)
        *kept = *n;
    return kept ? 0 : -ENOMEM;
}

/* ---- first notices ---- */

/* A message as it was accepted: the columns of {first_notice} of sql/notice.sql. */
static struct notice_record first_from_row(sqlite3_stmt *row)
{
    int64_t owner = sqlite3_column_int64(row, 1);
    struct notice_record n = {.id = sqlite3_column_int64(row, 0),
                              .account = owner >> 1,
                              .mode = (enum mode)(owner & 1),
                              .kind = NOTICE_QUEUED,
                              .at_us = sqlite3_column_int64(row, 2),
                              .carrier = (unsigned)sqlite3_column_int(row, 5)};

    n.message = n.id;
    if (sqlite3_column_int(row, 3) == DIRECTION_INBOUND)
        n.kind = NOTICE_RECEIVED;
    else if (sqlite3_column_type(row, 4) != SQLITE_NULL)
        n.kind = NOTICE_SCHEDULED;
    return n;
}

static int read_first(struct search_notices *q, enum read_statement upwards,
                      enum read_statement downwards)
{
    sqlite3_stmt *rows = q->reader->statements[q->forward ? upwards : downwards];
    size_t count = 0;
    int code = SQLITE_DONE, failed = 0;

    BIND_NUMBERS(rows, q->owner, q->first, q->last);
    while (!failed && count < q->limit && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        struct notice_record n = first_from_row(rows);
        if (!is_wanted(q, &n))
            continue;
        failed = keep(q, &n);
        count++;
    }
    int broken = finish(q->reader, rows, code);
    return broken ? broken : failed;
}

/* Nearly all messages were queued first; scheduled and received ones have lists of their own. */
static int read_all_first(struct search_notices *q)
{
    int failed = 0;

    if (q->kinds & notice_bit(NOTICE_QUEUED))
        return read_first(q, READ_FIRST_NOTICE_AT_LEAST, READ_FIRST_NOTICE_AT_MOST);
    if (q->kinds & notice_bit(NOTICE_SCHEDULED))
        failed = read_first(q, READ_SCHEDULED_NOTICE_AT_LEAST, READ_SCHEDULED_NOTICE_AT_MOST);
    if (!failed && q->kinds & notice_bit(NOTICE_RECEIVED))
        failed = read_first(q, READ_RECEIVED_NOTICE_AT_LEAST, READ_RECEIVED_NOTICE_AT_MOST);
    return failed;
}

/* ---- those in rows ---- */

static void unpack_row(struct notice_unpack *u, sqlite3_stmt *row, int64_t owner)
{
    const uint8_t *bytes = sqlite3_column_blob(row, 1);

    notice_unpack_begin(u, owner, sqlite3_column_int64(row, 0), bytes,
                        (size_t)sqlite3_column_bytes(row, 1));
}

/* Those of a row that are wanted, in the order of the search. */
static int keep_pack(struct search_notices *q, sqlite3_stmt *row, size_t *count)
{
    struct notice_record wanted[NOTICE_PACK_COUNT];
    struct notice_unpack u;
    size_t n = 0;
    int failed = 0;

    unpack_row(&u, row, q->owner);
    while (n < NOTICE_PACK_COUNT && notice_unpack_next(&u))
        if (is_wanted(q, &u.notice))
            wanted[n++] = u.notice;
    for (size_t i = 0; i < n && *count < q->limit && !failed; i++, ++*count)
        failed = keep(q, &wanted[q->forward ? i : n - 1 - i]);
    return u.damaged ? -EBADMSG : failed;
}

static int read_packs(struct search_notices *q)
{
    sqlite3_stmt *rows =
        q->reader->statements[q->forward ? READ_NOTICE_AT_LEAST : READ_NOTICE_AT_MOST];
    size_t count = 0;
    int code = SQLITE_DONE, failed = 0;

    BIND_NUMBERS(rows, q->owner, q->first, q->last, q->kinds);
    while (!failed && count < q->limit && (code = sqlite3_step(rows)) == SQLITE_ROW)
        failed = keep_pack(q, rows, &count);
    int broken = finish(q->reader, rows, code);
    return broken ? broken : failed;
}

/* ---- lists ---- */

static int up(const void *a, const void *b)
{
    const struct notice_record *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int down(const void *a, const void *b)
{
    return up(b, a);
}

int sqlite_notice_list(struct store_reader *base, int64_t account, enum mode mode,
                       const struct notice_query *query, int64_t since_us, struct arena *a,
                       struct notice_record **ret, size_t *ret_count)
{
    struct search_notices q = {.reader = reader_of(base),
                               .owner = owner_of(account, mode),
                               .kinds = query->kinds ? query->kinds : UINT32_MAX,
                               .forward = query->forward,
                               .first = id_at_ms(since_us / 1000),
                               .last = INT64_MAX,
                               .limit = query->limit,
                               .found = {.arena = a, .size = sizeof **ret}};
    int failed = sqlite_enter(q.reader);

    if (q.forward && query->from >= q.first)
        q.first = query->from + 1;
    if (!q.forward && query->from)
        q.last = query->from;
    if (!failed && q.kinds & FIRST_KINDS)
        failed = read_all_first(&q);
    if (!failed && q.kinds & ~(notice_bit(NOTICE_RECEIVED) | notice_bit(NOTICE_SCHEDULED)))
        failed = read_packs(&q);
    if (failed)
        return failed;
    if (q.found.count)
        qsort(q.found.at, q.found.count, sizeof **ret, q.forward ? up : down);
    *ret = q.found.at;
    *ret_count = q.found.count < q.limit ? q.found.count : q.limit;
    return 0;
}

int sqlite_notice_last(struct store_reader *base, int64_t account, enum mode mode, int64_t *ret)
{
    struct sqlite_reader *r = reader_of(base);
    int failed = sqlite_enter(r);

    BIND_NUMBERS(r->statements[READ_NOTICE_LAST], owner_of(account, mode));
    return failed ? failed : last_number(r, READ_NOTICE_LAST, ret);
}

/* ---- one ---- */

static int get_first(struct sqlite_reader *r, int64_t owner, int64_t id, struct notice_record *ret)
{
    sqlite3_stmt *get = r->statements[READ_FIRST_NOTICE_GET];

    BIND_NUMBERS(get, id);
    int code = sqlite3_step(get);
    bool ours = code == SQLITE_ROW && sqlite3_column_int64(get, 1) == owner;
    if (ours)
        *ret = first_from_row(get);
    int broken = finish(r, get, code);
    return broken ? broken : ours ? 0 : -ENOENT;
}

static int get_packed(struct sqlite_reader *r, int64_t owner, int64_t id, struct notice_record *ret)
{
    sqlite3_stmt *get = r->statements[READ_NOTICE_GET];
    struct notice_unpack u = {0};

    BIND_NUMBERS(get, owner, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        unpack_row(&u, get, owner);
    bool found = false;
    while (!found && notice_unpack_next(&u))
        found = u.notice.id == id;
    *ret = u.notice;
    int broken = finish(r, get, code);
    return broken ? broken : u.damaged ? -EBADMSG : found ? 0 : -ENOENT;
}

/* A notice to try an endpoint is its delivery. */
static int get_test(struct store_reader *base, int64_t owner, int64_t id, struct notice_record *ret)
{
    struct delivery_record d;
    int failed = sqlite_delivery_get(base, id, &d);

    if (failed || d.kind != NOTICE_TEST || owner_of(d.account, d.mode) != owner)
        return failed ? failed : -ENOENT;
    *ret = (struct notice_record){
        .id = d.id, .account = d.account, .mode = d.mode, .kind = d.kind, .at_us = d.created_us};
    return 0;
}

int sqlite_notice_get(struct store_reader *base, int64_t account, enum mode mode, int64_t id,
                      struct notice_record *ret)
{
    struct sqlite_reader *r = reader_of(base);
    int64_t owner = owner_of(account, mode);
    int failed = sqlite_enter(r);

    if (!failed)
        failed = get_first(r, owner, id, ret);
    if (failed == -ENOENT)
        failed = get_packed(r, owner, id, ret);
    if (failed == -ENOENT)
        failed = get_test(base, owner, id, ret);
    return failed;
}
