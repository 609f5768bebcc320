/* The store: verbs, never rows or SQL. Two engines stand behind it, sqlite.c and memory.c, and one
 * contract test (store_test.c) holds for both.
 *
 * Reading goes through a `store_reader`, one per thread. Writing is for one thread at a time:
 * begin, any number of write verbs, commit. When commit returns 0 the writes are on disk.
 * In the server that thread is the writer (writer.h). Another process with rights to the files
 * may write too (the command line); store_look_elsewhere notices. */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/id.h"
#include "store/records.h"

struct store;
struct store_reader;

/* Account numbers stay between 1 and STORE_ACCOUNT_MAX: an engine may keep account and mode in one
 * number. */
#define STORE_ACCOUNT_MAX (INT64_MAX / 2)

enum { STORE_WHY_SIZE = 256 };

/* Opens or creates; migrates an older schema. On failure *ret is NULL and `why` is one line for
 * the operator. A schema newer than this program is refused with -EPROTO. */
int store_open_sqlite(struct store **ret, const char *path, const struct clock *clock,
                      char why[STORE_WHY_SIZE]);
int store_open_memory(struct store **ret, const struct clock *clock);
void store_close(struct store *s);

/* The cipher that makes public ids of this store's numbers; made once, kept in the store. */
const struct id_cipher *store_cipher(const struct store *s);
/* Why the last write verb or commit failed, for the log. */
const char *store_error(const struct store *s);

/* ---- reading: all return 0, -ENOENT, or another negative errno ---- */

int store_reader_open(struct store *s, struct store_reader **ret);
void store_reader_close(struct store_reader *r);
/* A reader may go on seeing the same moment as long as nothing has been committed here since, which
 * spares it the way in and out. Rests end that; call it when the next read is not near, because the
 * moment it holds on to cannot be tidied away. */
void store_reader_rest(struct store_reader *r);

/* A message of this account and mode only; anything else is -ENOENT. */
int store_message_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                      struct arena *a, struct message *ret);

struct message_page {
    struct message *messages; /* newest first */
    size_t count;
    int64_t next, previous; /* first ids of the neighbouring pages, 0 = none */
    int64_t total;          /* of all messages of this account and mode */
};

/* The page that starts with id `cursor` (inclusive; 0 = the newest). One consistent snapshot.
 * A cursor that is no message of this account and mode is -ENOENT. Cost does not depend on how
 * many messages there are or how deep the page lies. */
int store_message_page(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                       size_t limit, struct arena *a, struct message_page *ret);

/* Outbound messages that are not in a final state, numbers above `after`, oldest first. */
int store_open_work(struct store_reader *r, int64_t after, size_t limit, struct arena *a,
                    struct message **ret, size_t *ret_count);

/* By hash, whatever its state: revoked and expired keys are found too. Sees also what another
 * process has just written. */
int store_key_find(struct store_reader *r, const uint8_t hash[KEY_HASH_SIZE],
                   struct key_record *ret);
int store_key_list(struct store_reader *r, struct arena *a, struct key_record **ret,
                   size_t *ret_count);

/* ---- writing: between begin and commit, one thread ---- */

int store_begin(struct store *s);
int store_commit(struct store *s); /* 0: durable. Negative: nothing of it happened. */
void store_rollback(struct store *s);
/* Commits when `result`, that of the verbs before, is 0; else rolls back and returns it. */
int store_end(struct store *s, int result);

/* Gives the message its id and times, writes it with its open work and count. */
int store_accept(struct store *s, struct message *m);

/* A state's bit in a set of states. */
static inline uint32_t status_bit(enum message_status status)
{
    return UINT32_C(1) << status;
}

struct message_move {
    int64_t id;
    uint32_t from; /* the set of states that this move may start in */
    enum message_status to;
    enum failure failure; /* for STATUS_FAILED */
    int64_t at_us;
};

/* 1 moved, 0 the message is in no state of `from` (or gone): nothing written. */
int store_move(struct store *s, const struct message_move *move);

/* Gives k->id. A hash that is there already fails. */
int store_key_insert(struct store *s, struct key_record *k);
/* Turns a key off; -ENOENT when there is none. 0 also when it was off before, and then it keeps the
 * first time. */
int store_key_revoke(struct store *s, int64_t id, int64_t at_us);

/* Writes something of no meaning, to see whether writing works. */
int store_touch(struct store *s);

/* Counts changes of keys, made here or by another process: caches of keys hold while it stands
 * still. Any thread. */
uint64_t store_key_generation(const struct store *s);
/* Looks whether another process wrote since the last look, and counts it as a change of keys.
 * On the writing thread, outside a transaction. */
void store_look_elsewhere(struct store *s);

/* Moves what the log holds into the main file when there is much of it; on the writing thread,
 * outside a transaction. */
void store_tidy(struct store *s);
