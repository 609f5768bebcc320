/* The in-memory twin: the same verbs without a disk, for tests and for trying things out.
 *
 * Every row has two faces: `now`, which only the writing thread touches, and `seen`, which readers
 * see under the lock. Commit shows the touched rows to the readers; rollback takes them back. Rows
 * lie in the order of their numbers. Lists are walked: that is fine for thousands, not millions. */
#include "base/random.h"
#include "store/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct row {
    union {
        struct message message;
        struct key_record key;
    } now, seen;
    char *texts; /* of a message: what its views point to */
    bool touched;
    struct row *next_touched;
};

struct table {
    struct row **rows;
    size_t count, size;
    size_t visible; /* rows that readers see: the first ones */
    struct row *touched;
};

struct memory {
    struct store store;
    pthread_mutex_t lock; /* guards rows, visible and every `seen` */
    struct table messages, keys;
};

static struct memory *memory_of(struct store *s)
{
    return (struct memory *)s;
}

static struct memory *lock_for(struct store_reader *r)
{
    struct memory *m = memory_of(r->store);

    pthread_mutex_lock(&m->lock);
    return m;
}

static int unlock_with(struct memory *m, int r)
{
    pthread_mutex_unlock(&m->lock);
    return r;
}

/* ---- tables ---- */

static void row_free(struct row *row)
{
    free(row->texts);
    free(row);
}

static void table_cut(struct table *t, size_t count)
{
    while (t->count > count)
        row_free(t->rows[--t->count]);
}

static void table_done(struct table *t)
{
    table_cut(t, 0);
    free(t->rows);
}

static bool table_add(struct table *t, struct row *row)
{
    if (t->count == t->size) {
        size_t size = t->size ? t->size * 2 : 64;
        struct row **rows = realloc(t->rows, size * sizeof *rows);
        if (!rows)
            return false;
        t->rows = rows;
        t->size = size;
    }
    t->rows[t->count++] = row;
    return true;
}

static void table_touch(struct table *t, struct row *row)
{
    if (row->touched)
        return;
    row->touched = true;
    row->next_touched = t->touched;
    t->touched = row;
}

static void table_settle(struct table *t, bool keep)
{
    for (struct row *row = t->touched; row; row = row->next_touched) {
        if (keep)
            row->seen = row->now;
        else
            row->now = row->seen;
        row->touched = false;
    }
    t->touched = NULL;
    if (keep)
        t->visible = t->count;
    else
        table_cut(t, t->visible);
}

/* The place of the first message among `count` whose number is not below id. */
static size_t lower_bound(const struct table *t, size_t count, int64_t id)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->rows[middle]->now.message.id < id) /* a number never changes */
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct row *find_message(const struct table *t, size_t count, int64_t id)
{
    size_t at = lower_bound(t, count, id);

    return at < count && t->rows[at]->now.message.id == id ? t->rows[at] : NULL;
}

/* ---- reading ---- */

static int reader_open(struct store *s, struct store_reader **ret)
{
    *ret = calloc(1, sizeof **ret);
    return *ret ? 0 : -ENOMEM;
}

static void reader_close(struct store_reader *r)
{
    free(r);
}

static bool copy_out(const struct row *row, struct arena *a, struct message *ret)
{
    *ret = row->seen.message;
    ret->from = arena_copy(a, ret->from);
    ret->to = arena_copy(a, ret->to);
    ret->text = arena_copy(a, ret->text);
    ret->media = arena_copy(a, ret->media);
    return ret->from.p && ret->to.p && ret->text.p && ret->media.p;
}

static bool is_of(const struct row *row, int64_t account, enum mode mode)
{
    return row->seen.message.account == account && row->seen.message.mode == mode;
}

static int message_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                       struct arena *a, struct message *ret)
{
    struct memory *m = lock_for(r);
    const struct row *row = find_message(&m->messages, m->messages.visible, id);

    if (!row || !is_of(row, account, mode))
        return unlock_with(m, -ENOENT);
    return unlock_with(m, copy_out(row, a, ret) ? 0 : -ENOMEM);
}

/* Walks all messages, newest first. `before` counts those above the cursor; the first of the
 * page before is the one that stands `limit` places above, or the newest when fewer do. */
static int fill_page(const struct table *t, int64_t account, enum mode mode, int64_t cursor,
                     size_t limit, struct arena *a, struct message_page *ret)
{
    size_t before = 0;
    bool found = cursor == 0;

    for (size_t i = t->visible; i-- > 0;) {
        const struct row *row = t->rows[i];
        int64_t id = row->seen.message.id;
        if (!is_of(row, account, mode))
            continue;
        ret->total++;
        found = found || id == cursor;
        if (!found)
            before++;
        else if (ret->count == limit)
            ret->next = ret->next ? ret->next : id;
        else if (!copy_out(row, a, &ret->messages[ret->count++]))
            return -ENOMEM;
    }
    if (!found)
        return -ENOENT;
    size_t skip = before > limit ? before - limit : 0;
    for (size_t i = t->visible; before && i-- > 0;) {
        if (!is_of(t->rows[i], account, mode) || skip-- > 0)
            continue;
        ret->previous = t->rows[i]->seen.message.id;
        break;
    }
    return 0;
}

static int message_page(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                        size_t limit, struct arena *a, struct message_page *ret)
{
    ret->messages = arena_alloc(a, limit * sizeof *ret->messages);
    if (!ret->messages)
        return -ENOMEM;
    struct memory *m = lock_for(r);
    return unlock_with(m, fill_page(&m->messages, account, mode, cursor, limit, a, ret));
}

static bool is_open(const struct message *m)
{
    return m->direction == DIRECTION_OUTBOUND && status_bit(m->status) & STATUS_OPEN_BITS;
}

static int open_work(struct store_reader *r, int64_t after, size_t limit, struct arena *a,
                     struct message **ret, size_t *ret_count)
{
    *ret = arena_alloc(a, limit * sizeof **ret);
    if (!*ret)
        return -ENOMEM;
    struct memory *m = lock_for(r);
    const struct table *t = &m->messages;
    for (size_t i = 0; i < t->visible && *ret_count < limit; i++) {
        const struct message *seen = &t->rows[i]->seen.message;
        if (seen->id > after && is_open(seen) && !copy_out(t->rows[i], a, &(*ret)[(*ret_count)++]))
            return unlock_with(m, -ENOMEM);
    }
    return unlock_with(m, 0);
}

static int key_find(struct store_reader *r, const uint8_t hash[KEY_HASH_SIZE],
                    struct key_record *ret)
{
    struct memory *m = lock_for(r);

    for (size_t i = 0; i < m->keys.visible; i++) {
        const struct key_record *k = &m->keys.rows[i]->seen.key;
        if (memcmp(k->hash, hash, KEY_HASH_SIZE) == 0) {
            *ret = *k;
            return unlock_with(m, 0);
        }
    }
    return unlock_with(m, -ENOENT);
}

static int key_list(struct store_reader *r, struct arena *a, struct key_record **ret,
                    size_t *ret_count)
{
    struct memory *m = lock_for(r);
    size_t count = m->keys.visible;

    if (count && !(*ret = arena_alloc(a, count * sizeof **ret)))
        return unlock_with(m, -ENOMEM);
    for (size_t i = 0; i < count; i++)
        (*ret)[i] = m->keys.rows[i]->seen.key;
    *ret_count = count;
    return unlock_with(m, 0);
}

/* ---- writing ---- */

static int begin(struct store *s)
{
    return 0;
}

static void settle(struct store *s, bool keep)
{
    struct memory *m = memory_of(s);

    pthread_mutex_lock(&m->lock);
    table_settle(&m->messages, keep);
    table_settle(&m->keys, keep);
    pthread_mutex_unlock(&m->lock);
}

static int commit(struct store *s)
{
    settle(s, true);
    return 0;
}

static void rollback(struct store *s)
{
    settle(s, false);
}

/* Takes the row in any case. */
static int add_row(struct store *s, struct table *t, struct row *row)
{
    struct memory *m = memory_of(s);

    pthread_mutex_lock(&m->lock);
    bool added = table_add(t, row);
    pthread_mutex_unlock(&m->lock);
    if (!added) {
        row_free(row);
        return store_fail(s, -ENOMEM, "no memory for another row");
    }
    table_touch(t, row);
    return 0;
}

static struct str keep_text(char **at, struct str s)
{
    char *p = *at;

    if (s.n)
        memcpy(p, s.p, s.n);
    *at += s.n;
    return (struct str){p, s.n};
}

static int message_insert(struct store *s, const struct message *m)
{
    struct row *row = calloc(1, sizeof *row);
    char *at = row ? malloc(m->from.n + m->to.n + m->text.n + m->media.n + 1) : NULL;

    if (!at) {
        free(row);
        return store_fail(s, -ENOMEM, "no memory for a message");
    }
    row->texts = at;
    row->now.message = *m;
    row->now.message.from = keep_text(&at, m->from);
    row->now.message.to = keep_text(&at, m->to);
    row->now.message.text = keep_text(&at, m->text);
    row->now.message.media = keep_text(&at, m->media);
    return add_row(s, &memory_of(s)->messages, row);
}

static void apply_move(struct message *m, const struct message_move *move)
{
    m->status = move->to;
    m->updated_us = move->at_us;
    if (move->to == STATUS_SENT)
        m->sent_us = move->at_us;
    if (move->to == STATUS_DELIVERED)
        m->delivered_us = move->at_us;
    if (move->to == STATUS_FAILED) {
        m->failed_us = move->at_us;
        m->failure = move->failure;
    }
}

static int message_move(struct store *s, const struct message_move *move)
{
    struct table *t = &memory_of(s)->messages;
    struct row *row = find_message(t, t->count, move->id);

    if (!row || !(status_bit(row->now.message.status) & move->from))
        return 0;
    table_touch(t, row);
    apply_move(&row->now.message, move);
    return 1;
}

static int key_insert(struct store *s, struct key_record *k)
{
    struct table *t = &memory_of(s)->keys;

    for (size_t i = 0; i < t->count; i++)
        if (memcmp(t->rows[i]->now.key.hash, k->hash, KEY_HASH_SIZE) == 0)
            return store_fail(s, -EEXIST, "a key with this hash exists");
    struct row *row = calloc(1, sizeof *row);
    if (!row)
        return store_fail(s, -ENOMEM, "no memory for a key");
    k->id = (int64_t)t->count + 1;
    row->now.key = *k;
    return add_row(s, t, row);
}

static int key_revoke(struct store *s, int64_t id, int64_t at_us)
{
    struct table *t = &memory_of(s)->keys;

    if (id < 1 || (uint64_t)id > t->count)
        return -ENOENT;
    struct row *row = t->rows[id - 1];
    if (row->now.key.revoked_us)
        return 0;
    table_touch(t, row);
    row->now.key.revoked_us = at_us;
    return 0;
}

/* ---- the store itself ---- */

static void close_memory(struct store *s)
{
    struct memory *m = memory_of(s);

    table_done(&m->messages);
    table_done(&m->keys);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static const struct store_engine memory_engine = {
    .close = close_memory,
    .reader_open = reader_open,
    .reader_close = reader_close,
    .message_get = message_get,
    .message_page = message_page,
    .open_work = open_work,
    .key_find = key_find,
    .key_list = key_list,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .message_insert = message_insert,
    .message_move = message_move,
    .key_insert = key_insert,
    .key_revoke = key_revoke,
};

int store_open_memory(struct store **ret, const struct clock *clock)
{
    struct memory *m = calloc(1, sizeof *m);
    uint8_t secret[16];

    *ret = NULL;
    if (!m)
        return -ENOMEM;
    store_init(&m->store, &memory_engine, clock);
    random_secret(secret, sizeof secret);
    id_cipher_init(&m->store.cipher, secret);
    pthread_mutex_init(&m->lock, NULL);
    *ret = &m->store;
    return 0;
}
