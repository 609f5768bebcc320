#include "messaging/fetch_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct fetch_queue queue;

static struct parcel *wants(int64_t id, int64_t account, const char *media)
{
    struct message m = {.id = id, .account = account, .media = str_of(media)};
    struct parcel *p = parcel_new(&m);

    assert_non_null(p);
    fetch_queue_add(&queue, p);
    return p;
}

static int set_up(void **state)
{
    queue = (struct fetch_queue){0};
    return 0;
}

static int tear_down(void **state)
{
    while (queue.count)
        free(fetch_queue_take(&queue));
    return 0;
}

static int64_t take(void)
{
    struct parcel *p = fetch_queue_take(&queue);
    int64_t id = p ? p->message.id : 0;

    free(p);
    return id;
}

static void accounts_take_turns(void **state)
{
    int64_t of_second = 0;

    for (int64_t id = 1; id <= 100; id++)
        wants(id, 1, "https://a.example/");
    for (int64_t id = 101; id <= 110; id++)
        wants(id, 2, "https://a.example/");
    assert_int_equal(queue.count, 110);
    for (int i = 0; i < 20; i++)
        of_second += take() > 100;
    assert_int_equal(of_second, 10);
}

static void hosts_take_turns(void **state)
{
    for (int64_t id = 1; id <= 100; id++)
        wants(id, 1, "https://a.example/");
    wants(101, 1, "https://b.example/");
    int64_t one = take(), two = take();
    assert_true(one == 101 || two == 101);
}

static void one_queue_keeps_its_order(void **state)
{
    wants(1, 1, "https://a.example/x\nhttps://b.example/");
    wants(2, 1, "https://A.example\nhttps://c.example/");
    wants(3, 1, "https://a.example./y");
    struct parcel *p = fetch_queue_take(&queue);
    fetch_queue_put_back(&queue, p);
    for (int64_t id = 1; id <= 3; id++)
        assert_int_equal(take(), id);
    assert_int_equal(take(), 0);
    assert_int_equal(queue.count, 0);
}

static void one_can_be_removed(void **state)
{
    struct parcel_queue elsewhere = {0};
    struct parcel *p = wants(1, 1, "https://a.example/");

    wants(2, 1, "https://a.example/");
    assert_true(fetch_queue_has(&queue, p));
    fetch_queue_remove(&queue, p);
    assert_false(fetch_queue_has(&queue, p));
    parcel_queue_add(&elsewhere, p);
    assert_false(fetch_queue_has(&queue, p));
    free(p);
    assert_int_equal(queue.count, 1);
    assert_int_equal(take(), 2);
}

/* Wherever the turn is, each queue that has any comes once before one of them comes again. */
static void all_that_are_filled_take_turns(void **state)
{
    enum { ACCOUNTS = 100 };
    int seen[ACCOUNTS] = {0};

    for (int64_t id = 0; id < ACCOUNTS; id++) {
        wants(id, id, "https://a.example/");
        wants(id, id, "https://a.example/");
    }
    assert_int_equal(queue.filled_count, FETCH_ACCOUNTS);
    for (int i = 0; i < FETCH_ACCOUNTS; i++)
        seen[take()]++;
    for (int i = 0; i < FETCH_ACCOUNTS; i++)
        assert_int_equal(seen[i], 1);
    while (queue.count)
        seen[take()]++;
    for (int i = 0; i < ACCOUNTS; i++)
        assert_int_equal(seen[i], 2);
    assert_int_equal(queue.filled_count, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(accounts_take_turns),
        TEST(hosts_take_turns),
        TEST(one_queue_keeps_its_order),
        TEST(one_can_be_removed),
        TEST(all_that_are_filled_take_turns),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
