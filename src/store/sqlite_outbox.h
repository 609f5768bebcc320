/* What a transaction adds to what clients are told: notices and their deliveries, gathered as in
 * sqlite_gather.h, and what is known of endpoints while it runs. */
#pragma once

#include "store/notice_pack.h"
#include "store/sqlite_gather.h"
#include "store/sqlite_internal.h"
#include "store/wishes.h"

enum { DELIVERY_COLUMNS = 12, DELIVERY_TALLIES = 64, NOTICE_PACKS = 16 };

struct delivery_delta {
    int64_t endpoint, account;
    enum mode mode;
    enum delivery_state state;
    int64_t count;
};

/* Owned by the writing thread. */
struct outbox {
    struct wish_table wishes;
    bool known;           /* `wishes` has what the store has */
    bool changed;         /* endpoints were, in this transaction */
    int64_t now_us;       /* when the transaction began */
    bool none_removed;    /* nothing is left of endpoints that were removed */
    int64_t expired_hour; /* hour before which nothing is kept */
    int64_t origin_seen;  /* up to this number origins were looked at whether they are used */
    struct notice_pack packs[NOTICE_PACKS];
    size_t pack_count;
    int64_t deliveries[GATHER_ROWS][DELIVERY_COLUMNS];
    size_t delivery_count;
    struct delivery_delta tallies[DELIVERY_TALLIES];
    size_t tally_count;
};

/* A transaction begins; it has begun at the store. */
int outbox_begin(struct sqlite_store *s);
/* Writes all. */
int outbox_flush(struct sqlite_store *s);
/* Nothing of it happened. */
void outbox_forget(struct sqlite_store *s);
/* What is known of endpoints is not certain any more. */
void outbox_doubt(struct sqlite_store *s);

/* A message that was written. */
int outbox_accepted(struct sqlite_store *s, const struct message *m);
/* A message that has moved; `was` is how it stood before. */
int outbox_moved(struct sqlite_store *s, const struct message_move *move, const struct work *was);

/* A notice is among those that are gathered from now on. */
int notice_gather(struct sqlite_store *s, const struct notice_record *n);
int notice_flush(struct sqlite_store *s);

/* What the address of a message is told. */
#define HOOK_KINDS                                                                                 \
    (notice_bit(NOTICE_SENT) | notice_bit(NOTICE_DELIVERED) | notice_bit(NOTICE_FAILED))
/* The endpoint for the origin of addresses of messages; made when there is none. */
int endpoint_of_origin(struct sqlite_store *s, int64_t account, struct str origin, int64_t *ret);

int delivery_gather(struct sqlite_store *s, const struct delivery_record *d);
/* Before rows of `delivery` are looked at. */
int delivery_flush(struct sqlite_store *s);
int delivery_flush_tallies(struct sqlite_store *s);
/* One more of the deliveries like this one, of its endpoint and owner, is in this state; or less.
 */
int delivery_tally(struct sqlite_store *s, const struct delivery_record *d,
                   enum delivery_state state, int delta);
/* Nothing is counted of this endpoint any more. */
int delivery_drop_tallies(struct sqlite_store *s, int64_t endpoint, int64_t account);
/* Until when waiting deliveries of this message to this endpoint wait that are before number `id`;
 * 0: there are none. *ret_behind: whether there are any behind it. */
int delivery_others(struct sqlite_store *s, int64_t message, int64_t endpoint, int64_t id,
                    int64_t *ret_until_us, bool *ret_behind);

/* Chores: what is past its time; what is left of endpoints that were removed. */
bool outbox_wants_expiry(struct sqlite_store *s, bool idle);
int outbox_expire(struct sqlite_store *s, bool idle);
bool outbox_wants_removal(struct sqlite_store *s, bool idle);
int outbox_remove(struct sqlite_store *s, bool idle);
