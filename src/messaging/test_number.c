#include "messaging/test_number.h"

static const struct test_number ordinary = {.number = "", .delay_ms = TEST_DELAY_MS};

#define DELIVERED(number_, delay_)                                                                 \
    {                                                                                              \
        .number = (number_), .delay_ms = (delay_)                                                  \
    }
#define REFUSED(number_, code, retry)                                                              \
    {                                                                                              \
        .number = (number_), .problem = PROBLEM_##code, .retry_after_s = (retry)                   \
    }
#define FAILED(number_, reason)                                                                    \
    {                                                                                              \
        .number = (number_), .failure = FAILURE_##reason                                           \
    }

static const struct test_number acting[] = {
    DELIVERED("+15550001234", 0),
    DELIVERED("+15005550000", 0),
    DELIVERED("+15550001235", 5000),
    DELIVERED("+15550001010", 10000),
    DELIVERED("+15550001030", 30000),
    DELIVERED("+15550001060", 60000),
    REFUSED("+15550001001", INVALID_PHONE_NUMBER, 0),
    REFUSED("+15550009999", INVALID_PHONE_NUMBER, 0),
    REFUSED("+15005550001", INVALID_PHONE_NUMBER, 0),
    REFUSED("+15550001002", CARRIER_REJECTED, 0),
    REFUSED("+15550009998", CARRIER_REJECTED, 0),
    REFUSED("+15550001003", RATE_LIMIT_EXCEEDED, 1), /* short, so that tests of back-off are */
    REFUSED("+15550009997", RATE_LIMIT_EXCEEDED, 1),
    REFUSED("+15005550004", RATE_LIMIT_EXCEEDED, 1),
    REFUSED("+15550001004", INTERNAL_ERROR, 0),
    REFUSED("+15550009996", INTERNAL_ERROR, 0),
    REFUSED("+15550009995", SERVICE_UNAVAILABLE, 1),
    FAILED("+15005550002", NO_ROUTE),
    FAILED("+15005550003", QUEUE_FULL),
    FAILED("+15005550006", CARRIER_REJECTED),
};

const struct test_number *test_number_find(struct str to)
{
    /* All of them are of this form, and nearly no other number is. */
    if (to.n != 12 || (!str_starts(to, STR("+1555000")) && !str_starts(to, STR("+150055500"))))
        return &ordinary;
    for (size_t i = 0; i < sizeof acting / sizeof *acting; i++)
        if (str_is(to, acting[i].number))
            return &acting[i];
    return &ordinary;
}
