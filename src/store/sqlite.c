/* The embedded store: SQLite with a write-ahead log, synchronous=FULL, one writing connection, a
 * reading connection per thread. A commit that returned is on disk. */
#include "base/random.h"
#include "sql.h"
#include "store/sqlite_outbox.h"
#include "store/sqlite_pulse.h"
#include "store/sqlite_rollup.h"
#include "store/sqlite_rows.h"
#include "store/sqlite_verbs.h"
#include "store/sqlite_work.h"
#include "store/store_media.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { WRITER_CACHE_KIB = 12 << 10, READER_CACHE_KIB = 4 << 10 };

int sqlite_errno(int code)
{
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
        return 0;
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return -EBUSY;
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return -EACCES;
    case SQLITE_CONSTRAINT:
        return -EEXIST;
    default:
        return -EIO;
    }
}

int sqlite_failed(struct sqlite_store *s)
{
    int code = sqlite3_extended_errcode(s->db);
    int system = sqlite3_system_errno(s->db);

    return store_fail(&s->base, sqlite_errno(code), "%s%s%s", sqlite3_errmsg(s->db),
                      system ? ": " : "", system ? strerror(system) : "");
}

static const char connection_setup[] = "PRAGMA journal_mode = WAL;"
                                       "PRAGMA synchronous = FULL;"
                                       "PRAGMA wal_autocheckpoint = 0;"
                                       "PRAGMA journal_size_limit = 67108864;"
                                       "PRAGMA temp_store = MEMORY;";

int sqlite_connect(const char *path, int flags, int cache_kib, sqlite3 **ret)
{
    char cache[64];
    int code = sqlite3_open_v2(path, ret, flags | SQLITE_OPEN_NOMUTEX, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(*ret, BUSY_MS);
    if (code == SQLITE_OK)
        code = sqlite3_exec(*ret, connection_setup, NULL, NULL, NULL);
    snprintf(cache, sizeof cache, "PRAGMA cache_size = -%d", cache_kib);
    if (code == SQLITE_OK)
        code = sqlite3_exec(*ret, cache, NULL, NULL, NULL);
    return sqlite_errno(code);
}

int sqlite_prepare(sqlite3 *db, const char *const *sql, sqlite3_stmt **statements, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sqlite3_prepare_v3(db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &statements[i], NULL) !=
            SQLITE_OK)
            return sqlite_errno(sqlite3_errcode(db));
    return 0;
}

void sqlite_finalize(sqlite3_stmt **statements, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sqlite3_finalize(statements[i]);
}

int sqlite_number(sqlite3 *db, const char *sql, int64_t *ret)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *ret = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return sqlite_errno(code);
}

static int reader_open(struct store *base, struct store_reader **ret)
{
    struct sqlite_reader *r = calloc(1, sizeof *r);

    if (!r)
        return -ENOMEM;
    int failed =
        sqlite_connect(sqlite_of(base)->path, SQLITE_OPEN_READWRITE, READER_CACHE_KIB, &r->db);
    if (!failed)
        failed = sqlite_prepare(r->db, sqlite_read_sql, r->statements, READ_COUNT);
    if (failed) {
        sqlite_finalize(r->statements, READ_COUNT);
        sqlite3_close(r->db);
        free(r);
        return failed;
    }
    *ret = &r->base;
    return 0;
}

static void reader_close(struct store_reader *base)
{
    struct sqlite_reader *r = (struct sqlite_reader *)base;

    sqlite_reader_rest(base);
    sqlite_finalize(r->statements, READ_COUNT);
    sqlite3_close(r->db);
    free(r);
}

static void sqlite_close(struct store *base)
{
    struct sqlite_store *s = sqlite_of(base);

    checkpointer_stop(&s->checkpointer);
    sqlite_finalize(s->statements, WRITE_COUNT);
    sqlite3_close(s->db);
    once_done(&s->once);
    index_done(&s->index);
    free(s->works);
    free(s->gathered);
    free(s->pulses);
    if (s->outbox)
        wishes_done(&s->outbox->wishes);
    free(s->outbox);
    rollup_done(s);
    media_folder_free(s->base.media);
    free(s->spares.places);
    free(s->path);
    free(s);
}

static const struct store_engine sqlite_engine = {
    .close = sqlite_close,
    .reader_open = reader_open,
    .reader_close = reader_close,
    .reader_rest = sqlite_reader_rest,
    .message_get = sqlite_message_get,
    .message_page = sqlite_message_page,
    .due = sqlite_due,
    .next_due = sqlite_next_due,
    .batch_get = sqlite_batch_get,
    .event_list = sqlite_event_list,
    .work_list = sqlite_work_list,
    .work_carriers = sqlite_work_carriers,
    .carrier_list = sqlite_carrier_list,
    .reference_find = sqlite_reference_find,
    .message_find = sqlite_message_find,
    .stray_list = sqlite_stray_list,
    .inbound_part_overdue = sqlite_inbound_part_overdue,
    .media_get = sqlite_media_get,
    .media_content = sqlite_media_content,
    .media_list = sqlite_media_list,
    .price_each = sqlite_price_each,
    .key_find = sqlite_key_find,
    .key_list = sqlite_key_list,
    .key_get = sqlite_key_get,
    .key_page = sqlite_key_page,
    .key_usage = sqlite_key_usage,
    .account_list = sqlite_account_list,
    .account_find = sqlite_account_find,
    .account_get = sqlite_account_get,
    .limit_list = sqlite_limit_list,
    .opt_out_page = sqlite_opt_out_page,
    .opt_out_get = sqlite_opt_out_get,
    .opt_out_each = sqlite_opt_out_each,
    .notice_list = sqlite_notice_list,
    .notice_get = sqlite_notice_get,
    .message_at = sqlite_message_at,
    .notice_last = sqlite_notice_last,
    .endpoint_list = sqlite_endpoint_list,
    .endpoint_get = sqlite_endpoint_get,
    .endpoint_busy = sqlite_endpoint_busy,
    .secret_get = sqlite_secret_get,
    .delivery_page = sqlite_delivery_page,
    .delivery_count = sqlite_delivery_count,
    .delivery_get = sqlite_delivery_get,
    .delivery_of_message = sqlite_delivery_of_message,
    .delivery_due = sqlite_delivery_due,
    .delivery_next = sqlite_delivery_next,
    .attempt_list = sqlite_attempt_list,
    .rollup_each = sqlite_rollup_each,
    .request_each = sqlite_request_each,
    .pulse_each = sqlite_pulse_each,
    .queue_state = sqlite_queue_state,
    .books = sqlite_books,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .message_insert = sqlite_message_insert,
    .message_move = sqlite_message_move,
    .hand_over = sqlite_hand_over,
    .requeue = sqlite_requeue,
    .carrier_add = sqlite_carrier_add,
    .carrier_note = sqlite_carrier_note,
    .carrier_twice = sqlite_carrier_twice,
    .carrier_drain = sqlite_carrier_drain,
    .reference_add = sqlite_reference_add,
    .parts_open = sqlite_parts_open,
    .part_delivered = sqlite_part_delivered,
    .stray_add = sqlite_stray_add,
    .stray_remove = sqlite_stray_remove,
    .inbound_part_add = sqlite_inbound_part_add,
    .media_put = sqlite_media_put,
    .price_put = sqlite_price_put,
    .price_clear = sqlite_price_clear,
    .key_insert = sqlite_key_insert,
    .batch_insert = sqlite_batch_insert,
    .event_add = sqlite_event_add,
    .edge = sqlite_edge,
    .once_find = sqlite_once_find,
    .once_keep = sqlite_once_keep,
    .key_off = sqlite_key_off,
    .key_revoke = sqlite_key_revoke,
    .key_used = sqlite_key_used,
    .account_insert = sqlite_account_insert,
    .account_suspend = sqlite_account_suspend,
    .account_credit = sqlite_account_credit,
    .account_charge = sqlite_account_charge,
    .limit_save = sqlite_limit_save,
    .opt_out_add = sqlite_opt_out_add,
    .opt_out_remove = sqlite_opt_out_remove,
    .notice_add = sqlite_notice_add,
    .endpoint_add = sqlite_endpoint_add,
    .endpoint_find = sqlite_endpoint_find,
    .endpoint_put = sqlite_endpoint_put,
    .endpoint_remove = sqlite_endpoint_remove,
    .secret_find = sqlite_secret_find,
    .secret_put = sqlite_secret_put,
    .delivery_add = sqlite_delivery_add,
    .delivery_find = sqlite_delivery_find,
    .delivery_tried = sqlite_delivery_tried,
    .delivery_again = sqlite_delivery_again,
    .replay_step = sqlite_replay_step,
    .touch = sqlite_touch,
    .wrote_elsewhere = sqlite_wrote_elsewhere,
    .tidy = sqlite_tidy,
    .housekeep = sqlite_housekeep,
};

/* The secret behind the public ids: made by whoever opens the store first. -EBADMSG: it is damaged,
 * and with another in its place no id that was given out would lead to its message. */
static int load_cipher(struct sqlite_store *s)
{
    uint8_t secret[16];
    sqlite3_stmt *put = NULL, *get = NULL;
    int code = sqlite3_prepare_v2(s->db, sql_meta_put, -1, &put, NULL);

    random_secret(secret, sizeof secret);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(s->db, sql_meta_get, -1, &get, NULL);
    if (code == SQLITE_OK) {
        sqlite3_bind_text(put, 1, "id_secret", -1, SQLITE_STATIC);
        sqlite3_bind_blob(put, 2, secret, sizeof secret, SQLITE_STATIC);
        sqlite3_bind_text(get, 1, "id_secret", -1, SQLITE_STATIC);
        code = sqlite3_step(get);
        if (code == SQLITE_DONE) {
            code = sqlite3_step(put);
            sqlite3_reset(get);
            if (code == SQLITE_DONE)
                code = sqlite3_step(get);
        }
    }
    bool damaged = code == SQLITE_ROW && sqlite3_column_bytes(get, 0) != sizeof secret;
    if (code == SQLITE_ROW && !damaged)
        memcpy(s->base.secret, sqlite3_column_blob(get, 0), sizeof s->base.secret);
    sqlite3_finalize(put);
    sqlite3_finalize(get);
    id_cipher_init(&s->base.cipher, s->base.secret);
    return damaged ? -EBADMSG : sqlite_errno(code);
}

static int note_log_pages(void *store, sqlite3 *db, const char *name, int pages)
{
    (void)db, (void)name;
    ((struct sqlite_store *)store)->log_pages = pages;
    return SQLITE_OK;
}

static int open_writer(struct sqlite_store *s, char why[STORE_WHY_SIZE])
{
    int failed = sqlite_connect(s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                WRITER_CACHE_KIB, &s->db);

    if (!failed) {
        failed = sqlite_migrate(s, why);
        if (failed)
            return failed;
    }
    if (!failed)
        failed = load_cipher(s);
    if (!failed)
        failed = sqlite_prepare(s->db, sqlite_write_sql, s->statements, WRITE_COUNT);
    if (!failed) {
        s->sizes = sizes_default;
        once_init(s);
        index_init(&s->index);
        failed = sqlite_number(s->db, sql_id_last, &s->base.ids.last);
    }
    if (!failed)
        failed = sqlite_number(s->db, sql_message_last_created, &s->base.last_created_us);
    if (failed)
        snprintf(why, STORE_WHY_SIZE, "cannot open the store %s: %s", s->path,
                 failed == -EBADMSG ? "its id_secret is damaged" : sqlite3_errmsg(s->db));
    return failed;
}

/* Once per process. Each connection belongs to one thread, so SQLite needs no mutexes around them;
 * its memory statistics would take one at every allocation. */
static void configure_library(void)
{
    sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_initialize();
}

int store_open_sqlite(struct store **ret, const char *path, const struct clock *clock,
                      char why[STORE_WHY_SIZE])
{
    static pthread_once_t configured = PTHREAD_ONCE_INIT;
    struct sqlite_store *s = calloc(1, sizeof *s);

    *ret = NULL;
    pthread_once(&configured, configure_library);
    if (!s || !(s->path = strdup(path)) || !(s->works = calloc(1, sizeof *s->works)) ||
        !(s->gathered = calloc(1, sizeof *s->gathered)) ||
        !(s->pulses = calloc(1, sizeof *s->pulses)) ||
        !(s->outbox = calloc(1, sizeof *s->outbox)) || rollup_init(s) != 0) {
        if (s)
            sqlite_close(&s->base);
        snprintf(why, STORE_WHY_SIZE, "out of memory");
        return -ENOMEM;
    }
    store_init(&s->base, &sqlite_engine, clock);
    s->base.media = media_folder_new(path, clock_now_us(clock));
    int failed = s->base.media ? open_writer(s, why) : -ENOMEM;
    if (!failed) {
        failed = checkpointer_start(&s->checkpointer, path);
        if (failed)
            snprintf(why, STORE_WHY_SIZE, "cannot start the checkpointer: %s", strerror(-failed));
    }
    if (failed) {
        sqlite_close(&s->base);
        return failed;
    }
    sqlite3_wal_hook(s->db, note_log_pages, s);
    sqlite_wrote_elsewhere(&s->base);
    *ret = &s->base;
    return 0;
}
