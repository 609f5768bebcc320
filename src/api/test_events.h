/* Messages and what becomes of them, for the tests of what clients are told of it. */
#pragma once

#include "api/test_api.h"

/* A message is accepted: its id. `metadata` may be NULL. */
int64_t test_accept(int64_t account, enum mode mode, const char *text, const char *metadata);
/* From queued to sent to delivered, in one transaction. */
void test_deliver(int64_t id);
/* So many messages of the first account in test mode, queued and no more. */
void test_accept_many(int count);
