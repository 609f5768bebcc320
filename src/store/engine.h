/* What stands behind store.h: the common part of every store and the functions an engine gives.
 * Only store.c and the engines see this file.
 *
 * An engine's own struct begins with `struct store`, its reader with `struct store_reader`; its
 * store_open_… makes the first, fills it with store_init and hands it out. store.c gives ids and
 * times, clears pages and lists before they are filled, keeps final states final and counts changes
 * of keys, so engines need not. */
#pragma once

#include "store/store.h"

#include <stdatomic.h>

struct store_engine {
    void (*close)(struct store *s); /* frees s too */

    int (*reader_open)(struct store *s, struct store_reader **ret); /* store.c sets r->store */
    void (*reader_close)(struct store_reader *r);
    void (*reader_rest)(struct store_reader *r); /* NULL: it holds on to nothing */
    int (*message_get)(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                       struct arena *a, struct message *ret);
    int (*message_page)(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                        size_t limit, struct arena *a, struct message_page *ret);
    int (*open_work)(struct store_reader *r, int64_t after, size_t limit, struct arena *a,
                     struct message **ret, size_t *ret_count);
    int (*key_find)(struct store_reader *r, const uint8_t hash[KEY_HASH_SIZE],
                    struct key_record *ret);
    int (*key_list)(struct store_reader *r, struct arena *a, struct key_record **ret,
                    size_t *ret_count);

    int (*begin)(struct store *s);
    int (*commit)(struct store *s); /* on failure it has rolled back */
    void (*rollback)(struct store *s);
    int (*message_insert)(struct store *s, const struct message *m);    /* id and times are set */
    int (*message_move)(struct store *s, const struct message_move *m); /* m->from: open states */
    int (*key_insert)(struct store *s, struct key_record *k);
    int (*key_revoke)(struct store *s, int64_t id, int64_t at_us);
    int (*touch)(struct store *s); /* NULL: writing cannot fail */

    bool (*wrote_elsewhere)(struct store *s); /* since the last look; NULL: cannot happen */
    void (*tidy)(struct store *s);            /* NULL: nothing to tidy */
};

/* Owned by the writing thread, but for what is marked. */
struct store {
    const struct store_engine *engine;
    const struct clock *clock;
    struct id_cipher cipher; /* set by the engine's open; then any thread may read it */
    struct id_source ids;    /* the engine's open sets `last` to the highest stored number */
    int64_t last_created_us; /* of the newest message: created times follow the order of ids */
    bool in_transaction;
    bool keys_changed;               /* in this transaction */
    _Atomic uint64_t key_generation; /* any thread reads */
    char error[STORE_WHY_SIZE];
};

/* Owned by the thread that opened it. */
struct store_reader {
    struct store *store;
};

void store_init(struct store *s, const struct store_engine *engine, const struct clock *clock);

/* Notes why for store_error and returns r, so that engines write `return store_fail(…)`. */
int store_fail(struct store *s, int r, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The set of states that are not final. */
#define STATUS_OPEN_BITS                                                                           \
    (status_bit(STATUS_SCHEDULED) | status_bit(STATUS_QUEUED) | status_bit(STATUS_SENT))
