/* What the tests of receipts share: messages that a carrier takes under ids, and what the carrier
 * says of them later. */
#pragma once

#include "messaging/receipts.h"
#include "messaging/test_engine.h"

enum { ACME = 2, OTHER = 3, PARTS_MAX = 3 };

extern struct receipts *test_receipts;

int test_set_up(void **state);
int test_tear_down(void **state);
/* As after a restart of the program: memory knows nothing. */
void test_forget(void);

struct message test_accept_to(const char *to);
/* The carrier takes the message, as dispatch is told of it and has it written. */
void test_answer_parts(const struct message *m, const char *const *ids, unsigned parts);
void test_answer_with(const struct message *m, const char *id);
/* A message that the carrier took under this id. */
struct message test_take(const char *to, const char *id);

struct message test_look(int64_t id);
enum message_status test_status(const struct message *m);
size_t test_events(const struct message *m, struct event_record **ret);
/* So many, and the last is of this kind. */
void test_assert_event(const struct message *m, size_t count, enum event_kind last);
size_t test_strays(struct stray_record **ret);
size_t test_stray_count(void);

/* From +15551234567 to a sender with letters. */
struct carrier_receipt test_receipt(enum receipt_word word, const struct str *ids, size_t count);
/* Told and written; what the carrier heard. */
int test_tell_this(const struct carrier_receipt *r);
int test_tell(const char *id, enum receipt_word word);
int test_tell_from(const char *id, const char *source, const char *destination);

#define RECEIPTS_TEST(function)                                                                    \
    cmocka_unit_test_setup_teardown(function, test_set_up, test_tear_down)
