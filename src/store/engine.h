/* What stands behind store.h: the common part of every store and the functions an engine gives.
 * Only store.c and the engines see this file.
 *
 * An engine's own struct begins with `struct store`, its reader with `struct store_reader`; its
 * store_open_… makes the first, fills it with store_init and hands it out. store.c gives ids and
 * times, clears pages and lists before they are filled, keeps final states final and counts changes
 * of keys, so engines need not. */
#pragma once

#include "store/deeds.h"
#include "store/store.h"

#include <stdatomic.h>

struct store_engine {
    void (*close)(struct store *s); /* frees s too */

    int (*reader_open)(struct store *s, struct store_reader **ret); /* store.c sets r->store */
    void (*reader_close)(struct store_reader *r);
    void (*reader_rest)(struct store_reader *r); /* NULL: it holds on to nothing */
    int (*message_get)(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                       struct arena *a, struct message *ret);
    int (*message_page)(struct store_reader *r, int64_t account, enum mode mode,
                        const struct message_filter *filter, int64_t cursor, size_t limit,
                        struct arena *a, struct message_page *ret);
    int (*due)(struct store_reader *r, int64_t at_us, size_t limit, struct arena *a,
               struct message **ret, size_t *ret_count);
    int (*next_due)(struct store_reader *r, int64_t *ret_us);
    int (*batch_get)(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                     struct batch_record *ret, unsigned counts[STATUS_SLOTS]);
    int (*event_list)(struct store_reader *r, int64_t message, struct arena *a,
                      struct event_record **ret, size_t *ret_count);
    int (*work_list)(struct store_reader *r, const struct work_query *query, struct arena *a,
                     struct message **ret, size_t *ret_count, int64_t *ret_looked, bool *ret_end);
    int (*work_carriers)(struct store_reader *r, unsigned *ret, size_t max, size_t *ret_count);
    int (*carrier_list)(struct store_reader *r, struct arena *a, struct carrier_record **ret,
                        size_t *ret_count);
    int (*reference_find)(struct store_reader *r, unsigned carrier, struct str id, int64_t today,
                          struct arena *a, struct reference_record **ret, size_t *ret_count);
    int (*message_find)(struct store_reader *r, int64_t id, struct arena *a, struct message *ret);
    int (*stray_list)(struct store_reader *r, int64_t cursor, size_t limit, struct arena *a,
                      struct stray_record **ret, size_t *ret_count);
    int (*inbound_part_overdue)(struct store_reader *r, int64_t before_us, size_t limit,
                                struct arena *a, struct inbound_part_record **ret,
                                size_t *ret_count);
    int (*media_get)(struct store_reader *r, int64_t message, unsigned number,
                     struct media_record *ret);
    int (*media_list)(struct store_reader *r, int64_t message, struct media_record ret[MEDIA_MAX],
                      size_t *ret_count);
    int (*media_content)(struct store_reader *r, const uint8_t hash[MEDIA_HASH_SIZE],
                         int64_t *ret_place, int64_t *ret_size); /* -ENOENT */
    int (*price_each)(struct store_reader *r,
                      bool (*tell)(void *context, const struct price_record *p), void *context);
    int (*key_find)(struct store_reader *r, const uint8_t hash[KEY_HASH_SIZE],
                    struct key_record *ret);
    int (*key_list)(struct store_reader *r, int64_t account, int64_t from, size_t limit,
                    struct arena *a, struct key_record **ret, size_t *ret_count);
    int (*key_get)(struct store_reader *r, int64_t account, int64_t id, struct key_record *ret);
    int (*key_page)(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                    size_t limit, struct arena *a, struct key_page *ret);
    int (*key_usage)(struct store_reader *r, int64_t key, struct key_usage *ret);
    int (*account_list)(struct store_reader *r, struct arena *a, struct account_record **ret,
                        size_t *ret_count);
    int (*account_find)(struct store_reader *r, struct str name, struct account_record *ret);
    int (*account_get)(struct store_reader *r, int64_t id, struct account_record *ret);
    int (*limit_list)(struct store_reader *r, int64_t now_us, struct arena *a,
                      struct limit_count **ret, size_t *ret_count);
    int (*opt_out_page)(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                        size_t limit, struct arena *a, struct opt_out_page *ret);
    int (*opt_out_get)(struct store_reader *r, int64_t account, enum mode mode, struct str number,
                       struct arena *a, struct opt_out_record *ret);
    int (*opt_out_each)(struct store_reader *r,
                        bool (*tell)(void *context, const struct opt_out_record *o), void *context);
    int (*notice_list)(struct store_reader *r, int64_t account, enum mode mode,
                       const struct notice_query *query, int64_t since_us, struct arena *a,
                       struct notice_record **ret, size_t *ret_count);
    int (*notice_get)(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                      struct notice_record *ret);
    int (*message_at)(struct store_reader *r, const struct notice_record *n, struct arena *a,
                      struct message *ret); /* of a notice that has a message */
    int (*notice_last)(struct store_reader *r, int64_t account, enum mode mode, int64_t *ret);
    int (*endpoint_list)(struct store_reader *r, int64_t account, struct arena *a,
                         struct endpoint_record **ret, size_t *ret_count);
    int (*endpoint_get)(struct store_reader *r, int64_t account, int64_t id, struct arena *a,
                        struct endpoint_record *ret);
    int (*endpoint_busy)(struct store_reader *r, int64_t after, int64_t *ret, size_t max,
                         size_t *ret_count);
    int (*secret_get)(struct store_reader *r, int64_t account, enum mode mode, struct arena *a,
                      struct secret_record *ret);
    int (*delivery_page)(struct store_reader *r, const struct delivery_filter *filter,
                         int64_t cursor, size_t limit, struct arena *a, struct delivery_page *ret);
    int (*delivery_count)(struct store_reader *r, const struct delivery_filter *filter,
                          int64_t *ret);
    int (*delivery_get)(struct store_reader *r, int64_t id, struct delivery_record *ret);
    int (*delivery_of_message)(struct store_reader *r, int64_t message, struct arena *a,
                               struct delivery_record **ret, size_t *ret_count);
    int (*delivery_due)(struct store_reader *r, int64_t endpoint, struct delivery_place after,
                        int64_t now_us, size_t limit, struct arena *a, struct delivery_record **ret,
                        size_t *ret_count);
    int (*delivery_next)(struct store_reader *r, int64_t endpoint, int64_t now_us, int64_t *ret_us);
    int (*attempt_list)(struct store_reader *r, int64_t delivery, size_t most, struct arena *a,
                        struct attempt_record **ret, size_t *ret_count);
    int (*rollup_each)(struct store_reader *r, const struct rollup_query *query, rollup_tell *tell,
                       void *context);
    int (*request_each)(struct store_reader *r, int64_t account, enum mode mode, int64_t from_us,
                        int64_t to_us, void (*tell)(void *context, int64_t start_us, int64_t count),
                        void *context);
    int (*pulse_each)(struct store_reader *r, int64_t account, enum mode mode, int64_t from_minute,
                      int64_t to_minute, void (*tell)(void *context, const struct pulse_minute *m),
                      void *context);
    int (*queue_state)(struct store_reader *r, int64_t account, enum mode mode,
                       struct queue_state *ret);
    int (*books)(struct store_reader *r, bool scan, struct books *ret);

    int (*begin)(struct store *s);
    int (*commit)(struct store *s); /* on failure it has rolled back */
    void (*rollback)(struct store *s);
    int (*message_insert)(struct store *s, const struct message *m);    /* id and times are set */
    int (*message_move)(struct store *s, const struct message_move *m); /* m->from: open states */
    int (*hand_over)(struct store *s, const int64_t *ids, size_t count, unsigned carrier);
    int (*requeue)(struct store *s, int64_t id, unsigned carrier, unsigned retry_count);
    int (*carrier_add)(struct store *s, struct carrier_record *c);
    int (*carrier_note)(struct store *s, const struct carrier_record *c);
    int (*carrier_twice)(struct store *s, unsigned id);
    int (*carrier_drain)(struct store *s, unsigned id, bool drained);
    int (*reference_add)(struct store *s, const struct reference_record *r, int64_t day);
    int (*parts_open)(struct store *s, int64_t message, unsigned parts);
    int (*part_delivered)(struct store *s, int64_t message, unsigned part, unsigned *ret_left);
    int (*stray_add)(struct store *s, const struct stray_record *r); /* id and time are set */
    int (*stray_remove)(struct store *s, int64_t id);
    int (*inbound_part_add)(struct store *s, const struct inbound_part_record *p, bool force,
                            struct arena *a, struct inbound_part_record **ret, size_t *ret_count);
    /* Place and time are set. -ENOENT: it is loose, and its content is not kept. */
    int (*media_put)(struct store *s, const struct media_record *m);
    int (*price_put)(struct store *s, const struct price_record *p);
    int (*price_clear)(struct store *s);
    int (*key_insert)(struct store *s, struct key_record *k);
    int (*batch_insert)(struct store *s, const struct batch_record *b);
    int (*event_add)(struct store *s, const struct event_record *e);
    int (*edge)(struct store *s, int64_t *ret);
    int (*once_find)(struct store *s, int64_t account, enum mode mode,
                     const uint8_t key[ONCE_KEY_SIZE], int64_t since_us, struct arena *a,
                     struct once_record *ret);
    int (*once_keep)(struct store *s, const struct once_record *o); /* the time is set */
    int (*key_off)(struct store *s, int64_t id, int64_t *ret_us);
    int (*key_revoke)(struct store *s, int64_t account, int64_t id, int64_t at_us);
    int (*key_used)(struct store *s, const struct key_usage *u);
    int (*account_insert)(struct store *s, struct account_record *a); /* the time is set */
    int (*account_suspend)(struct store *s, int64_t id, int64_t at_us);
    int (*account_credit)(struct store *s, int64_t id, int64_t micros);
    int (*account_charge)(struct store *s, int64_t id, int64_t micros);
    int (*limit_save)(struct store *s, const struct limit_count *c);
    int (*opt_out_add)(struct store *s, struct arena *a,
                       struct opt_out_record *o); /* id and time are set */
    int (*opt_out_remove)(struct store *s, int64_t account, enum mode mode, struct str number,
                          struct arena *a, struct opt_out_record *ret);
    int (*notice_add)(struct store *s, const struct notice_record *n); /* the id is set */
    int (*endpoint_add)(struct store *s,
                        const struct endpoint_record *e); /* id and times are set */
    int (*endpoint_find)(struct store *s, int64_t account, int64_t id, struct arena *a,
                         struct endpoint_record *ret);
    int (*endpoint_put)(struct store *s, const struct endpoint_record *e);
    int (*endpoint_remove)(struct store *s, int64_t account, int64_t id);
    int (*secret_find)(struct store *s, int64_t account, enum mode mode, struct arena *a,
                       struct secret_record *ret);
    int (*secret_put)(struct store *s, const struct secret_record *r);
    int (*delivery_add)(struct store *s, const struct delivery_record *d); /* all is set */
    int (*delivery_find)(struct store *s, int64_t id, struct delivery_record *ret);
    int (*delivery_tried)(struct store *s, const struct attempt_record *attempt,
                          enum delivery_state state, unsigned tries, int64_t due_us);
    int (*delivery_again)(struct store *s, int64_t id, int64_t now_us);
    int (*replay_step)(struct store *s, struct endpoint_record *e, int64_t now_us, size_t limit,
                       size_t *ret_count); /* one is under way */
    int (*touch)(struct store *s);         /* NULL: writing cannot fail */

    bool (*wrote_elsewhere)(struct store *s); /* since the last look; NULL: cannot happen */
    void (*tidy)(struct store *s);            /* NULL: nothing to tidy */
    bool (*housekeep)(struct store *s, bool idle);
};

/* Endpoints that have something new in this transaction; hardly one has more than the writer takes
 * jobs into it. */
enum { NEWS_MAX = 1024 };
struct store_newsboard {
    store_news *tell; /* NULL: nobody listens */
    void *context;
    int64_t endpoints[NEWS_MAX];
    size_t count;
    bool any; /* there are more than that */
};

/* Owned by the writing thread, but for what is marked. */
struct store {
    const struct store_engine *engine;
    const struct clock *clock;
    struct store_retention retention; /* set before the threads begin */
    uint8_t secret[16];               /* set by the engine's open; then any thread may read them */
    struct id_cipher cipher;
    struct media_folder *media; /* any thread; NULL: none yet */
    struct id_source ids;       /* the engine's open sets `last` to the highest stored number */
    int64_t last_created_us;    /* of the newest message: created times follow the order of ids */
    bool in_transaction;
    bool keys_changed;               /* in this transaction */
    _Atomic uint64_t key_generation; /* any thread reads */
    _Atomic uint64_t commits;        /* any thread reads; readers with an older count look again */
    struct store_newsboard news;
    struct deeds deeds;
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

/* To be told after the commit. */
void store_note_news(struct store *s, int64_t endpoint);
void store_forget_news(struct store *s);
void store_tell_news(struct store *s);

/* For how many days before today references are kept. */
enum { REFERENCE_DAYS = 3 };
/* Days since 1970. */
int64_t store_today(const struct store *s);

/* The set of states that are not final. */
#define STATUS_OPEN_BITS                                                                           \
    (status_bit(STATUS_SCHEDULED) | status_bit(STATUS_QUEUED) | status_bit(STATUS_SENT))
