/* The verbs of the SQLite engine: sqlite_read.c and sqlite_write.c make them, sqlite.c lists them
 * in the engine's table. */
#pragma once

#include "store/sqlite_internal.h"

static inline struct sqlite_store *sqlite_of(struct store *s)
{
    return (struct sqlite_store *)s;
}

/* Account and mode in one number, as the list's index has it. */
static inline int64_t owner_of(int64_t account, enum mode mode)
{
    return account * 2 + (int64_t)mode;
}

int sqlite_message_get(struct store_reader *base, int64_t account, enum mode mode, int64_t id,
                       struct arena *a, struct message *ret);
int sqlite_message_page(struct store_reader *base, int64_t account, enum mode mode, int64_t cursor,
                        size_t limit, struct arena *a, struct message_page *ret);
int sqlite_open_work(struct store_reader *base, int64_t after, size_t limit, struct arena *a,
                     struct message **ret, size_t *ret_count);
int sqlite_key_find(struct store_reader *base, const uint8_t hash[KEY_HASH_SIZE],
                    struct key_record *ret);
void sqlite_reader_rest(struct store_reader *base);
int sqlite_key_list(struct store_reader *base, struct arena *a, struct key_record **ret,
                    size_t *ret_count);

int sqlite_begin(struct store *base);
int sqlite_commit(struct store *base);
void sqlite_rollback(struct store *base);
int sqlite_message_insert(struct store *base, const struct message *m);
int sqlite_message_move(struct store *base, const struct message_move *move);
int sqlite_key_insert(struct store *base, struct key_record *k);
int sqlite_key_revoke(struct store *base, int64_t id, int64_t at_us);
int sqlite_touch(struct store *base);
bool sqlite_wrote_elsewhere(struct store *base);
void sqlite_tidy(struct store *base);
