/* Numbers that act a part when a test key sends to them. */
#pragma once

#include "messaging/problem.h"
#include "store/records.h"

/* Either the request is refused (problem), or the message fails at the carrier (failure), or it is
 * delivered delay_ms after it was taken. */
struct test_number {
    const char *number;
    enum problem_code problem;
    unsigned retry_after_s; /* with problem */
    enum failure failure;
    unsigned delay_ms;
};

enum { TEST_DELAY_MS = 1000 }; /* of all numbers that act no part */

/* Never NULL: a number without a part gets the row of all others. */
const struct test_number *test_number_find(struct str to);
