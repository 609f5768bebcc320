#include "store/sqlite_search.h"

#include "store/sqlite_rows.h"
#include "store/terms.h"

static void add_term(struct search *q, int64_t term)
{
    q->terms[q->term_count++] = term;
}

static void choose_terms(struct search *q, const struct message_filter *filter)
{
    const uint8_t *secret = q->reader->base.store->secret;

    if (filter->to.p)
        add_term(q, term_of(TERM_TO, filter->to, secret));
    if (filter->from.p)
        add_term(q, term_of(TERM_FROM, filter->from, secret));
    if (filter->tag.p)
        add_term(q, term_of(TERM_TAG, filter->tag, secret));
    if (filter->direction == DIRECTION_INBOUND)
        add_term(q, term_alone(TERM_INBOUND));
    if (!q->term_count)
        add_term(q, term_alone(TERM_ANY));
    q->outbound = filter->direction == DIRECTION_OUTBOUND;
}

static int read_volumes(struct search *q)
{
    sqlite3_stmt *rows = q->reader->statements[READ_VOLUME_LIST];
    struct rows list = {.arena = q->arena, .size = sizeof *q->volumes};
    struct volume *v;
    int code;

    sqlite3_bind_int64(rows, 1, SHELF_MESSAGES);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && (v = rows_add(&list)))
        *v = (struct volume){.id = sqlite3_column_int64(rows, 0),
                             .level = sqlite3_column_int(rows, 1),
                             .first = sqlite3_column_int64(rows, 2),
                             .last = sqlite3_column_int64(rows, 3)};
    q->volumes = list.at;
    q->volume_count = list.count;
    int failed = rows_finish(&list, q->reader, rows, code);
    q->barren = failed ? NULL : arena_alloc(q->arena, q->volume_count + 1);
    return failed || q->barren ? failed : -ENOMEM;
}

static bool row_has_terms(const struct search *q, sqlite3_stmt *row)
{
    struct message m = {.direction = (enum direction)sqlite3_column_int(row, 2),
                        .from = column_view(row, 3),
                        .to = column_view(row, 4),
                        .tags = column_view(row, 5)};
    int64_t terms[TERMS_MAX];
    size_t n = message_terms(&m, q->reader->base.store->secret, terms);

    if (q->outbound && m.direction == DIRECTION_INBOUND)
        return false;
    for (size_t i = 0; i < q->term_count; i++)
        if (!terms_have(terms, n, q->terms[i]))
            return false;
    return true;
}

bool search_takes_all(const struct search *q)
{
    return q->terms[0] == term_alone(TERM_ANY) && !q->outbound;
}

/* What is newer than the index: few rows, which are looked at one by one. */
static int read_tail(struct search *q)
{
    bool all = search_takes_all(q);
    enum read_statement which = all ? READ_MESSAGE_IDS_BETWEEN : READ_MESSAGE_TERMS_BETWEEN;
    sqlite3_stmt *rows = q->reader->statements[which];
    struct rows list = {.arena = q->arena, .size = sizeof *q->tail};
    int64_t upto = q->volume_count ? q->volumes[q->volume_count - 1].last : -1, *id;
    int code;

    BIND_NUMBERS(rows, q->owner, q->low > upto ? q->low : upto + 1, q->high);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        if (!all && !row_has_terms(q, rows))
            continue;
        if (!(id = rows_add(&list)))
            break;
        *id = sqlite3_column_int64(rows, 0);
    }
    q->tail = list.at;
    q->tail_count = list.count;
    return rows_finish(&list, q->reader, rows, code);
}

static int read_tallies(struct search *q)
{
    sqlite3_stmt *rows = q->reader->statements[READ_TALLY_LIST];
    int code;

    sqlite3_bind_int64(rows, 1, q->owner);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        int status = sqlite3_column_int(rows, 0);
        if (status >= 0 && status < STATUSES)
            q->tallies[status] = sqlite3_column_int64(rows, 1);
    }
    return finish(q->reader, rows, code);
}

/* The lists of statuses say all. */
static bool needs_no_terms(const struct search *q)
{
    return q->statuses && !(q->statuses & status_bit(STATUS_DELIVERED)) && search_takes_all(q);
}

int search_begin(struct search *q, struct sqlite_reader *r, int64_t owner,
                 const struct message_filter *filter, struct arena *a)
{
    *q = (struct search){.reader = r,
                         .arena = a,
                         .filter = filter,
                         .owner = owner,
                         .high = INT64_MAX,
                         .statuses = filter->statuses,
                         .look_max = filter->look_max ? filter->look_max : SIZE_MAX};
    choose_terms(q, filter);
    int failed = search_range(q, filter);
    if (failed || q->low > q->high)
        return failed;
    if (q->statuses)
        failed = read_tallies(q);
    if (!failed && !needs_no_terms(q))
        failed = read_volumes(q);
    if (!failed && !needs_no_terms(q))
        failed = read_tail(q);
    return failed;
}

/* 1, 0, or a negative errno. */
static int has_status(struct search *q, int64_t id)
{
    sqlite3_stmt *get = q->reader->statements[READ_MESSAGE_STATUS];

    sqlite3_bind_int64(get, 1, id);
    int code = sqlite3_step(get);
    unsigned status = code == SQLITE_ROW ? (unsigned)sqlite3_column_int(get, 0) : 0;
    bool has = status < STATUSES && q->statuses & UINT32_C(1) << status;
    int broken = finish(q->reader, get, code);
    return broken ? broken : has;
}

/* Candidates by terms, looked at one by one. */
static int walk_delivered(struct search *q, bool up, int64_t number, int64_t *ret)
{
    for (; q->look_max; q->look_max--) {
        int found = walk_terms(q, up, number, ret);
        if (found <= 0)
            return found;
        int fits = has_status(q, *ret);
        if (fits != 0)
            return fits;
        number = up ? *ret + 1 : *ret - 1;
    }
    return 0;
}

int search_next(struct search *q, bool up, int64_t number, int64_t *ret)
{
    if (q->low > q->high)
        return 0;
    if (!q->statuses)
        return walk_terms(q, up, number, ret);
    if (q->statuses & status_bit(STATUS_DELIVERED))
        return walk_delivered(q, up, number, ret);
    return walk_standing(q, q->statuses, up, number, ret);
}
