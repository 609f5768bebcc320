/* The window of a lane: what comes into memory, what is left to the store, and that nothing falls
 * between the two. */
#include "messaging/lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct lanes lanes;
static struct carrier acme = {.name = "acme", .number = 2}, beta = {.name = "beta", .number = 3};

static int set_up(void **state)
{
    lanes_init(&lanes, 8);
    return 0;
}

static int tear_down(void **state)
{
    lanes_done(&lanes);
    return 0;
}

static struct lane *lane_for(struct carrier *c)
{
    struct lane *l = lane_make(&lanes, c->number);

    assert_non_null(l);
    lane_set_carrier(&lanes, l, c);
    return l;
}

/* One that has read all there is, up to number 100. */
static struct lane *caught_up(void)
{
    struct lane *l = lane_for(&acme);
    int64_t after;

    assert_int_equal(lane_wants(&lanes, l, &after), 8);
    assert_int_equal(after, 0);
    assert_false(lane_has_read(&lanes, l, 0, 100, true));
    return l;
}

static bool offer(struct lane *l, int64_t id)
{
    struct parcel *p = lane_offer(l, &(struct message){.id = id});
    bool in = p != NULL;

    assert_true(!p || (p->counted && p->lane == l));
    free(p);
    return in;
}

static void a_carrier_has_one_lane(void **state)
{
    struct lane *l = lane_for(&acme), *other = lane_make(&lanes, acme.number + LANE_SLOTS);

    assert_null(lane_find(&lanes, 1));
    assert_ptr_equal(lane_find(&lanes, 2), l);
    assert_ptr_equal(lane_make(&lanes, 2), l);
    assert_ptr_equal(lane_find(&lanes, 2 + LANE_SLOTS), other);
    assert_ptr_equal(l->carrier, &acme);
    assert_null(other->carrier);
}

static void lanes_share_the_window(void **state)
{
    lanes.window = 1000;
    struct lane *l = lane_for(&acme), *orphan = lane_make(&lanes, 9);
    assert_int_equal(l->share, 1000);
    assert_int_equal(orphan->share, LANE_SHARE_LEAST);
    struct lane *other = lane_for(&beta);
    assert_int_equal(l->share, 500);
    assert_int_equal(other->share, 500);
    lane_set_carrier(&lanes, l, NULL);
    assert_int_equal(l->share, LANE_SHARE_LEAST);
    assert_int_equal(other->share, 1000);
    lanes.window = 100;
    lane_set_carrier(&lanes, l, &acme);
    assert_int_equal(l->share, LANE_SHARE_LEAST);
    lanes.window = 8; /* never more than the whole */
    lane_set_carrier(&lanes, l, &acme);
    assert_int_equal(l->share, 8);
}

static void each_lane_comes_first_in_its_turn(void **state)
{
    lanes_rotate(&lanes);
    struct lane *one = lane_make(&lanes, 1);
    lanes_rotate(&lanes);
    assert_ptr_equal(lanes.first, one);
    struct lane *two = lane_make(&lanes, 2), *three = lane_make(&lanes, 3);
    lanes_rotate(&lanes);
    assert_ptr_equal(lanes.first, two);
    assert_ptr_equal(two->next, three);
    assert_ptr_equal(three->next, one);
    struct lane *four = lane_make(&lanes, 4);
    assert_ptr_equal(one->next, four);
    assert_null(four->next);
}

static void a_full_lane_falls_behind_and_reads_on(void **state)
{
    struct lane *l = caught_up();
    int64_t after;

    assert_false(offer(l, 90)); /* it was read already */
    for (int64_t id = 101; id <= 108; id++)
        assert_true(offer(l, id));
    assert_int_equal(lane_wants(&lanes, l, &after), 0);
    assert_false(offer(l, 150));
    assert_false(offer(l, 160));
    assert_int_equal(lane_wants(&lanes, l, &after), 0); /* more than half is taken */
    for (int i = 0; i < 4; i++)
        lane_give(&lanes, l);
    assert_false(offer(l, 170)); /* not past those before it */
    assert_int_equal(lane_wants(&lanes, l, &after), 4);
    assert_int_equal(after, 149); /* not from the last one of its own, but from where it fell */
    assert_true(lane_has_read(&lanes, l, 2, 160, false));
    assert_int_equal(lane_held(&lanes, l), 6);
    lane_give(&lanes, l);
    lane_give(&lanes, l);
    assert_int_equal(lane_wants(&lanes, l, &after), 4);
    assert_false(offer(l, 180)); /* while it reads */
    assert_true(lane_has_read(&lanes, l, 1, 170, true));
    lane_give(&lanes, l);
    assert_int_equal(lane_wants(&lanes, l, &after), 4);
    assert_false(lane_has_read(&lanes, l, 1, 180, true));
    assert_false(offer(l, 180));
    assert_true(offer(l, 181));
}

static void a_lane_that_is_behind_leaves_newer_ones_to_reading(void **state)
{
    struct lane *l = lane_for(&acme);
    int64_t after;

    lane_wants(&lanes, l, &after);
    lane_has_read(&lanes, l, 0, 100, false);
    assert_false(lane_admit(&lanes, l, 101));
    assert_true(lane_admit(&lanes, l, 100));
    assert_int_equal(lane_wants(&lanes, l, &after), 7);
    assert_int_equal(after, 100);
}

static void an_older_message_joins(void **state)
{
    struct lane *l = caught_up();

    assert_true(lane_admit(&lanes, l, 50));
    assert_true(lane_admit(&lanes, l, 120));
    assert_int_equal(lane_held(&lanes, l), 2);
    assert_false(offer(l, 110)); /* its offer was before the other's */
    assert_true(offer(l, 121));
}

static void an_older_message_without_room_is_read_again(void **state)
{
    struct lane *l = caught_up();
    int64_t after;

    for (int64_t id = 101; id <= 108; id++)
        assert_true(offer(l, id));
    assert_false(lane_admit(&lanes, l, 70));
    assert_false(lane_admit(&lanes, l, 50));
    assert_false(lane_admit(&lanes, l, 60)); /* which is read after the one before */
    assert_false(offer(l, 109));
    for (int i = 0; i < 8; i++)
        lane_give(&lanes, l);
    assert_int_equal(lane_wants(&lanes, l, &after), 8);
    assert_int_equal(after, 49);
    assert_false(lane_has_read(&lanes, l, 4, 109, true));
    assert_true(offer(l, 110));
}

#define LANE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LANE_TEST(a_carrier_has_one_lane),
        LANE_TEST(lanes_share_the_window),
        LANE_TEST(each_lane_comes_first_in_its_turn),
        LANE_TEST(a_full_lane_falls_behind_and_reads_on),
        LANE_TEST(a_lane_that_is_behind_leaves_newer_ones_to_reading),
        LANE_TEST(an_older_message_joins),
        LANE_TEST(an_older_message_without_room_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
