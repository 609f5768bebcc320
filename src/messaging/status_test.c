#include "messaging/status.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void only_the_moves_of_the_contract(void **state)
{
    unsigned allowed = 0;

    assert_true(status_may_move(STATUS_SCHEDULED, STATUS_QUEUED));
    assert_true(status_may_move(STATUS_SCHEDULED, STATUS_CANCELLED));
    assert_true(status_may_move(STATUS_QUEUED, STATUS_SENT));
    assert_true(status_may_move(STATUS_QUEUED, STATUS_FAILED));
    assert_true(status_may_move(STATUS_QUEUED, STATUS_CANCELLED));
    assert_true(status_may_move(STATUS_SENT, STATUS_DELIVERED));
    assert_true(status_may_move(STATUS_SENT, STATUS_FAILED));
    for (int from = STATUS_SCHEDULED; from <= STATUS_RECEIVED; from++)
        for (int to = STATUS_SCHEDULED; to <= STATUS_RECEIVED; to++)
            allowed += status_may_move((enum message_status)from, (enum message_status)to);
    assert_int_equal(allowed, 7);
}

static void final_states_have_no_way_out(void **state)
{
    assert_false(status_is_final(STATUS_SCHEDULED));
    assert_false(status_is_final(STATUS_QUEUED));
    assert_false(status_is_final(STATUS_SENT));
    assert_true(status_is_final(STATUS_DELIVERED));
    assert_true(status_is_final(STATUS_FAILED));
    assert_true(status_is_final(STATUS_CANCELLED));
    assert_true(status_is_final(STATUS_RECEIVED));
}

static void a_move_carries_its_sources(void **state)
{
    struct message_move move;

    message_move_to(&move, 7, STATUS_FAILED, FAILURE_NO_ROUTE, 1234);
    assert_int_equal(move.id, 7);
    assert_int_equal(move.from, 1u << STATUS_QUEUED | 1u << STATUS_SENT);
    assert_int_equal(move.to, STATUS_FAILED);
    assert_int_equal(move.failure, FAILURE_NO_ROUTE);
    assert_int_equal(move.at_us, 1234);
    message_move_to(&move, 7, STATUS_DELIVERED, FAILURE_NONE, 1);
    assert_int_equal(move.from, 1u << STATUS_SENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_moves_of_the_contract),
        cmocka_unit_test(final_states_have_no_way_out),
        cmocka_unit_test(a_move_carries_its_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
