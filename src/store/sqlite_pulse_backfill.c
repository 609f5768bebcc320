/* Stores from before there was a pulse: what is queued in them must be known, what happened then
 * need not. */
#include "store/sqlite_pulse.h"
#include "store/sqlite_rows.h"

static const char queued[] = "SELECT owner, updated_us FROM work WHERE status = 2 ORDER BY 1, 2";
static const char put[] = "INSERT INTO pulse (owner, minute, queued, waits, counts)"
                          " VALUES (?1, ?2, ?3, 1, ?4)";

static int write_minute(struct sqlite_store *s, sqlite3_stmt *insert, const struct pulse_cell *cell)
{
    uint8_t bytes[PULSE_PACK_SIZE];
    size_t n = pulse_pack(&cell->counts, bytes);

    if (n == 0)
        return 0;
    int at = BIND_NUMBERS(insert, cell->owner, cell->minute, pulse_queued(&cell->counts));
    sqlite3_bind_blob(insert, at, bytes, (int)n, SQLITE_STATIC);
    int code = sqlite3_step(insert);
    sqlite3_reset(insert);
    return code == SQLITE_DONE ? 0 : sqlite_failed(s);
}

static int fill(struct sqlite_store *s, sqlite3_stmt *rows, sqlite3_stmt *insert)
{
    struct pulse_cell cell = {0};
    int code, failed = 0;

    while ((code = sqlite3_step(rows)) == SQLITE_ROW && !failed) {
        int64_t owner = sqlite3_column_int64(rows, 0), at_us = sqlite3_column_int64(rows, 1);
        if (owner != cell.owner || pulse_minute_of(at_us) != cell.minute) {
            failed = write_minute(s, insert, &cell);
            cell = (struct pulse_cell){.owner = owner, .minute = pulse_minute_of(at_us)};
        }
        pulse_add(&cell.counts, pulse_second_of(at_us), PULSE_QUEUED, 1);
    }
    if (!failed && code != SQLITE_DONE)
        failed = sqlite_failed(s);
    return failed ? failed : write_minute(s, insert, &cell);
}

int pulse_backfill(struct sqlite_store *s)
{
    sqlite3_stmt *rows = NULL, *insert = NULL;
    int code = sqlite3_prepare_v2(s->db, queued, -1, &rows, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(s->db, put, -1, &insert, NULL);
    int failed = code == SQLITE_OK ? fill(s, rows, insert) : sqlite_failed(s);
    sqlite3_finalize(rows);
    sqlite3_finalize(insert);
    return failed;
}
