/* What the tests of arrivals share: a shop with a number, and a carrier that brings it messages. */
#pragma once

#include "messaging/arrivals.h"
#include "messaging/test_engine.h"

enum { ACME = 2, OTHER = 3, SHOP = 7 };

extern struct arrivals *test_arrivals;

int test_set_up(void **state);
int test_tear_down(void **state);
/* As after a restart, when the ones before are freed. */
void test_open_arrivals(void);

/* From +15551234567 to the shop. */
struct arrival test_whole(const char *text);
/* Taken and written; what the carrier heard. */
int test_take(struct arrival arrival);
struct message_page test_received(int64_t account);
/* Of the shop, in memory as in the store. */
bool test_is_out(const char *number);
