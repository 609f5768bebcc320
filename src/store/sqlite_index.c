/* The writer's side of the index of messages. Terms are noted in memory when a message is accepted,
 * and written as a volume when there are enough of them. Whatever memory does not have (after the
 * start, after a rollback) is read from the rows. */
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"
#include "store/terms.h"

void index_init(struct message_index *x)
{
    x->shelf = (struct shelf){.number = SHELF_MESSAGES, .level_max = LEVELS};
}

void index_done(struct message_index *x)
{
    pending_done(&x->pending);
    shelf_forget(&x->shelf);
}

void index_forget(struct message_index *x)
{
    pending_clear(&x->pending);
    x->whole = false;
    shelf_forget(&x->shelf);
}

static int note(struct sqlite_store *s, const struct message *m, int64_t owner)
{
    struct entry entries[TERMS_MAX];
    int64_t terms[TERMS_MAX];
    size_t n = message_terms(m, s->base.secret, terms);

    for (size_t i = 0; i < n; i++)
        entries[i] = (struct entry){owner, terms[i], m->id};
    s->entries_added += n;
    return pending_add(&s->index.pending, entries, n);
}

void index_note(struct sqlite_store *s, const struct message *m)
{
    struct message_index *x = &s->index;

    if (!x->whole)
        return;
    /* Nobody writes volumes, or memory is short: the rows are there to be read. */
    if (x->pending.rows >= 4 * s->sizes.bulk || note(s, m, owner_of(m->account, m->mode)) != 0)
        index_forget(x);
}

bool index_wants_rows(struct sqlite_store *s, bool idle)
{
    return !s->index.whole && s->index.pending.rows < s->sizes.bulk;
}

/* The columns of message_terms. */
static void message_from_terms(sqlite3_stmt *row, struct message *ret)
{
    *ret = (struct message){.id = sqlite3_column_int64(row, 0),
                            .direction = (enum direction)sqlite3_column_int(row, 2),
                            .from = column_view(row, 3),
                            .to = column_view(row, 4),
                            .tags = column_view(row, 5)};
}

int index_read_rows(struct sqlite_store *s, bool idle)
{
    struct message_index *x = &s->index;
    sqlite3_stmt *rows = s->statements[WRITE_MESSAGE_TERMS];
    size_t count = 0;
    int code = SQLITE_DONE, failed = shelf_load(s, &x->shelf);

    pending_clear(&x->pending);
    BIND_NUMBERS(rows, shelf_upto(&x->shelf), (int64_t)s->sizes.bulk);
    while (!failed && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        struct message m;
        message_from_terms(rows, &m);
        failed = note(s, &m, sqlite3_column_int64(rows, 1));
        count++;
    }
    sqlite3_reset(rows);
    if (!failed && code != SQLITE_DONE)
        failed = sqlite_failed(s);
    x->whole = !failed && count < s->sizes.bulk;
    return failed;
}

bool index_wants_volume(struct sqlite_store *s, bool idle)
{
    return s->index.pending.rows >= (idle ? s->sizes.bulk_idle : s->sizes.bulk);
}

int index_write_volume(struct sqlite_store *s, bool idle)
{
    return shelf_add(s, &s->index.shelf, &s->index.pending);
}
