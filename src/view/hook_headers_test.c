#include "view/hook_headers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct hook_headers sample = {
    .event = "evt_00000000001",
    .delivery = "dlv_00000000002",
    .kind = NOTICE_DELIVERED,
    .attempt = 3,
    .at_us = 1795000000123456,
    .signature = {"sha256=0123", 11},
    .standard = {"v1,aaaa v1,bbbb", 15},
};

static void test_headers(void **state)
{
    static const char *const want[] = {
        "Content-Type: application/json",
        ("User-Agent: Skylark/" SKYLARK_VERSION),
        "X-Service-Signature: sha256=0123",
        "X-Service-Event-Id: evt_00000000001",
        "X-Service-Event-Type: message.delivered",
        "X-Service-Delivery: dlv_00000000002",
        "X-Service-Timestamp: 2026-11-18T11:06:40.123Z",
        "X-Service-Attempt: 3",
        "webhook-id: evt_00000000001",
        "webhook-timestamp: 1795000000",
        "webhook-signature: v1,aaaa v1,bbbb",
    };
    struct arena a;

    arena_init(&a, 64 << 10);
    const char *const *list = hook_headers_make(&sample, &a);
    assert_non_null(list);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_string_equal(list[i], want[i]);
    assert_null(list[sizeof want / sizeof *want]);
    arena_done(&a);
}

static void test_without_memory(void **state)
{
    struct arena a;

    for (size_t max = 0; max < 400; max += 40) {
        arena_init(&a, max);
        assert_null(hook_headers_make(&sample, &a));
        arena_done(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
