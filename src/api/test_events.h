/* Messages and what becomes of them, for the tests of what clients are told of it. */
#pragma once

#include "api/test_api.h"

/* An SMS of the account, queued; not in the store. */
struct message test_message(int64_t account, enum mode mode, const char *text);
/* Puts it there; its id. */
int64_t test_accept_message(struct message *m);
/* Both; `metadata` may be NULL. */
int64_t test_accept(int64_t account, enum mode mode, const char *text, const char *metadata);
/* From queued to sent to delivered, in one transaction. */
void test_deliver(int64_t id);
/* The same in a transaction that is open. */
int test_deliver_within(struct store *s, void *id);
/* So many messages of the first account in test mode, queued and no more. */
void test_accept_many(int count);
