/* A store whose numbers a test makes up, for the tests of live statistics. */
#pragma once

#include "api/test_api.h"

struct test_stats {
    enum mode mode; /* whose they are, of the first account; others have nothing */
    struct queue_state queue;
    struct pulse_minute minutes[4];
    size_t minute_count;
    int fault;   /* what reading them returns */
    int reads;   /* of the queue, of any owner */
    int lookups; /* of the names of carriers: with a lane of nobody's, one for each writing */
};

extern struct test_stats test_stats;

/* As API_TEST, with the numbers zeroed. */
int test_stats_set_up(void **state);
int test_stats_tear_down(void **state);
/* Something was sent in this second; in the order of time. */
void test_stats_sent(int64_t at_us, int64_t count);

#define STATS_TEST(function)                                                                       \
    cmocka_unit_test_setup_teardown(function, test_stats_set_up, test_stats_tear_down)
