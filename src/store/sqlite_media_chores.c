/* Media files that can go: those that earlier runs made and no row knows, and contents whose last
 * use is gone. The second wait until that is synced: a row that came back after a power failure
 * would be without its file. */
#include "store/sqlite_media.h"

#include "store/sqlite_rows.h"
#include "store/stint.h"
#include "store/store_media.h"

enum { FILES_MAX = 1024, FOLDERS_MAX = 256 };

/* ---- what earlier runs left behind ---- */

bool media_wants_walk(struct sqlite_store *s, bool idle)
{
    return idle && !s->litter.walked;
}

static void remove_unknown(void *store, int64_t place)
{
    struct sqlite_store *s = store;
    sqlite3_stmt *at = s->statements[WRITE_CONTENT_AT];

    BIND_NUMBERS(at, place);
    int code = sqlite3_step(at);
    sqlite3_reset(at);
    if (code == SQLITE_DONE)
        media_place_remove(s->base.media, place);
}

int media_walk(struct sqlite_store *s, bool idle)
{
    struct stint stint;
    size_t folders;

    stint_begin(&stint, s->chores_until_us, FOLDERS_MAX);
    while (!s->litter.walked && (folders = stint_next(&stint, clock_monotonic_us())))
        while (folders-- && !s->litter.walked)
            s->litter.walked = !media_folder_walk(s->base.media, remove_unknown, s);
    return 0;
}

/* ---- contents that nothing uses ---- */

bool media_wants_removal(struct sqlite_store *s, bool idle)
{
    return !s->litter.none_unused && atomic_load(&s->base.commits) > s->litter.found_at;
}

/* How many there were of at most so many. */
static int remove_some(struct sqlite_store *s, size_t rows)
{
    sqlite3_stmt *unused = s->statements[WRITE_CONTENT_UNUSED];
    int64_t places[STINT_PIECE_MAX];
    int count = 0, code, failed = 0;

    BIND_NUMBERS(unused, (int64_t)rows);
    while ((code = sqlite3_step(unused)) == SQLITE_ROW)
        places[count++] = sqlite3_column_int64(unused, 0);
    sqlite3_reset(unused);
    if (code != SQLITE_DONE)
        return sqlite_failed(s);
    for (int i = 0; i < count && !failed; i++) {
        media_place_remove(s->base.media, places[i]);
        failed = RUN_WITH(s, WRITE_CONTENT_DELETE, places[i]);
    }
    return failed ? failed : count;
}

int media_remove_unused(struct sqlite_store *s, bool idle)
{
    struct stint stint;
    size_t rows;
    int count = 0;

    stint_begin(&stint, s->chores_until_us, FILES_MAX);
    while (!s->litter.none_unused && (rows = stint_next(&stint, clock_monotonic_us()))) {
        count = remove_some(s, rows);
        if (count < 0)
            return count;
        s->litter.none_unused = (size_t)count < rows;
    }
    return 0;
}
