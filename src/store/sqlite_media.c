/* Media files of messages: rows that say which content each has, and how often a content is used.
 *
 * A file is there before its row is, and goes after: whatever a crash interrupts, no row is without
 * its file. A file without a row is found by the chores. */
#include "store/sqlite_media.h"

#include "store/sqlite_retention.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"
#include "store/store_media.h"

#include <stdlib.h>

/* ---- writing ---- */

static void bind_hash(sqlite3_stmt *statement, int at, const struct media_record *m)
{
    sqlite3_bind_blob(statement, at, m->hash, sizeof m->hash, SQLITE_STATIC);
}

/* The file of this number is not needed once the transaction is on disk. */
static int spare(struct sqlite_store *s, int64_t place)
{
    struct media_spares *spares = &s->spares;

    if (spares->count == spares->room) {
        size_t room = spares->room ? 2 * spares->room : 64;
        int64_t *more = realloc(spares->places, room * sizeof *more);
        if (!more)
            return store_fail(&s->base, -ENOMEM, "out of memory");
        spares->places = more;
        spares->room = room;
    }
    spares->places[spares->count++] = place;
    return 0;
}

void media_drop_spares(struct sqlite_store *s)
{
    for (size_t i = 0; i < s->spares.count; i++)
        media_place_remove(s->base.media, s->spares.places[i]);
    s->spares.count = 0;
}

void media_litter_found(struct sqlite_store *s)
{
    s->litter.none_unused = false;
    s->litter.found_at = atomic_load(&s->base.commits);
}

void media_forget(struct sqlite_store *s)
{
    s->spares.count = 0;
    media_litter_found(s);
}

/* Whether the file of a row of place, size and hash is there, as it should be. It may not be this
 * one. A damaged one is dropped when the transaction that brings another is on disk. */
static int is_whole(struct sqlite_store *s, sqlite3_stmt *row, int64_t other_than)
{
    int64_t place = sqlite3_column_int64(row, 0);

    if (place == other_than || sqlite3_column_bytes(row, 2) != MEDIA_HASH_SIZE)
        return 0;
    int failed = media_place_look(s->base.media, place, sqlite3_column_int64(row, 1),
                                  sqlite3_column_blob(row, 2));
    int spared = failed == -EILSEQ && other_than ? spare(s, place) : 0;
    return spared ? spared : failed == 0;
}

/* Whether a bound statement for these finds one that is whole: 1 or 0. */
static int finds_content(struct sqlite_store *s, enum write_statement which, int64_t other_than)
{
    sqlite3_stmt *row = s->statements[which];
    int code = sqlite3_step(row);
    int found = code == SQLITE_ROW ? is_whole(s, row, other_than) : 0;

    sqlite3_reset(row);
    return code == SQLITE_ROW || code == SQLITE_DONE ? found : sqlite_failed(s);
}

/* Whether the message can have this file: it is there, and has none in this place. A row whose
 * content is lost is as good as none, and goes. */
static int is_wanted(struct sqlite_store *s, const struct media_record *m)
{
    int64_t edge;
    int failed = retention_edge(s, &edge);

    if (failed || m->message < edge || m->message > s->base.ids.last)
        return failed;
    BIND_NUMBERS(s->statements[WRITE_MEDIA_HAS], m->message, m->number);
    int has = finds_content(s, WRITE_MEDIA_HAS, 0);
    if (has)
        return has < 0 ? has : 0;
    BIND_NUMBERS(s->statements[WRITE_MEDIA_DELETE], m->message, m->number);
    failed = run(s, WRITE_MEDIA_DELETE);
    return failed ? failed : 1;
}

/* Whether the content is kept already: its row, and its file. */
static int is_kept(struct sqlite_store *s, const struct media_record *m)
{
    bind_hash(s->statements[WRITE_CONTENT_GET], 1, m);
    return finds_content(s, WRITE_CONTENT_GET, m->place);
}

static int put_content(struct sqlite_store *s, const struct media_record *m)
{
    sqlite3_stmt *put = s->statements[WRITE_CONTENT_PUT];

    bind_hash(put, 1, m);
    bind_numbers_at(put, 2, (const int64_t[]){m->place, m->size}, 2);
    return run(s, WRITE_CONTENT_PUT);
}

static int put_row(struct sqlite_store *s, const struct media_record *m)
{
    sqlite3_stmt *put = s->statements[WRITE_MEDIA_PUT];

    BIND_NUMBERS(put, m->message, m->number);
    bind_hash(put, 3, m);
    bind_text(put, 4, str_of(m->type));
    sqlite3_bind_int64(put, 5, m->at_us);
    return run(s, WRITE_MEDIA_PUT);
}

int sqlite_media_put(struct store *base, const struct media_record *m)
{
    struct sqlite_store *s = sqlite_of(base);
    int wanted = is_wanted(s, m);

    if (wanted < 0)
        return wanted;
    int kept = wanted ? is_kept(s, m) : 1;
    if (kept < 0 || (!kept && m->loose))
        return kept < 0 ? kept : -ENOENT;
    int failed = !kept ? put_content(s, m) : m->loose ? 0 : spare(s, m->place);
    if (!failed && wanted)
        failed = put_row(s, m);
    return failed ? failed : wanted;
}

/* ---- reading ---- */

static void from_row(sqlite3_stmt *row, int64_t message, struct media_record *m)
{
    *m = (struct media_record){.message = message,
                               .number = (unsigned)sqlite3_column_int(row, 0),
                               .at_us = sqlite3_column_int64(row, 3),
                               .place = sqlite3_column_int64(row, 4),
                               .size = sqlite3_column_int64(row, 5)};
    if (sqlite3_column_bytes(row, 1) == sizeof m->hash)
        memcpy(m->hash, sqlite3_column_blob(row, 1), sizeof m->hash);
    column_word(row, 2, m->type, sizeof m->type);
}

int sqlite_media_get(struct store_reader *base, int64_t message, unsigned number,
                     struct media_record *ret)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *row = r->statements[READ_MEDIA_GET];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(row, message, number);
    int code = sqlite3_step(row);
    if (code == SQLITE_ROW)
        from_row(row, message, ret);
    failed = finish(r, row, code);
    return failed || code == SQLITE_ROW ? failed : -ENOENT;
}

int sqlite_media_content(struct store_reader *base, const uint8_t hash[MEDIA_HASH_SIZE],
                         int64_t *ret_place, int64_t *ret_size)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *row = r->statements[READ_MEDIA_CONTENT];
    int failed = sqlite_enter(r);

    if (failed)
        return failed;
    sqlite3_bind_blob(row, 1, hash, MEDIA_HASH_SIZE, SQLITE_STATIC);
    int code = sqlite3_step(row);
    if (code == SQLITE_ROW) {
        *ret_place = sqlite3_column_int64(row, 0);
        *ret_size = sqlite3_column_int64(row, 1);
    }
    failed = finish(r, row, code);
    return failed || code == SQLITE_ROW ? failed : -ENOENT;
}

int sqlite_media_list(struct store_reader *base, int64_t message,
                      struct media_record ret[MEDIA_MAX], size_t *ret_count)
{
    struct sqlite_reader *r = reader_of(base);
    sqlite3_stmt *rows = r->statements[READ_MEDIA_LIST];
    int code, failed = sqlite_enter(r);

    if (failed)
        return failed;
    BIND_NUMBERS(rows, message, MEDIA_MAX);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && *ret_count < MEDIA_MAX)
        from_row(rows, message, &ret[(*ret_count)++]);
    return finish(r, rows, code);
}
