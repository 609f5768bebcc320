/* Under which ids carriers took messages and their parts, and which parts have arrived. */
#include "store/sqlite_gather.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"
#include "store/stint.h"

enum { FOUND_MAX = 128, EXPIRY_ROWS = 1000 };

/* No protocol gives such ids; one that does is served. */
static int add_long(struct sqlite_store *s, const struct reference_record *ref, int64_t day)
{
    sqlite3_stmt *add = s->statements[WRITE_REFERENCE_ADD];

    bind_text(add, BIND_NUMBERS(add, day, ref->carrier, ref->message, ref->part), ref->id);
    return run(s, WRITE_REFERENCE_ADD);
}

int sqlite_reference_add(struct store *base, const struct reference_record *ref, int64_t day)
{
    struct reference_row row = {.numbers = {day, ref->carrier, ref->message, ref->part},
                                .size = ref->id.n};

    if (ref->id.n > sizeof row.id)
        return add_long(sqlite_of(base), ref, day);
    if (ref->id.n)
        memcpy(row.id, ref->id.p, ref->id.n);
    return gather_reference(sqlite_of(base), &row);
}

int sqlite_reference_find(struct store_reader *base, unsigned carrier, struct str id, int64_t today,
                          struct arena *a, struct reference_record **ret, size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_REFERENCE_FIND];
    struct rows list = {.arena = a, .size = sizeof **ret};
    struct reference_record *ref;
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    bind_text(rows, BIND_NUMBERS(rows, today, carrier, FOUND_MAX), id);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && (ref = rows_add(&list)))
        *ref = (struct reference_record){.carrier = carrier,
                                         .id = id,
                                         .message = sqlite3_column_int64(rows, 0),
                                         .part = (unsigned)sqlite3_column_int(rows, 1)};
    *ret = list.at;
    *ret_count = list.count;
    return rows_finish(&list, r, rows, code);
}

/* ---- parts ---- */

int sqlite_parts_open(struct store *base, int64_t message, unsigned parts)
{
    return RUN_WITH(sqlite_of(base), WRITE_PARTS_OPEN, message, parts);
}

/* 1 found, 0 the message has no parts open. */
static int read_parts(struct sqlite_store *s, int64_t message, unsigned *ret_total,
                      uint64_t *ret_delivered)
{
    sqlite3_stmt *get = s->statements[WRITE_PARTS_GET];

    sqlite3_bind_int64(get, 1, message);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW) {
        *ret_total = (unsigned)sqlite3_column_int(get, 0);
        *ret_delivered = (uint64_t)sqlite3_column_int64(get, 1);
    }
    sqlite3_reset(get);
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

int sqlite_part_delivered(struct store *base, int64_t message, unsigned part, unsigned *ret_left)
{
    struct sqlite_store *s = sqlite_of(base);
    uint64_t bit = UINT64_C(1) << (part - 1), delivered = 0;
    unsigned total = 0;
    int found = read_parts(s, message, &total, &delivered);

    if (found <= 0 || delivered & bit)
        return found < 0 ? found : 0;
    delivered |= bit;
    unsigned count = (unsigned)__builtin_popcountll(delivered);
    *ret_left = count < total ? total - count : 0;
    int failed = *ret_left ? RUN_WITH(s, WRITE_PARTS_SET, message, (int64_t)delivered)
                           : RUN_WITH(s, WRITE_PARTS_CLOSE, message);
    return failed ? failed : 1;
}

/* ---- references past their time ---- */

static int64_t oldest_day(const struct sqlite_store *s)
{
    return store_today(&s->base) - REFERENCE_DAYS;
}

bool reference_wants_expiry(struct sqlite_store *s, bool idle)
{
    return oldest_day(s) > s->references_from;
}

/* Deletes the oldest rows: 1, or 0 when there are fewer of them than that. */
static int delete_some(struct sqlite_store *s, int64_t day, size_t rows)
{
    sqlite3_stmt *last = s->statements[WRITE_REFERENCE_LAST_OF];
    sqlite3_stmt *delete = s->statements[WRITE_REFERENCE_DELETE_TO];

    BIND_NUMBERS(last, day, (int64_t)rows - 1);
    int code = sqlite3_step(last);
    if (code != SQLITE_ROW) {
        sqlite3_reset(last);
        return code == SQLITE_DONE ? 0 : sqlite_failed(s);
    }
    int at = BIND_NUMBERS(delete, sqlite3_column_int64(last, 0), sqlite3_column_int64(last, 1),
                          sqlite3_column_int64(last, 3), sqlite3_column_int64(last, 4));
    bind_text(delete, at, column_view(last, 2)); /* seen until `last` is reset */
    int failed = run(s, WRITE_REFERENCE_DELETE_TO);
    sqlite3_reset(last);
    return failed ? failed : 1;
}

int reference_expire(struct sqlite_store *s, bool idle)
{
    int64_t day = oldest_day(s);
    struct stint stint;
    size_t rows;
    int more = 1;

    stint_begin(&stint, s->chores_until_us, EXPIRY_ROWS);
    while (more > 0 && (rows = stint_next(&stint, clock_monotonic_us())))
        more = delete_some(s, day, rows);
    if (more != 0)
        return more < 0 ? more : 0;
    int failed = RUN_WITH(s, WRITE_REFERENCE_DELETE_BEFORE, day);
    if (!failed)
        s->references_from = day;
    return failed;
}
