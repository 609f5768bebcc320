/* The store: verbs, never rows or SQL. An engine stands behind it, sqlite.c.
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

enum { STORE_MEDIA_PATH_SIZE = 4096 };

/* Account numbers stay between 1 and STORE_ACCOUNT_MAX: an engine may keep account and mode in one
 * number. */
#define STORE_ACCOUNT_MAX (INT64_MAX / 2)

enum { STORE_WHY_SIZE = 256 };

/* Opens or creates; migrates an older schema. On failure *ret is NULL and `why` is one line for
 * the operator. A schema newer than this program is refused with -EPROTO. */
int store_open_sqlite(struct store **ret, const char *path, const struct clock *clock,
                      char why[STORE_WHY_SIZE]);
void store_close(struct store *s);

/* The cipher that makes public ids of this store's numbers; made once, kept in the store. */
const struct id_cipher *store_cipher(const struct store *s);
/* A secret of this store, for keyed hashes. */
const uint8_t *store_secret(const struct store *s); /* 16 bytes */
/* A number that grows with each commit: as long as it stands still, nothing new is to be read. Any
 * thread. */
uint64_t store_commits(const struct store *s);
/* Why the last write verb or commit failed, for the log. */
const char *store_error(const struct store *s);

/* Told on the writing thread after a commit, when deliveries have begun to wait or are due sooner,
 * or clients have changed endpoints or asked for a redelivery: which endpoints; none of them named:
 * any may have. At most one listener, set before the writing begins. */
typedef void store_news(void *context, const int64_t *endpoints, size_t count);
void store_set_news(struct store *s, store_news *tell, void *context);

/* For how long things are kept; what is older goes by and by (store_housekeep). */
struct store_retention {
    int64_t messages_us;   /* with all that belongs to them; 0 = for ever */
    int64_t notices_us;    /* and strays */
    int64_t deliveries_us; /* with their attempts */
    int64_t once_us;       /* what Idempotency-Keys stand for */
};
/* How it is unless somebody says otherwise; messages are kept for ever. */
#define NOTICE_TIME_US (30 * 24 * INT64_C(3600000000)) /* notices and deliveries */
#define ONCE_TIME_US   (24 * INT64_C(3600000000))
/* Before the writing begins. */
void store_set_retention(struct store *s, const struct store_retention *retention);
const struct store_retention *store_retention(const struct store *s);

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
    int64_t total;          /* of all messages that match */
};

/* Which messages: all conditions hold. Zeroed: every message. */
struct message_filter {
    uint32_t statuses;        /* a set of states; 0 = any */
    struct str to, from, tag; /* p == NULL: any */
    enum direction direction; /* 0 = any */
    int64_t batch;            /* 0 = any */
    int64_t after_us;         /* created at or after; 0 = any */
    int64_t before_us;        /* created before; 0 = any */
    /* With delivered among the states: so many that prove to be in none of them are passed over at
     * most, and the total is not counted; 0 = all. */
    size_t look_max;
};

/* The page of matching messages that starts at id `cursor` (inclusive; 0 = the newest). One
 * consistent snapshot. A cursor that is no message of this account and mode is -ENOENT; one that is
 * but does not match (any more) stands for the next match behind it. Cost does not depend on how
 * many messages there are or how deep the page lies. */
int store_message_page(struct store_reader *r, int64_t account, enum mode mode,
                       const struct message_filter *filter, int64_t cursor, size_t limit,
                       struct arena *a, struct message_page *ret);

/* Scheduled messages that are due at `at_us` or earlier, earliest first. */
int store_due(struct store_reader *r, int64_t at_us, size_t limit, struct arena *a,
              struct message **ret, size_t *ret_count);
/* When the next scheduled message is due; -ENOENT when none is scheduled. */
int store_next_due(struct store_reader *r, int64_t *ret_us);

/* A batch of this account and mode, and how many of its messages are in each status. */
int store_batch_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                    struct batch_record *ret, unsigned counts[STATUS_SLOTS]);

/* What the rows of a message do not tell of its history, oldest first; a hundred at most. */
int store_event_list(struct store_reader *r, int64_t message, struct arena *a,
                     struct event_record **ret, size_t *ret_count);

/* Which open work. */
struct work_query {
    unsigned carrier; /* the messages that go to this one */
    bool sent;        /* also those that it has, not only queued ones */
    int64_t after;    /* numbers above this */
    size_t limit;     /* so many messages at most */
    size_t look_max;  /* so many rows are looked at, at most; 0: all */
};

/* Outbound messages that are not in a final state, oldest first. Scheduled ones are not among them
 * until they are queued. *ret_looked: every row up to this number has been looked at; *ret_end:
 * nothing is behind it. */
int store_work_list(struct store_reader *r, const struct work_query *query, struct arena *a,
                    struct message **ret, size_t *ret_count, int64_t *ret_looked, bool *ret_end);
/* Carriers that queued messages go to: numbers, in no order. At most `max`. */
int store_work_carriers(struct store_reader *r, unsigned *ret, size_t max, size_t *ret_count);

/* ---- live carriers ---- */

int store_carrier_list(struct store_reader *r, struct arena *a, struct carrier_record **ret,
                       size_t *ret_count);
/* Messages that a carrier took under this id in the last three days, newest first; 128 at most. */
int store_reference_find(struct store_reader *r, unsigned carrier, struct str id, struct arena *a,
                         struct reference_record **ret, size_t *ret_count);
/* By number alone, whoever's it is. */
int store_message_find(struct store_reader *r, int64_t id, struct arena *a, struct message *ret);
/* Newest first, from `cursor` on (0: the newest). */
int store_stray_list(struct store_reader *r, int64_t cursor, size_t limit, struct arena *a,
                     struct stray_record **ret, size_t *ret_count);
/* The oldest parts that came before `before_us`. */
int store_inbound_part_overdue(struct store_reader *r, int64_t before_us, size_t limit,
                               struct arena *a, struct inbound_part_record **ret,
                               size_t *ret_count);
/* -- media: rows here, contents as files beside the store (store_media.c) -- */

/* One of a message; -ENOENT. */
int store_media_get(struct store_reader *r, int64_t message, unsigned number,
                    struct media_record *ret);
/* All of a message, in their order. */
int store_media_list(struct store_reader *r, int64_t message, struct media_record ret[MEDIA_MAX],
                     size_t *ret_count);
/* Its content, to be read: a descriptor that the caller closes. `m` is what was read or put.
 * -ENOENT: it is not there, or not as long as it should be. Any thread. */
int store_media_open(const struct store *s, const struct media_record *m);
/* Whether that would find it, without a descriptor, and as it was put: 0, -ENOENT, -EILSEQ when it
 * is damaged, or why nobody can tell. It is read whole for that, once in a run and again when it
 * has changed. Any thread. */
int store_media_look(const struct store *s, const struct media_record *m);
/* Whether the content with the hash and size of `m` is kept: 1 or 0; -EILSEQ: it is, but damaged.
 * It may be gone a moment later. */
int store_media_has(struct store_reader *r, const struct media_record *m);
/* Media leave this much of the disk to the store itself; nothing unless it is said. Any thread. */
void store_media_reserve(struct store *s, int64_t bytes);
/* Whether media may grow: 0, or -ENOSPC when all that is left of the disk is the store's. One
 * system call. Any thread. */
int store_media_room(const struct store *s);
/* A new file for content that is yet to come: a descriptor, and its path for store_media_put, or
 * for unlink when it comes to nothing. What a crash leaves behind is removed at the next start. Any
 * thread. */
int store_media_temporary(const struct store *s, char path[STORE_MEDIA_PATH_SIZE]);
/* Such a file is whole now, and need not be read to see whether it is damaged until it changes. Any
 * thread. */
void store_media_written(const struct store *s, const char *path, int fd);
/* The same with this content, brought to disk: its path, and its size and hash. Negative errno:
 * nothing is left behind. Any thread; it waits for the disk. */
int store_media_write(const struct store *s, struct str content, struct media_record *ret,
                      char path[STORE_MEDIA_PATH_SIZE]);

int store_price_each(struct store_reader *r,
                     bool (*tell)(void *context, const struct price_record *p), void *context);

/* ---- what clients are told ---- */

static inline uint32_t notice_bit(enum notice_kind kind)
{
    return UINT32_C(1) << kind;
}

struct notice_query {
    uint32_t kinds; /* a set of them; 0 = all */
    bool forward;   /* numbers above `from`, oldest first; else up to `from`, newest first */
    int64_t from;   /* 0: from the oldest, or from the newest */
    size_t limit;
};
/* Notices of an account and mode that are not past their time. */
int store_notice_list(struct store_reader *r, int64_t account, enum mode mode,
                      const struct notice_query *query, struct arena *a, struct notice_record **ret,
                      size_t *ret_count);
int store_notice_get(struct store_reader *r, int64_t account, enum mode mode, int64_t id,
                     struct notice_record *ret);
/* Its message as it was then. -ENOENT also for NOTICE_TEST, which has none. */
int store_message_at(struct store_reader *r, const struct notice_record *n, struct arena *a,
                     struct message *ret);
/* The number of the newest notice of this account and mode; 0 = none. */
int store_notice_last(struct store_reader *r, int64_t account, enum mode mode, int64_t *ret);

/* Those that clients made, by number; of an account (0: of all). */
int store_endpoint_list(struct store_reader *r, int64_t account, struct arena *a,
                        struct endpoint_record **ret, size_t *ret_count);
/* Of this account (0: of any), also one of messages. */
int store_endpoint_get(struct store_reader *r, int64_t account, int64_t id, struct arena *a,
                       struct endpoint_record *ret);
/* Endpoints that have waiting deliveries or a redelivery under way, with numbers above `after`, by
 * number; at most `max`. */
int store_endpoint_busy(struct store_reader *r, int64_t after, int64_t *ret, size_t max,
                        size_t *ret_count);
int store_secret_get(struct store_reader *r, int64_t account, enum mode mode, struct arena *a,
                     struct secret_record *ret);

struct delivery_filter {
    int64_t endpoint;
    uint32_t modes;              /* bits 1 << enum mode; 0 = all */
    uint32_t states;             /* bits 1 << enum delivery_state; 0 = all */
    int64_t after_us, before_us; /* made at or after, made before, to the millisecond; 0 = any */
};
struct delivery_page {
    struct delivery_record *records; /* newest first */
    size_t count;
    int64_t next, previous; /* as in message_page */
    int64_t total;          /* without after_us and before_us: from counts */
};
/* `cursor` is a position, as with keys. */
int store_delivery_page(struct store_reader *r, const struct delivery_filter *filter,
                        int64_t cursor, size_t limit, struct arena *a, struct delivery_page *ret);
/* How many match. */
int store_delivery_count(struct store_reader *r, const struct delivery_filter *filter,
                         int64_t *ret);
int store_delivery_get(struct store_reader *r, int64_t id, struct delivery_record *ret);
/* Those of a message, oldest first; 100 at most. */
int store_delivery_of_message(struct store_reader *r, int64_t message, struct arena *a,
                              struct delivery_record **ret, size_t *ret_count);
/* Waiting deliveries of an endpoint that are due at `now_us`, by time and number, those behind a
 * place (zeroes: from the first). */
int store_delivery_due(struct store_reader *r, int64_t endpoint, struct delivery_place after,
                       int64_t now_us, size_t limit, struct arena *a, struct delivery_record **ret,
                       size_t *ret_count);
/* When the next one that is not due at `now_us` is; -ENOENT when none waits. */
int store_delivery_next(struct store_reader *r, int64_t endpoint, int64_t now_us, int64_t *ret_us);
/* The newest, `most` of them, oldest first. How many there are has no end: clients can ask for one
 * more as often as they like. */
int store_attempt_list(struct store_reader *r, int64_t delivery, size_t most, struct arena *a,
                       struct attempt_record **ret, size_t *ret_count);

/* ---- numbers ---- */

typedef void rollup_tell(void *context, const struct series_record *series, int64_t start_us,
                         const struct rollup *counts);

struct rollup_query {
    int64_t account;
    enum mode mode;
    int64_t from_us, to_us; /* whole hours; accepted from then on, and before */
    bool without_times;     /* times of delivery are not told, which is quicker */
    char country[3];        /* "" = any */
    uint32_t types;         /* bits 1 << enum message_type; 0 = any */
    struct str tag, sender; /* p == NULL: any */
    /* Told of each hour besides, of the same moment; NULL: of none. Where the conditions leave no
     * series out that is all series together, and of a series its direction and kind is told alone;
     * else it is each that matches, without its failures and times of delivery. */
    rollup_tell *hours;
};
/* Tells all rows that match, in the order of time: whole UTC days, and hours at the edges. The
 * record of a series stays at its place throughout, counts hold until the next ones are told. Cost
 * depends on the time asked for, not on how many messages there are. */
int store_rollup_each(struct store_reader *r, const struct rollup_query *query, rollup_tell *tell,
                      void *context);
/* Calls of the API, by hour, with whole hours as bounds. */
int store_request_each(struct store_reader *r, int64_t account, enum mode mode, int64_t from_us,
                       int64_t to_us, void (*tell)(void *context, int64_t start_us, int64_t count),
                       void *context);
/* Minutes in which something happened, from this one up to that, both included, in order; kept for
 * a little over a day. */
int store_pulse_each(struct store_reader *r, int64_t account, enum mode mode, int64_t from_minute,
                     int64_t to_minute, void (*tell)(void *context, const struct pulse_minute *m),
                     void *context);
int store_queue_state(struct store_reader *r, int64_t account, enum mode mode,
                      struct queue_state *ret);
/* Compares what was counted with each other, which costs next to nothing; `scan`: also with every
 * message, which takes seconds for millions of them. Of one moment. */
int store_books(struct store_reader *r, bool scan, struct books *ret);

/* By hash, whatever its state: revoked and expired keys are found too. Sees also what another
 * process has just written. */
int store_key_find(struct store_reader *r, const uint8_t hash[KEY_HASH_SIZE],
                   struct key_record *ret);
/* Of an account (0: of all), by number, from number `from` on. */
int store_key_list(struct store_reader *r, int64_t account, int64_t from, size_t limit,
                   struct arena *a, struct key_record **ret, size_t *ret_count);
/* Of this account (0: of any); else -ENOENT. */
int store_key_get(struct store_reader *r, int64_t account, int64_t id, struct key_record *ret);
/* Of an account and mode by number, newest first, from `cursor` on (0: the newest). A position: no
 * key needs to have this number. */
struct key_page {
    struct key_record *keys;
    size_t count;
    int64_t next, previous; /* as in message_page */
    int64_t total;
};
int store_key_page(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                   size_t limit, struct arena *a, struct key_page *ret);
/* Zeroes when it was never used. */
int store_key_usage(struct store_reader *r, int64_t key, struct key_usage *ret);

/* Accounts by number; what another process has just written is seen. */
int store_account_list(struct store_reader *r, struct arena *a, struct account_record **ret,
                       size_t *ret_count);
int store_account_find(struct store_reader *r, struct str name, struct account_record *ret);
int store_account_get(struct store_reader *r, int64_t id, struct account_record *ret);

/* Windows that reach beyond `now_us`. */
int store_limit_list(struct store_reader *r, int64_t now_us, struct arena *a,
                     struct limit_count **ret, size_t *ret_count);

/* Of an account and mode by id, newest first, from `cursor` on (0: the newest), which is a position
 * as with keys. */
struct opt_out_page {
    struct opt_out_record *records;
    size_t count;
    int64_t next, previous; /* as in message_page */
    int64_t total;
};
int store_opt_out_page(struct store_reader *r, int64_t account, enum mode mode, int64_t cursor,
                       size_t limit, struct arena *a, struct opt_out_page *ret);
int store_opt_out_get(struct store_reader *r, int64_t account, enum mode mode, struct str number,
                      struct arena *a, struct opt_out_record *ret);
/* Tells every opt-out of every account; stops when `tell` returns false. */
int store_opt_out_each(struct store_reader *r,
                       bool (*tell)(void *context, const struct opt_out_record *o), void *context);

/* ---- writing: between begin and commit, one thread ---- */

int store_begin(struct store *s);
int store_commit(struct store *s); /* 0: durable. Negative: nothing of it happened. */
void store_rollback(struct store *s);
/* Commits when `result`, that of the verbs before, is 0; else rolls back and returns it. */
int store_end(struct store *s, int result);

/* Gives the message its id and times, writes it with its open work and count. Its status is queued,
 * scheduled, or received, which is final. */
int store_accept(struct store *s, struct message *m);

/* Gives the batch its id and time; its messages are accepted next, then it is closed, all in one
 * transaction and with no other message between. */
int store_batch_open(struct store *s, struct batch_record *b);
int store_batch_close(struct store *s, struct batch_record *b);

int store_event_add(struct store *s, const struct event_record *e);

/* Messages with numbers below this one were past their time and are gone. */
int store_edge(struct store *s, int64_t *ret);

/* What this key of an account and mode stands for, if that is not past its time; sees what this
 * transaction has written. -ENOENT when nothing. */
int store_once_find(struct store *s, int64_t account, enum mode mode,
                    const uint8_t key[ONCE_KEY_SIZE], struct arena *a, struct once_record *ret);
/* The same of what was kept within this time. */
int store_once_find_within(struct store *s, int64_t account, enum mode mode,
                           const uint8_t key[ONCE_KEY_SIZE], int64_t within_us, struct arena *a,
                           struct once_record *ret);
int store_once_keep(struct store *s, struct once_record *o);

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

/* 1 moved, 0 the message is in no state of `from` (or gone): nothing written. No message becomes
 * scheduled again, and none is cancelled while it is marked as handed over: a carrier may have it.
 */
int store_move(struct store *s, const struct message_move *move);

/* Notes that these queued messages go to this carrier now. Those that are not queued any more are
 * left out. */
int store_hand_over(struct store *s, const int64_t *ids, size_t count, unsigned carrier);
/* A queued message that no carrier has: for this carrier, with so many retries, not handed over.
 * 1, or 0 when it is not queued any more. */
int store_requeue(struct store *s, int64_t id, unsigned carrier, unsigned retry_count);

/* Gives c->id; the one it has when the name is known, and then *c is what is kept. */
int store_carrier_add(struct store *s, struct carrier_record *c);
/* Notes how it stands: all but name, `drained` and what may have gone twice. */
int store_carrier_note(struct store *s, const struct carrier_record *c);
/* A message goes out again that the carrier may have had: counted in the transaction that says so.
 */
int store_carrier_twice(struct store *s, unsigned id);
int store_carrier_drain(struct store *s, unsigned id, bool drained); /* -ENOENT */

int store_reference_add(struct store *s, const struct reference_record *r);
enum { STORE_PARTS_MAX = 64 };
/* A message went out in several parts: their receipts are to be folded. When it has ended
 * nothing is kept of it. */
int store_parts_open(struct store *s, int64_t message, unsigned parts);
/* This part of it was delivered; *ret_left: how many have not been. 1, or 0 when the part was
 * noted before, or the message has no parts open. */
int store_part_delivered(struct store *s, int64_t message, unsigned part, unsigned *ret_left);

/* Gives r->id and at_us. */
int store_stray_add(struct store *s, struct stray_record *r);
int store_stray_remove(struct store *s, int64_t id); /* 1, or 0 */

/* Keeps the part; the same one twice is one. When all parts are there they are taken out, in order,
 * into the arena: *ret_count is 0 as long as some are missing. `force`: nothing is kept, and what
 * is there of this message is taken out. */
int store_inbound_part_add(struct store *s, const struct inbound_part_record *p, bool force,
                           struct arena *a, struct inbound_part_record **ret, size_t *ret_count);

/* A media file of a message: the row, and the file that store_media_temporary gave, which whoever
 * wrote it has brought to disk (fsync), is the store's from now on. When the transaction commits,
 * it is the content, or removed when that content is kept already; when the transaction comes to
 * nothing the file is left as it was, to be put again or unlinked. Gives at_us and place. 1, or 0
 * when the message has this number already, or is not there (any more).
 *
 * A loose one has no file, or one that is not on disk and stays the caller's, because
 * store_media_has said that its content is kept. -ENOENT: it is not any more, and nothing was
 * written. */
int store_media_put(struct store *s, struct media_record *m, const char *temporary);

/* In the place of what was there for the same prefix or country, kind and time. */
int store_price_put(struct store *s, const struct price_record *p);
int store_price_clear(struct store *s);

/* ---- what clients are told. A message that is accepted or moved makes its notice by itself, and
 * so a delivery for each endpoint that wants it: the account's own that cover its mode and kind,
 * whether they are on or off, and that of the message's webhookUrl, for sent, delivered and failed.
 */

/* Gives n->id. For what no change of status tells: NOTICE_OPT_OUT, NOTICE_OPT_IN. */
int store_notice_add(struct store *s, struct notice_record *n);

/* Gives e->id and its times; -EDQUOT when the account has ENDPOINTS_MAX. */
int store_endpoint_add(struct store *s, struct endpoint_record *e);
/* As store_endpoint_get; sees what this transaction has written. */
int store_endpoint_find(struct store *s, int64_t account, int64_t id, struct arena *a,
                        struct endpoint_record *ret);
/* Writes all but id, account, url of one of messages, and created_us; updated_us only when
 * `changed`, which is for changes that the client made. Write what store_endpoint_find has read in
 * the same transaction, else another's change is lost. -ENOENT. */
int store_endpoint_put(struct store *s, struct endpoint_record *e, bool changed);
/* With its deliveries, which go little by little. -ENOENT. */
int store_endpoint_remove(struct store *s, int64_t account, int64_t id);

/* The account's secret for messages that bring an address along; -ENOENT when none was put yet.
 * Sees what this transaction has written. */
int store_secret_find(struct store *s, int64_t account, enum mode mode, struct arena *a,
                      struct secret_record *ret);
int store_secret_put(struct store *s, const struct secret_record *r);

/* Gives d->id and created_us; waits from now on. For NOTICE_TEST, whose notice is d itself. */
int store_delivery_add(struct store *s, struct delivery_record *d);
/* Sees what this transaction has written. -ENOENT, also when its endpoint was removed. */
int store_delivery_find(struct store *s, int64_t id, struct delivery_record *ret);
/* How a try went: writes the attempt and where the delivery stands now (state, tries, due_us). When
 * it goes on waiting, what is behind it, later notices of the same message to the same endpoint,
 * waits as long; when it is over, that is due at once. 1, or 0 when there is no such delivery any
 * more and nothing was written. */
int store_delivery_tried(struct store *s, const struct attempt_record *attempt,
                         enum delivery_state state, unsigned tries, int64_t due_us);
/* Waits again, from now on and with all tries before it. 1, or 0 when there is none. */
int store_delivery_again(struct store *s, int64_t id, int64_t now_us);
/* A piece of the redelivery that is under way: at most `limit` rows; what waits already is left as
 * it is. Moves e->replay_from on and writes it; both are 0 when it is done. *ret_count: how many
 * wait again. */
int store_replay_step(struct store *s, struct endpoint_record *e, size_t limit, size_t *ret_count);

/* Gives k->id. A hash that is there already fails. */
int store_key_insert(struct store *s, struct key_record *k);
/* When a key goes off, or went; 0 = not. Sees what this transaction has written. -ENOENT. */
int store_key_off(struct store *s, int64_t id, int64_t *ret_us);
/* Turns a key of this account (0: of any) off from `at_us` on; -ENOENT when there is none. Of two
 * times the earlier one stays. */
int store_key_revoke(struct store *s, int64_t account, int64_t id, int64_t at_us);
/* Adds u->requests and notes the last use. */
int store_key_used(struct store *s, const struct key_usage *u);

/* Gives a->id and created_us; -EEXIST when the name is taken. */
int store_account_insert(struct store *s, struct account_record *a);
/* at_us 0: on again. -ENOENT. */
int store_account_suspend(struct store *s, int64_t id, int64_t at_us);
/* Adds to the balance; an account that was not metered is from now on. -ENOENT; -ERANGE when the
 * sum is beyond all numbers. */
int store_account_credit(struct store *s, int64_t id, int64_t micros);
/* Takes from the balance if the account is metered: 1 taken or not metered, 0 there is too little
 * and nothing was taken. Less than nothing is given back. */
int store_account_charge(struct store *s, int64_t id, int64_t micros);

/* In the place of what was saved for this key. */
int store_limit_save(struct store *s, const struct limit_count *c);

/* Gives o->id and created_us. 1 added; 0 it was there, and *o is what was there, in the arena. */
int store_opt_out_add(struct store *s, struct arena *a, struct opt_out_record *o);
/* 1 removed, and *ret is what was there; 0 there was none. */
int store_opt_out_remove(struct store *s, int64_t account, enum mode mode, struct str number,
                         struct arena *a, struct opt_out_record *ret);

/* A small piece of work that can wait: index entries, rows past their time. True when there is more
 * of it. `idle`: nobody waits for the writer. On the writing thread, outside a transaction. */
bool store_housekeep(struct store *s, bool idle);

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
