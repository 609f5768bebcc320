#include "store/notice_pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct notice_pack pack;

static void same(const struct notice_record *read, const struct notice_record *wanted)
{
#define SAME(member) assert_int_equal(read->member, wanted->member)
    SAME(id);
    SAME(account);
    SAME(mode);
    SAME(kind);
    SAME(message);
    SAME(at_us);
    SAME(sent_us);
    SAME(failure);
    SAME(retry_count);
    SAME(carrier);
#undef SAME
}

static void assert_unpacks(const struct notice_record *n, size_t count)
{
    struct notice_unpack u;

    notice_unpack_begin(&u, pack.owner, pack.first, pack.bytes, pack.size);
    for (size_t i = 0; i < count; i++) {
        assert_true(notice_unpack_next(&u));
        same(&u.notice, &n[i]);
    }
    assert_false(notice_unpack_next(&u));
    assert_false(u.damaged);
}

/* What is usual, and what is far from it: times before and after each other, and the greatest
 * numbers. */
static void test_what_went_in_comes_out(void **state)
{
    static const struct notice_record n[] = {
        {.id = 1000,
         .account = 7,
         .mode = MODE_LIVE,
         .kind = NOTICE_SENT,
         .message = 999,
         .at_us = 50,
         .sent_us = 50},
        {.id = 1001,
         .account = 7,
         .mode = MODE_LIVE,
         .kind = NOTICE_FAILED,
         .message = 3,
         .at_us = 20,
         .failure = FAILURE_UNKNOWN,
         .retry_count = 4,
         .carrier = 300},
        {.id = 5001,
         .account = 7,
         .mode = MODE_LIVE,
         .kind = NOTICE_DELIVERED,
         .message = 2,
         .at_us = 1763168523004005,
         .sent_us = 1763168523004006},
        {.id = INT64_MAX,
         .account = 7,
         .mode = MODE_LIVE,
         .kind = NOTICE_OPT_OUT,
         .message = 1,
         .at_us = INT64_MAX,
         .sent_us = 1,
         .failure = FAILURE_UNKNOWN,
         .retry_count = UINT16_MAX,
         .carrier = UINT16_MAX},
    };
    enum { COUNT = sizeof n / sizeof *n };

    notice_pack_begin(&pack, 7 * 2 + 1, n[0].id);
    for (size_t i = 0; i < COUNT; i++)
        notice_pack_add(&pack, &n[i]);
    assert_int_equal(pack.count, COUNT);
    assert_int_equal(pack.first, 1000);
    assert_int_equal(pack.last, INT64_MAX);
    assert_int_equal(pack.kinds, 1u << NOTICE_SENT | 1u << NOTICE_FAILED | 1u << NOTICE_DELIVERED |
                                     1u << NOTICE_OPT_OUT);
    assert_unpacks(n, COUNT);
}

/* As many as there may be, each as long as it may be, have room; and usual ones take little. */
static void test_room(void **state)
{
    struct notice_record n[NOTICE_PACK_COUNT];

    for (int64_t i = 0; i < NOTICE_PACK_COUNT; i++)
        n[i] = (struct notice_record){.id = INT64_MAX / 2 + i * (INT64_MAX / 200),
                                      .kind = NOTICE_FAILED,
                                      .message = i % 2 ? INT64_MAX : -INT64_MAX,
                                      .at_us = i % 2 ? INT64_MAX / 2 : -INT64_MAX / 2,
                                      .sent_us = i % 2 ? -INT64_MAX / 2 : INT64_MAX / 2,
                                      .failure = (enum failure)INT32_MAX,
                                      .retry_count = UINT32_MAX,
                                      .carrier = UINT32_MAX};
    notice_pack_begin(&pack, 0, n[0].id);
    for (int i = 0; i < NOTICE_PACK_COUNT; i++)
        notice_pack_add(&pack, &n[i]);
    assert_true(pack.size <= NOTICE_PACK_SIZE);
    assert_unpacks(n, NOTICE_PACK_COUNT);

    notice_pack_begin(&pack, 0, INT64_C(1) << 60);
    for (int64_t i = 0; i < NOTICE_PACK_COUNT; i++)
        notice_pack_add(&pack, &(struct notice_record){.id = (INT64_C(1) << 60) + 2 * i,
                                                       .kind = NOTICE_DELIVERED,
                                                       .message = (INT64_C(1) << 60) -
                                                                  (INT64_C(2000) << 22) + i,
                                                       .at_us = 1763168523004005 + i * 30,
                                                       .sent_us = 1763168522004005 + i});
    assert_true(pack.size < 20 * NOTICE_PACK_COUNT);
}

/* Whatever is cut off or turned over, reading ends inside the bytes. */
static void test_damaged_packs(void **state)
{
    struct notice_unpack u;
    unsigned damaged = 0;

    notice_pack_begin(&pack, 3, 100);
    for (int i = 0; i < 9; i++)
        notice_pack_add(&pack, &(struct notice_record){.id = 100 + i,
                                                       .kind = NOTICE_FAILED,
                                                       .message = i,
                                                       .at_us = 1000000 + i,
                                                       .sent_us = 5,
                                                       .carrier = 4});
    for (size_t n = 0; n < pack.size; n++) {
        notice_unpack_begin(&u, 3, 100, pack.bytes, n);
        while (notice_unpack_next(&u)) {
        }
        damaged += u.damaged;
    }
    assert_int_equal(damaged, pack.size - 9); /* it may end before each entry */
    for (size_t i = 0; i < pack.size; i++) {
        pack.bytes[i] ^= 0xff;
        notice_unpack_begin(&u, 3, 100, pack.bytes, pack.size);
        while (notice_unpack_next(&u)) {
        }
        assert_true(u.at <= u.end);
        pack.bytes[i] ^= 0xff;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_went_in_comes_out),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_damaged_packs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
