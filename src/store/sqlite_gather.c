#include "store/sqlite_gather.h"

#include "store/sqlite_rows.h"

/* ---- messages ---- */

/* What every message has, from parameter `at` on; the place of the parameter behind. */
static int bind_message(sqlite3_stmt *insert, int at, const struct message *m)
{
    const int64_t numbers[] = {m->id,          owner_of(m->account, m->mode),
                               m->created_us,  m->direction,
                               m->kind,        m->type,
                               m->encoding,    m->segments,
                               m->number_type, m->coverage,
                               m->reason,      m->rate_limit,
                               m->calling_code};

    at = bind_numbers_at(insert, at, numbers, sizeof numbers / sizeof *numbers);
    bind_text(insert, at++, str_of(m->country));
    sqlite3_bind_int64(insert, at++, m->cost_micros);
    bind_text(insert, at++, str_of(m->currency));
    bind_text(insert, at++, m->from);
    bind_text(insert, at++, m->to);
    bind_text(insert, at++, m->media);
    bind_text(insert, at++, m->text);
    return at;
}

/* The same with the carrier, which only live messages have. */
static int bind_live_message(sqlite3_stmt *insert, int at, const struct message *m)
{
    at = bind_message(insert, at, m);
    bind_number_or_null(insert, at++, m->carrier);
    return at;
}

static bool has_extras(const struct message *m)
{
    return m->subject.n || m->tags.n || m->metadata.n || m->webhook_url.n ||
           m->webhook_failover_url.n || m->validity_s || m->scheduled_us || m->batch;
}

static int insert_whole(struct sqlite_store *s, const struct message *m)
{
    sqlite3_stmt *insert = s->statements[WRITE_MESSAGE_INSERT_WHOLE];
    int at = bind_live_message(insert, 1, m);

    bind_text_or_null(insert, at++, m->subject);
    bind_text_or_null(insert, at++, m->tags);
    bind_text_or_null(insert, at++, m->metadata);
    bind_text_or_null(insert, at++, m->webhook_url);
    bind_text_or_null(insert, at++, m->webhook_failover_url);
    bind_number_or_null(insert, at++, m->validity_s);
    bind_number_or_null(insert, at++, m->scheduled_us);
    bind_number_or_null(insert, at, m->batch);
    return run(s, WRITE_MESSAGE_INSERT_WHOLE);
}

static int insert_plain(struct sqlite_store *s, const struct message *m)
{
    enum write_statement which = m->carrier ? WRITE_MESSAGE_INSERT_LIVE : WRITE_MESSAGE_INSERT;

    if (m->carrier)
        bind_live_message(s->statements[which], 1, m);
    else
        bind_message(s->statements[which], 1, m);
    return run(s, which);
}

/* A column that is given costs even where it holds nothing. */
static int insert_many(struct sqlite_store *s, const struct message *messages, bool live)
{
    enum write_statement which = live ? WRITE_MESSAGE_INSERT_LIVE_MANY : WRITE_MESSAGE_INSERT_MANY;
    int at = 1;

    for (size_t i = 0; i < GATHER_MESSAGES; i++)
        at = live ? bind_live_message(s->statements[which], at, &messages[i])
                  : bind_message(s->statements[which], at, &messages[i]);
    return run(s, which);
}

static int flush_messages(struct sqlite_store *s)
{
    struct gathered *g = s->gathered;
    size_t count = g->message_count;
    bool live = g->live;
    int failed = 0;

    g->message_count = g->used = 0;
    g->live = false;
    if (count == GATHER_MESSAGES)
        return insert_many(s, g->messages, live);
    for (size_t i = 0; i < count && !failed; i++)
        failed = insert_plain(s, &g->messages[i]);
    return failed;
}

static struct str keep_bytes(struct gathered *g, struct str text)
{
    char *to = g->bytes + g->used;

    if (text.n)
        memcpy(to, text.p, text.n);
    g->used += text.n;
    return (struct str){to, text.n};
}

static void keep_message(struct gathered *g, const struct message *m)
{
    struct message *kept = &g->messages[g->message_count++];

    *kept = *m;
    g->live |= m->carrier != 0;
    kept->from = keep_bytes(g, m->from);
    kept->to = keep_bytes(g, m->to);
    kept->media = keep_bytes(g, m->media);
    kept->text = keep_bytes(g, m->text);
}

/* Messages with extras are few, and long ones too: they are written at once, behind those that came
 * before them, because rows that come in order cost least. */
int gather_message(struct sqlite_store *s, const struct message *m)
{
    struct gathered *g = s->gathered;
    size_t size = m->from.n + m->to.n + m->media.n + m->text.n;
    bool whole = has_extras(m);
    int failed = 0;

    if (whole || size > GATHER_BYTES - g->used)
        failed = flush_messages(s);
    if (failed)
        return failed;
    if (whole)
        return insert_whole(s, m);
    if (size > GATHER_BYTES)
        return insert_plain(s, m);
    keep_message(g, m);
    return g->message_count == GATHER_MESSAGES ? flush_messages(s) : 0;
}

const struct message *gather_find_message(const struct sqlite_store *s, int64_t id)
{
    const struct gathered *g = s->gathered;

    for (size_t i = 0; i < g->message_count; i++)
        if (g->messages[i].id == id)
            return &g->messages[i];
    return NULL;
}

/* ---- rows of numbers ---- */

static int flush_rows(struct sqlite_store *s, struct gathered_rows *rows, size_t columns,
                      enum write_statement one, enum write_statement many)
{
    size_t count = rows->count;
    int failed = 0;

    rows->count = 0;
    if (count == GATHER_ROWS)
        return run_with(s, many, rows->numbers, GATHER_ROWS * columns);
    for (size_t i = 0; i < count && !failed; i++)
        failed = run_with(s, one, &rows->numbers[i * columns], columns);
    return failed;
}

static int flush_works(struct sqlite_store *s)
{
    return flush_rows(s, &s->gathered->works, WORK_COLUMNS, WRITE_WORK_PUT, WRITE_WORK_PUT_MANY);
}

static int flush_endings(struct sqlite_store *s)
{
    return flush_rows(s, &s->gathered->endings, ENDING_COLUMNS, WRITE_ENDING_PUT,
                      WRITE_ENDING_PUT_MANY);
}

static bool add_row(struct gathered_rows *rows, const int64_t *numbers, size_t columns)
{
    memcpy(&rows->numbers[rows->count++ * columns], numbers, columns * sizeof *numbers);
    return rows->count == GATHER_ROWS;
}

int gather_work(struct sqlite_store *s, const struct work *w)
{
    const int64_t row[WORK_COLUMNS] = {w->id,      w->owner,       w->status,  w->updated_us,
                                       w->sent_us, w->retry_count, w->carrier, w->series};

    work_remember(s->works, w);
    if (w->hooked) /* few are; the others need not name the column */
        return run_with(s, WRITE_WORK_PUT_HOOKED, row, WORK_COLUMNS);
    return add_row(&s->gathered->works, row, WORK_COLUMNS) ? flush_works(s) : 0;
}

int gather_ending(struct sqlite_store *s, const struct ending *e)
{
    const int64_t row[ENDING_COLUMNS] = {e->id,      e->status,      e->ended_us, e->sent_us,
                                         e->failure, e->retry_count, e->carrier};

    return add_row(&s->gathered->endings, row, ENDING_COLUMNS) ? flush_endings(s) : 0;
}

static bool find_gathered(const struct sqlite_store *s, int64_t id, struct work *ret)
{
    const struct gathered_rows *rows = &s->gathered->works;

    for (size_t i = rows->count; i-- > 0;) {
        const int64_t *row = &rows->numbers[i * WORK_COLUMNS];
        if (row[0] == id) {
            *ret = (struct work){.id = id,
                                 .owner = row[1],
                                 .status = (enum message_status)row[2],
                                 .updated_us = row[3],
                                 .sent_us = row[4],
                                 .retry_count = (uint16_t)row[5],
                                 .carrier = (uint16_t)row[6],
                                 .series = row[7]};
            return true;
        }
    }
    return false;
}

int gather_read_work(struct sqlite_store *s, int64_t id, struct work *ret)
{
    sqlite3_stmt *get = s->statements[WRITE_WORK_GET];
    const struct work *known = work_find(s->works, id);

    if (known)
        *ret = *known;
    if (known || find_gathered(s, id, ret))
        return 1;
    sqlite3_bind_int64(get, 1, id);
    int code = sqlite3_step(get);
    if (code == SQLITE_ROW)
        *ret = (struct work){.id = id,
                             .owner = sqlite3_column_int64(get, 0),
                             .status = (enum message_status)sqlite3_column_int(get, 1),
                             .updated_us = sqlite3_column_int64(get, 2),
                             .sent_us = sqlite3_column_int64(get, 3),
                             .retry_count = (uint16_t)sqlite3_column_int(get, 4),
                             .carrier = (uint16_t)sqlite3_column_int(get, 5),
                             .series = sqlite3_column_int64(get, 6),
                             .hooked = sqlite3_column_int(get, 7)};
    sqlite3_reset(get);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sqlite_failed(s);
    return code == SQLITE_ROW;
}

void gather_drop_work(struct sqlite_store *s, int64_t id)
{
    struct gathered_rows *rows = &s->gathered->works;
    size_t kept = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const int64_t *row = &rows->numbers[i * WORK_COLUMNS];
        if (row[0] == id)
            continue;
        if (kept != i)
            memcpy(&rows->numbers[kept * WORK_COLUMNS], row, WORK_COLUMNS * sizeof *row);
        kept++;
    }
    rows->count = kept;
}

/* ---- requests that are answered once ---- */

static int bind_once(sqlite3_stmt *put, int at, const struct once_row *row)
{
    at = bind_numbers_at(put, at, row->numbers, sizeof row->numbers / sizeof *row->numbers);
    sqlite3_bind_blob(put, at++, row->key, sizeof row->key, SQLITE_STATIC);
    sqlite3_bind_blob(put, at++, row->print, sizeof row->print, SQLITE_STATIC);
    return at;
}

int gather_flush_once(struct sqlite_store *s)
{
    struct gathered *g = s->gathered;
    size_t count = g->once_count;
    int failed = 0, at = 1;

    g->once_count = 0;
    if (count == GATHER_ROWS) {
        for (size_t i = 0; i < count; i++)
            at = bind_once(s->statements[WRITE_ONCE_MESSAGE_PUT_MANY], at, &g->onces[i]);
        return run(s, WRITE_ONCE_MESSAGE_PUT_MANY);
    }
    for (size_t i = 0; i < count && !failed; i++) {
        bind_once(s->statements[WRITE_ONCE_MESSAGE_PUT], 1, &g->onces[i]);
        failed = run(s, WRITE_ONCE_MESSAGE_PUT);
    }
    return failed;
}

int gather_once(struct sqlite_store *s, const struct once_row *row)
{
    struct gathered *g = s->gathered;

    g->onces[g->once_count++] = *row;
    return g->once_count == GATHER_ROWS ? gather_flush_once(s) : 0;
}

/* ---- what carriers call messages ---- */

static int bind_reference(sqlite3_stmt *add, int at, const struct reference_row *row)
{
    at = bind_numbers_at(add, at, row->numbers, sizeof row->numbers / sizeof *row->numbers);
    bind_text(add, at++, (struct str){row->id, row->size});
    return at;
}

static int flush_references(struct sqlite_store *s)
{
    struct gathered *g = s->gathered;
    size_t count = g->reference_count;
    int failed = 0, at = 1;

    g->reference_count = 0;
    if (count == GATHER_ROWS) {
        for (size_t i = 0; i < count; i++)
            at = bind_reference(s->statements[WRITE_REFERENCE_ADD_MANY], at, &g->references[i]);
        return run(s, WRITE_REFERENCE_ADD_MANY);
    }
    for (size_t i = 0; i < count && !failed; i++) {
        bind_reference(s->statements[WRITE_REFERENCE_ADD], 1, &g->references[i]);
        failed = run(s, WRITE_REFERENCE_ADD);
    }
    return failed;
}

int gather_reference(struct sqlite_store *s, const struct reference_row *row)
{
    struct gathered *g = s->gathered;

    g->references[g->reference_count++] = *row;
    return g->reference_count == GATHER_ROWS ? flush_references(s) : 0;
}

/* ---- all of it ---- */

int gather_flush(struct sqlite_store *s)
{
    int failed = flush_messages(s);

    if (!failed)
        failed = flush_works(s);
    if (!failed)
        failed = flush_endings(s);
    if (!failed)
        failed = flush_references(s);
    return failed ? failed : gather_flush_once(s);
}

void gather_clear(struct sqlite_store *s)
{
    struct gathered *g = s->gathered;

    g->message_count = g->used = g->works.count = g->endings.count = g->once_count = 0;
    g->reference_count = 0;
    g->live = false;
}
