/* Rollups of schema 8: the times of an hour stood beside its counts, and all times were packed like
 * failures. */
#include "store/rollup.h"
#include "store/sqlite_rollup.h"
#include "store/sqlite_rows.h"
#include "store/varint.h"

enum {
    TIMES_MAX = ROLLUP_CHUNK * VARINT_MAX * (1 + 3 * ROLLUP_TIME_SLOTS),
    MEMORY_MAX = 4 << 20,
};

enum { ROWS, PUT, OWN_COUNT };

/* The times of a row as they are packed now; empty when there are none, and of a row that is
 * damaged, as the books will tell. */
static int pack_times(sqlite3_stmt *row, struct arena *a, struct str *ret)
{
    uint8_t *bytes = (uint8_t *)arena_bytes(a, TIMES_MAX), *to = bytes;
    struct rollup_unpack u;
    struct rollup r;
    bool any = false;
    int failed = bytes ? 0 : -ENOMEM;

    rollup_unpack_row(&u, row, 4, true);
    u.old_times = true;
    while (!failed && rollup_unpack_next(&u)) {
        failed = rollup_unpack_all(&u, a, &r);
        if (failed)
            break;
        any |= r.times.count > 0;
        to = rollup_pack_times(to, &r);
    }
    *ret = (struct str){(const char *)bytes, any && !u.damaged ? (size_t)(to - bytes) : 0};
    return failed == -ENOMEM ? failed : 0;
}

static int put(struct sqlite_store *s, sqlite3_stmt *const *own, enum grain grain, bool counts,
               struct str times)
{
    sqlite3_stmt *row = own[ROWS];

    BIND_NUMBERS(own[PUT], sqlite3_column_int64(row, 0), grain, sqlite3_column_int64(row, 2),
                 sqlite3_column_int64(row, 3));
    if (counts)
        sqlite3_bind_value(own[PUT], 5, sqlite3_column_value(row, 4));
    else
        sqlite3_bind_zeroblob(own[PUT], 5, 0);
    sqlite3_bind_blob(own[PUT], 6, times.p, (int)times.n, SQLITE_STATIC);
    int code = sqlite3_step(own[PUT]);
    sqlite3_reset(own[PUT]);
    return code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

static int convert_row(struct sqlite_store *s, sqlite3_stmt *const *own, struct arena *a)
{
    enum grain grain = (enum grain)sqlite3_column_int(own[ROWS], 1);
    struct str times;

    arena_reset(a);
    int failed = pack_times(own[ROWS], a, &times);
    if (failed)
        return failed;
    if (grain != GRAIN_HOUR)
        return put(s, own, grain, true, times);
    failed = put(s, own, GRAIN_HOUR, true, STR(""));
    return failed || !times.n ? failed : put(s, own, GRAIN_TIMES, false, times);
}

static int convert_all(struct sqlite_store *s, sqlite3_stmt *const *own)
{
    int code = SQLITE_DONE, failed = 0;
    struct arena a;

    arena_init(&a, MEMORY_MAX);
    while (!failed && (code = sqlite3_step(own[ROWS])) == SQLITE_ROW)
        failed = convert_row(s, own, &a);
    arena_done(&a);
    return failed ? failed : code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

int rollup_convert(struct sqlite_store *s)
{
    const char *const sql[OWN_COUNT] = {
        [ROWS] = "SELECT owner, grain, start, chunk, counts, times FROM rollup_before",
        [PUT] = sqlite_write_sql[WRITE_ROLLUP_PUT]};
    sqlite3_stmt *own[OWN_COUNT] = {NULL};
    int failed = sqlite_prepare(s->db, sql, own, OWN_COUNT);

    if (!failed)
        failed = convert_all(s, own);
    sqlite_finalize(own, OWN_COUNT);
    if (!failed && sqlite3_exec(s->db, "DROP TABLE rollup_before", NULL, NULL, NULL) != SQLITE_OK)
        failed = sqlite_failed(s);
    return failed;
}
