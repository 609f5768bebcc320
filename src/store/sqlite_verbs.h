/* The verbs of the SQLite engine: sqlite_read.c and sqlite_write.c make them, sqlite.c lists them
 * in the engine's table. */
#pragma once

#include "store/sqlite_internal.h"

void sqlite_reader_rest(struct store_reader *base);
int sqlite_message_get(struct store_reader *base, int64_t account, enum mode mode, int64_t id,
                       struct arena *a, struct message *ret);
int sqlite_message_page(struct store_reader *base, int64_t account, enum mode mode,
                        const struct message_filter *filter, int64_t cursor, size_t limit,
                        struct arena *a, struct message_page *ret);
int sqlite_due(struct store_reader *base, int64_t at_us, size_t limit, struct arena *a,
               struct message **ret, size_t *ret_count);
int sqlite_next_due(struct store_reader *base, int64_t *ret_us);
int sqlite_batch_get(struct store_reader *base, int64_t account, enum mode mode, int64_t id,
                     struct batch_record *ret, unsigned counts[STATUS_SLOTS]);
int sqlite_event_list(struct store_reader *base, int64_t message, struct arena *a,
                      struct event_record **ret, size_t *ret_count);
int sqlite_work_list(struct store_reader *base, const struct work_query *q, struct arena *a,
                     struct message **ret, size_t *ret_count, int64_t *ret_looked, bool *ret_end);
int sqlite_work_carriers(struct store_reader *base, unsigned *ret, size_t max, size_t *ret_count);
int sqlite_carrier_list(struct store_reader *base, struct arena *a, struct carrier_record **ret,
                        size_t *ret_count);
int sqlite_reference_find(struct store_reader *base, unsigned carrier, struct str id, int64_t today,
                          struct arena *a, struct reference_record **ret, size_t *ret_count);
int sqlite_message_find(struct store_reader *base, int64_t id, struct arena *a,
                        struct message *ret);
int sqlite_stray_list(struct store_reader *base, int64_t cursor, size_t limit, struct arena *a,
                      struct stray_record **ret, size_t *ret_count);
int sqlite_inbound_part_overdue(struct store_reader *base, int64_t before_us, size_t limit,
                                struct arena *a, struct inbound_part_record **ret,
                                size_t *ret_count);
int sqlite_media_get(struct store_reader *base, int64_t message, unsigned number,
                     struct media_record *ret);
int sqlite_media_list(struct store_reader *base, int64_t message,
                      struct media_record ret[MEDIA_MAX], size_t *ret_count);
int sqlite_media_content(struct store_reader *base, const uint8_t hash[MEDIA_HASH_SIZE],
                         int64_t *ret_place, int64_t *ret_size);
int sqlite_media_put(struct store *base, const struct media_record *m);
int sqlite_price_each(struct store_reader *base,
                      bool (*tell)(void *context, const struct price_record *p), void *context);
int sqlite_key_find(struct store_reader *base, const uint8_t hash[KEY_HASH_SIZE],
                    struct key_record *ret);
int sqlite_key_list(struct store_reader *base, int64_t account, int64_t from, size_t limit,
                    struct arena *a, struct key_record **ret, size_t *ret_count);
int sqlite_key_get(struct store_reader *base, int64_t account, int64_t id, struct key_record *ret);
int sqlite_key_page(struct store_reader *base, int64_t account, enum mode mode, int64_t cursor,
                    size_t limit, struct arena *a, struct key_page *ret);
int sqlite_key_usage(struct store_reader *base, int64_t key, struct key_usage *ret);
int sqlite_account_list(struct store_reader *base, struct arena *a, struct account_record **ret,
                        size_t *ret_count);
int sqlite_account_find(struct store_reader *base, struct str name, struct account_record *ret);
int sqlite_account_get(struct store_reader *base, int64_t id, struct account_record *ret);
int sqlite_limit_list(struct store_reader *base, int64_t now_us, struct arena *a,
                      struct limit_count **ret, size_t *ret_count);
int sqlite_opt_out_page(struct store_reader *base, int64_t account, enum mode mode, int64_t cursor,
                        size_t limit, struct arena *a, struct opt_out_page *ret);
int sqlite_opt_out_get(struct store_reader *base, int64_t account, enum mode mode,
                       struct str number, struct arena *a, struct opt_out_record *ret);
int sqlite_opt_out_each(struct store_reader *base,
                        bool (*tell)(void *context, const struct opt_out_record *o), void *context);
int sqlite_notice_list(struct store_reader *base, int64_t account, enum mode mode,
                       const struct notice_query *query, int64_t since_us, struct arena *a,
                       struct notice_record **ret, size_t *ret_count);
int sqlite_notice_get(struct store_reader *base, int64_t account, enum mode mode, int64_t id,
                      struct notice_record *ret);
int sqlite_message_at(struct store_reader *base, const struct notice_record *n, struct arena *a,
                      struct message *ret);
int sqlite_notice_last(struct store_reader *base, int64_t account, enum mode mode, int64_t *ret);
int sqlite_endpoint_list(struct store_reader *base, int64_t account, struct arena *a,
                         struct endpoint_record **ret, size_t *ret_count);
int sqlite_endpoint_get(struct store_reader *base, int64_t account, int64_t id, struct arena *a,
                        struct endpoint_record *ret);
int sqlite_endpoint_busy(struct store_reader *base, int64_t after, int64_t *ret, size_t max,
                         size_t *ret_count);
int sqlite_secret_get(struct store_reader *base, int64_t account, enum mode mode, struct arena *a,
                      struct secret_record *ret);
int sqlite_delivery_page(struct store_reader *base, const struct delivery_filter *filter,
                         int64_t cursor, size_t limit, struct arena *a, struct delivery_page *ret);
int sqlite_delivery_count(struct store_reader *base, const struct delivery_filter *filter,
                          int64_t *ret);
int sqlite_delivery_get(struct store_reader *base, int64_t id, struct delivery_record *ret);
int sqlite_delivery_of_message(struct store_reader *base, int64_t message, struct arena *a,
                               struct delivery_record **ret, size_t *ret_count);
int sqlite_delivery_due(struct store_reader *base, int64_t endpoint, struct delivery_place after,
                        int64_t now_us, size_t limit, struct arena *a, struct delivery_record **ret,
                        size_t *ret_count);
int sqlite_delivery_next(struct store_reader *base, int64_t endpoint, int64_t now_us,
                         int64_t *ret_us);
int sqlite_attempt_list(struct store_reader *base, int64_t delivery, size_t most, struct arena *a,
                        struct attempt_record **ret, size_t *ret_count);
int sqlite_rollup_each(struct store_reader *base, const struct rollup_query *query,
                       rollup_tell *tell, void *context);
int sqlite_request_each(struct store_reader *base, int64_t account, enum mode mode, int64_t from_us,
                        int64_t to_us, void (*tell)(void *context, int64_t start_us, int64_t count),
                        void *context);
int sqlite_pulse_each(struct store_reader *base, int64_t account, enum mode mode,
                      int64_t from_minute, int64_t to_minute,
                      void (*tell)(void *context, const struct pulse_minute *m), void *context);
int sqlite_queue_state(struct store_reader *base, int64_t account, enum mode mode,
                       struct queue_state *ret);
int sqlite_books(struct store_reader *base, bool scan, struct books *ret);

int sqlite_begin(struct store *base);
int sqlite_commit(struct store *base);
void sqlite_rollback(struct store *base);
int sqlite_message_insert(struct store *base, const struct message *m);
int sqlite_message_move(struct store *base, const struct message_move *m);
int sqlite_hand_over(struct store *base, const int64_t *ids, size_t count, unsigned carrier);
int sqlite_requeue(struct store *base, int64_t id, unsigned carrier, unsigned retry_count);
int sqlite_carrier_add(struct store *base, struct carrier_record *c);
int sqlite_carrier_note(struct store *base, const struct carrier_record *c);
int sqlite_carrier_twice(struct store *base, unsigned id);
int sqlite_carrier_drain(struct store *base, unsigned id, bool drained);
int sqlite_reference_add(struct store *base, const struct reference_record *r, int64_t day);
int sqlite_parts_open(struct store *base, int64_t message, unsigned parts);
int sqlite_part_delivered(struct store *base, int64_t message, unsigned part, unsigned *ret_left);
int sqlite_stray_add(struct store *base, const struct stray_record *stray);
int sqlite_stray_remove(struct store *base, int64_t id);
int sqlite_inbound_part_add(struct store *base, const struct inbound_part_record *p, bool force,
                            struct arena *a, struct inbound_part_record **ret, size_t *ret_count);
int sqlite_price_put(struct store *base, const struct price_record *p);
int sqlite_price_clear(struct store *base);
int sqlite_key_insert(struct store *base, struct key_record *k);
int sqlite_batch_insert(struct store *base, const struct batch_record *b);
int sqlite_event_add(struct store *base, const struct event_record *e);
int sqlite_edge(struct store *base, int64_t *ret);
int sqlite_once_find(struct store *base, int64_t account, enum mode mode,
                     const uint8_t key[ONCE_KEY_SIZE], int64_t since_us, struct arena *a,
                     struct once_record *ret);
int sqlite_once_keep(struct store *base, const struct once_record *o);
int sqlite_key_off(struct store *base, int64_t id, int64_t *ret_us);
int sqlite_key_revoke(struct store *base, int64_t account, int64_t id, int64_t at_us);
int sqlite_key_used(struct store *base, const struct key_usage *u);
int sqlite_account_insert(struct store *base, struct account_record *a);
int sqlite_account_suspend(struct store *base, int64_t id, int64_t at_us);
int sqlite_account_credit(struct store *base, int64_t id, int64_t micros);
int sqlite_account_charge(struct store *base, int64_t id, int64_t micros);
int sqlite_limit_save(struct store *base, const struct limit_count *c);
int sqlite_opt_out_add(struct store *base, struct arena *a, struct opt_out_record *o);
int sqlite_opt_out_remove(struct store *base, int64_t account, enum mode mode, struct str number,
                          struct arena *a, struct opt_out_record *ret);
int sqlite_notice_add(struct store *base, const struct notice_record *n);
int sqlite_endpoint_add(struct store *base, const struct endpoint_record *e);
int sqlite_endpoint_find(struct store *base, int64_t account, int64_t id, struct arena *a,
                         struct endpoint_record *ret);
int sqlite_endpoint_put(struct store *base, const struct endpoint_record *e);
int sqlite_endpoint_remove(struct store *base, int64_t account, int64_t id);
int sqlite_secret_find(struct store *base, int64_t account, enum mode mode, struct arena *a,
                       struct secret_record *ret);
int sqlite_secret_put(struct store *base, const struct secret_record *r);
int sqlite_delivery_add(struct store *base, const struct delivery_record *d);
int sqlite_delivery_find(struct store *base, int64_t id, struct delivery_record *ret);
int sqlite_delivery_tried(struct store *base, const struct attempt_record *attempt,
                          enum delivery_state state, unsigned tries, int64_t due_us);
int sqlite_delivery_again(struct store *base, int64_t id, int64_t now_us);
int sqlite_replay_step(struct store *base, struct endpoint_record *e, int64_t now_us, size_t limit,
                       size_t *ret_count);
int sqlite_touch(struct store *base);
bool sqlite_wrote_elsewhere(struct store *base);
void sqlite_tidy(struct store *base);
bool sqlite_housekeep(struct store *base, bool idle);

/* A chore: references past their time. */
bool reference_wants_expiry(struct sqlite_store *s, bool idle);
int reference_expire(struct sqlite_store *s, bool idle);
