/* A page of messages: without conditions straight from the owner's list, else by a search. */
#include "store/sqlite_rows.h"
#include "store/sqlite_search.h"
#include "store/sqlite_verbs.h"
/* ---- the whole list ---- */

static int read_page(struct sqlite_reader *r, int64_t owner, int64_t cursor, size_t limit,
                     struct arena *a, struct message_page *page)
{
    sqlite3_stmt *rows = r->statements[READ_MESSAGE_PAGE];
    int code, failed = 0;

    page->messages = arena_alloc(a, limit * sizeof *page->messages);
    if (!page->messages)
        return -ENOMEM;
    sqlite3_bind_int64(rows, 1, owner);
    sqlite3_bind_int64(rows, 2, cursor ? cursor : INT64_MAX);
    sqlite3_bind_int64(rows, 3, (int64_t)limit + 1);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        if (page->count == limit)
            page->next = sqlite3_column_int64(rows, 0);
        else
            failed = sqlite_message_from_row(rows, a, &page->messages[page->count++]);
    }
    int broken = finish(r, rows, code);
    if (!failed && !broken && cursor && (page->count == 0 || page->messages[0].id != cursor))
        return -ENOENT;
    return broken ? broken : failed;
}

static int read_previous(struct sqlite_reader *r, int64_t owner, int64_t cursor, size_t limit,
                         int64_t *ret)
{
    sqlite3_stmt *rows = r->statements[READ_MESSAGE_BEFORE];
    int code;

    sqlite3_bind_int64(rows, 1, owner);
    sqlite3_bind_int64(rows, 2, cursor);
    sqlite3_bind_int64(rows, 3, (int64_t)limit);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW)
        *ret = sqlite3_column_int64(rows, 0);
    return finish(r, rows, code);
}

static int read_total(struct sqlite_reader *r, int64_t owner, int64_t *ret)
{
    sqlite3_stmt *sum = r->statements[READ_TALLY_TOTAL];

    sqlite3_bind_int64(sum, 1, owner);
    int code = sqlite3_step(sum);
    if (code == SQLITE_ROW)
        *ret = sqlite3_column_int64(sum, 0);
    return finish(r, sum, code);
}

static int plain_page(struct sqlite_reader *r, int64_t owner, int64_t cursor, size_t limit,
                      struct arena *a, struct message_page *ret)
{
    int failed = read_page(r, owner, cursor, limit, a, ret);

    if (!failed && cursor)
        failed = read_previous(r, owner, cursor, limit, &ret->previous);
    return failed ? failed : read_total(r, owner, &ret->total);
}

/* ---- by a search ---- */

static bool is_plain(const struct message_filter *f)
{
    return !f || (!f->statuses && !f->to.p && !f->from.p && !f->tag.p && !f->direction &&
                  !f->batch && !f->after_us && !f->before_us);
}

/* A message of this owner, matching or not. */
static int check_cursor(struct sqlite_reader *r, int64_t owner, int64_t cursor)
{
    sqlite3_stmt *get = r->statements[READ_MESSAGE_OWNER];

    sqlite3_bind_int64(get, 1, cursor);
    int code = sqlite3_step(get);
    bool ours = code == SQLITE_ROW && sqlite3_column_int64(get, 0) == owner;
    int broken = finish(r, get, code);
    return broken ? broken : ours ? 0 : -ENOENT;
}

static int read_message(struct search *q, int64_t id, struct message *ret)
{
    sqlite3_stmt *get = q->reader->statements[READ_MESSAGE_GET];

    sqlite3_bind_int64(get, 1, id);
    int code = sqlite3_step(get);
    int failed = code == SQLITE_ROW ? sqlite_message_from_row(get, q->arena, ret) : -EBADMSG;
    int broken = finish(q->reader, get, code);
    return broken ? broken : failed;
}

static int find_messages(struct search *q, int64_t cursor, size_t limit, struct message_page *page)
{
    int64_t id = cursor ? cursor : INT64_MAX;
    int found = 0, failed = 0;

    page->messages = arena_alloc(q->arena, limit * sizeof *page->messages);
    if (!page->messages)
        return -ENOMEM;
    while (!failed && (found = search_next(q, false, id, &id)) == 1) {
        if (page->count == limit) {
            page->next = id;
            return 0;
        }
        failed = read_message(q, id--, &page->messages[page->count++]);
    }
    return failed ? failed : found;
}

/* The page before is headed by the last of as many matches as it has room for. */
static int find_previous(struct search *q, int64_t cursor, size_t limit, int64_t *ret)
{
    int64_t id = cursor;
    int found = 1;

    for (size_t n = 0; n < limit && (found = search_next(q, true, id + 1, &id)) == 1; n++)
        *ret = id;
    return found < 0 ? found : 0;
}

static int search_page(struct search *q, const struct message_filter *filter, int64_t cursor,
                       size_t limit, struct message_page *ret)
{
    if (filter->look_max)
        return find_messages(q, cursor, limit, ret);
    int failed = search_total(q, &ret->total);

    if (!failed && ret->total)
        failed = find_messages(q, cursor, limit, ret);
    if (!failed && cursor && ret->total)
        failed = find_previous(q, cursor, limit, &ret->previous);
    return failed;
}

int sqlite_message_page(struct store_reader *base, int64_t account, enum mode mode,
                        const struct message_filter *filter, int64_t cursor, size_t limit,
                        struct arena *a, struct message_page *ret)
{
    struct sqlite_reader *r = reader_of(base);
    int64_t owner = owner_of(account, mode);
    struct search q;
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    if (is_plain(filter))
        return plain_page(r, owner, cursor, limit, a, ret);
    if (cursor)
        failed = check_cursor(r, owner, cursor);
    if (!failed)
        failed = search_begin(&q, r, owner, filter, a);
    return failed ? failed : search_page(&q, filter, cursor, limit, ret);
}
