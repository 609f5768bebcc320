/* What the tests of notices, endpoints and deliveries share. */
#pragma once

#include "store/test_fixture.h"

#define TEST_MODES (1u << MODE_TEST | 1u << MODE_LIVE)
#define TEST_KINDS                                                                                 \
    (notice_bit(NOTICE_SENT) | notice_bit(NOTICE_DELIVERED) | notice_bit(NOTICE_FAILED))
#define TEST_DAY_US (24 * INT64_C(3600000000))

/* Every column filled with something else than its neighbour's; not in the store. */
struct endpoint_record test_endpoint(int64_t account, uint32_t modes, uint32_t kinds);
/* The same, in the store. */
struct endpoint_record test_endpoint_add(int64_t account, uint32_t modes, uint32_t kinds);
void test_endpoint_put(struct endpoint_record *e, bool changed);
/* What store_endpoint_remove returned. */
int test_endpoint_remove(int64_t account, int64_t id);
void test_same_endpoint(const struct endpoint_record *read, const struct endpoint_record *wanted);

/* Accepted, then sent (and delivered) in transactions of their own. */
struct message test_sent(int64_t account, enum mode mode);
struct message test_delivered(int64_t account, enum mode mode);

/* All deliveries of a message, oldest first. */
size_t test_deliveries(int64_t message, struct delivery_record **ret);
struct delivery_record test_delivery(int64_t id);
/* What store_delivery_tried returned. The attempt took a millisecond. */
int test_tried(int64_t delivery, unsigned number, enum delivery_state state, int64_t due_us);
/* What the counts and the pages say of an endpoint in this state; both say the same. */
int64_t test_count(int64_t endpoint, enum delivery_state state);
/* Housekeeping until there is nothing to do. */
void test_housekeep(void);
