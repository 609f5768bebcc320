#include "api/stream_seats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void an_account_has_so_many_and_no_more(void **state)
{
    struct stream_seats *s = stream_seats_new();

    for (int i = 0; i < STREAMS_PER_ACCOUNT; i++)
        assert_true(stream_seat_take(s, 7));
    assert_false(stream_seat_take(s, 7));
    assert_true(stream_seat_take(s, 8)); /* another one's are its own */
    stream_seat_leave(s, 7);
    assert_true(stream_seat_take(s, 7));
    assert_false(stream_seat_take(s, 7));
    stream_seats_free(s);
}

static void accounts_come_and_go(void **state)
{
    enum { ACCOUNTS = 100 };
    struct stream_seats *s = stream_seats_new();

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < STREAMS_PER_ACCOUNT; i++)
            for (int64_t account = 1; account <= ACCOUNTS; account++)
                assert_true(stream_seat_take(s, account));
        for (int64_t account = 1; account <= ACCOUNTS; account++)
            assert_false(stream_seat_take(s, account));
        for (int i = 0; i < STREAMS_PER_ACCOUNT; i++)
            for (int64_t account = ACCOUNTS; account >= 1; account -= 1)
                stream_seat_leave(s, account);
    }
    stream_seats_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_account_has_so_many_and_no_more),
        cmocka_unit_test(accounts_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
