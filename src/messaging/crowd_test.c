#include "messaging/crowd.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROOM = 64 };

static struct crowds crowds;

static int set_up(void **state)
{
    crowds = (struct crowds){0};
    return 0;
}

static struct message message(int64_t id, int64_t account)
{
    return (struct message){.id = id, .account = account};
}

/* As many as come in of `count`, from this number on. */
static unsigned come(int64_t from, unsigned count, int64_t account)
{
    unsigned in = 0;

    for (int64_t id = from; id < from + count; id++) {
        struct message m = message(id, account);
        if (crowd_keeps_out(&crowds, &m, ROOM))
            continue;
        crowd_came(&crowds, &m);
        in++;
    }
    return in;
}

static void go(unsigned count, int64_t account)
{
    struct message m = message(0, account);

    while (count-- > 0)
        crowd_went(&crowds, &m);
}

static void one_has_half_at_most(void **state)
{
    assert_int_equal(come(1, 100, 1), ROOM / 2);
    assert_int_equal(crowds_first(&crowds), ROOM / 2 + 1);
    assert_int_equal(come(101, 100, 2), ROOM / 4);
    assert_int_equal(come(201, 100, 3), ROOM / 8);
    go(ROOM / 2, 1);
    crowd_read(&crowds, 1, 0);
    assert_int_equal(come(301, 100, 1), (ROOM - ROOM / 4 - ROOM / 8) / 2);
    assert_int_equal(come(401, 1, 4), 1); /* and there is some for the next */
}

static void they_come_in_again_in_their_order(void **state)
{
    unsigned slot;

    come(1, 100, 1);
    assert_false(crowd_next(&crowds, ROOM, &slot));
    go(10, 1); /* which is not worth a look into the store */
    assert_false(crowd_next(&crowds, ROOM, &slot));
    go(1, 1);
    assert_true(crowd_next(&crowds, ROOM, &slot));
    assert_int_equal(slot, 1);
    assert_int_equal(come(200, 1, 1), 0); /* others are first */
    assert_int_equal(crowds_first(&crowds), 33);
    assert_int_equal(come(20, 1, 1), 1); /* unless it is older */
    crowd_read(&crowds, slot, 40);
    assert_int_equal(crowds_first(&crowds), 40);
    crowd_read(&crowds, slot, 0);
    assert_int_equal(crowds_first(&crowds), 0);
    assert_false(crowd_next(&crowds, ROOM, &slot));
    assert_int_equal(come(200, 1, 1), 1);
}

static void an_older_one_may_be_kept_out_later(void **state)
{
    come(10, 100, 1);
    assert_int_equal(crowds_first(&crowds), 42);
    assert_int_equal(come(5, 1, 1), 0);
    assert_int_equal(crowds_first(&crowds), 5);
    crowd_read(&crowds, 1, 0);
    assert_int_equal(crowds_first(&crowds), 0);
}

static void crowds_take_turns(void **state)
{
    unsigned first, second, third;

    for (int64_t account = 1; account <= 2; account++)
        come(100 * account, 100, account);
    go(ROOM / 2, 1);
    go(ROOM / 4, 2);
    assert_true(crowd_next(&crowds, ROOM, &first));
    assert_true(crowd_next(&crowds, ROOM, &second));
    assert_true(crowd_next(&crowds, ROOM, &third));
    assert_int_equal(first + second, 3);
    assert_int_equal(first, third);
}

/* A lane may have more than that, which came another way. */
static void there_may_be_less_than_no_room(void **state)
{
    struct message m = message(1, 1);
    unsigned slot;

    for (int i = 0; i < 2 * ROOM; i++)
        crowd_came(&crowds, &m);
    assert_int_equal(come(2, 1, 2), 0);
    assert_false(crowd_next(&crowds, ROOM, &slot));
    assert_false(crowd_next(&crowds, 0, &slot));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_has_half_at_most, set_up),
        cmocka_unit_test_setup(they_come_in_again_in_their_order, set_up),
        cmocka_unit_test_setup(an_older_one_may_be_kept_out_later, set_up),
        cmocka_unit_test_setup(crowds_take_turns, set_up),
        cmocka_unit_test_setup(there_may_be_less_than_no_room, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
