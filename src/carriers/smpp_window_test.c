#include "carriers/smpp_window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void *request(uintptr_t number)
{
    return (void *)number;
}

static void check_take(struct smpp_window *w, uint32_t sequence, uintptr_t number)
{
    void *taken = NULL;

    assert_true(smpp_window_take(w, sequence, &taken));
    assert_ptr_equal(taken, request(number));
}

static void test_found_by_number(void **state)
{
    struct smpp_window w;
    void *taken = NULL;

    assert_int_equal(smpp_window_init(&w, 3), 0);
    for (uintptr_t i = 1; i <= 3; i++) {
        uint32_t sequence = smpp_window_sequence(&w);
        assert_int_equal(sequence, i);
        smpp_window_put(&w, sequence, request(i), 0);
    }
    assert_int_equal(w.count, 3);
    assert_false(smpp_window_take(&w, 4, &taken));
    assert_false(smpp_window_take(&w, 0, &taken));
    check_take(&w, 2, 2);
    assert_false(smpp_window_take(&w, 2, &taken)); /* answered once */
    check_take(&w, 3, 3);
    check_take(&w, 1, 1);
    assert_int_equal(w.count, 0);
    smpp_window_done(&w);
}

static void test_oldest_first(void **state)
{
    struct smpp_window w;
    void *taken;

    assert_int_equal(smpp_window_init(&w, 4), 0);
    assert_false(smpp_window_take_oldest(&w, &taken));
    assert_false(smpp_window_is_late(&w, INT64_MAX));
    for (uintptr_t i = 1; i <= 4; i++)
        smpp_window_put(&w, smpp_window_sequence(&w), request(i), (int64_t)i * 100);
    check_take(&w, 1, 1);
    check_take(&w, 3, 3);
    assert_false(smpp_window_is_late(&w, 199));
    assert_true(smpp_window_is_late(&w, 200));
    assert_true(smpp_window_take_oldest(&w, &taken));
    assert_ptr_equal(taken, request(2));
    assert_false(smpp_window_is_late(&w, 399));
    assert_true(smpp_window_take_oldest(&w, &taken));
    assert_ptr_equal(taken, request(4));
    assert_false(smpp_window_take_oldest(&w, &taken));
    smpp_window_done(&w);
}

/* After the last number comes 1 again, and no number that is still waited for. */
static void test_sequence_wraps(void **state)
{
    struct smpp_window w;

    assert_int_equal(smpp_window_init(&w, 4), 0);
    smpp_window_put(&w, 1, request(1), 0);
    smpp_window_put(&w, 2, request(2), 0);
    w.sequence = SMPP_SEQUENCE_MAX - 1;
    assert_int_equal(smpp_window_sequence(&w), 0x7fffffff);
    assert_int_equal(smpp_window_sequence(&w), 3);
    check_take(&w, 1, 1);
    check_take(&w, 2, 2);
    smpp_window_begin(&w);
    assert_int_equal(smpp_window_sequence(&w), 1);
    smpp_window_done(&w);
}

/* Against a plain table, with one request that is never answered while millions pass. */
static void test_random_answers(void **state)
{
    enum { SIZE = 1000, ROUNDS = 300000 };
    static uint32_t open[SIZE];
    struct smpp_window w;
    unsigned count = 0;
    void *taken;

    assert_int_equal(smpp_window_init(&w, SIZE), 0);
    smpp_window_put(&w, smpp_window_sequence(&w), request(1), 0);
    srand(4);
    for (int i = 0; i < ROUNDS; i++) {
        if (count < SIZE - 1 && (count == 0 || rand() % 2)) {
            open[count] = smpp_window_sequence(&w);
            smpp_window_put(&w, open[count], request(open[count]), i);
            count++;
        } else {
            unsigned at = (unsigned)rand() % count;
            check_take(&w, open[at], open[at]);
            open[at] = open[--count];
        }
        assert_int_equal(w.count, count + 1);
    }
    assert_true(smpp_window_take_oldest(&w, &taken));
    assert_ptr_equal(taken, request(1));
    smpp_window_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_by_number),
        cmocka_unit_test(test_oldest_first),
        cmocka_unit_test(test_sequence_wraps),
        cmocka_unit_test(test_random_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
