#include "messaging/arrival_once.h"

#include "messaging/test_arrivals.h"

static struct arrival_media files[2];

static struct arrival with_files(void)
{
    struct arrival a = test_whole("hi");

    memset(files, 0, sizeof files);
    files[0].record.hash[0] = 1;
    files[1].record.hash[0] = 2;
    a.mms = true;
    a.subject = STR("subj");
    a.transaction = STR("t-1");
    a.media = files;
    a.media_count = 2;
    return a;
}

static bool is_same(const struct arrival *a, const struct arrival *b)
{
    struct arrival_once one = arrival_once_of(test_store, a, a->to),
                        two = arrival_once_of(test_store, b, b->to);

    assert_true(one.known && two.known);
    return memcmp(one.key, two.key, sizeof one.key) == 0;
}

/* Whatever is another about it makes it another, also under a name that was used before. */
static void test_what_tells_them_apart(void **state)
{
    struct arrival a = with_files(), same = a, others[8] = {a, a, a, a, a, a, a, a};

    others[0].carrier = OTHER;
    others[1].transaction = STR("t-2");
    others[2].from = STR("+15551234568");
    others[3].to = STR("12345");
    others[4].text = STR("ho");
    others[5].subject = STR("");
    others[6].media_count = 1;
    others[7].stamp_us = 1;
    assert_true(is_same(&a, &same));
    for (size_t i = 0; i < 8; i++)
        assert_false(is_same(&a, &others[i]));
    struct arrival_once before = arrival_once_of(test_store, &a, a.to);
    files[1].record.hash[31] = 1;
    struct arrival_once after = arrival_once_of(test_store, &a, a.to);
    assert_memory_not_equal(before.key, after.key, sizeof before.key);
}

static void test_without_a_name(void **state)
{
    struct arrival a = with_files();

    a.transaction = STR("");
    assert_false(arrival_once_of(test_store, &a, a.to).known);
    a.media = NULL;
    a.media_count = 0;
    assert_int_equal(test_take(a), 0);
    assert_int_equal(test_take(a), 0);
    assert_int_equal(test_received(SHOP).count, 2);
}

/* As long as clients may repeat their requests, and not for ever. */
static void test_its_time(void **state)
{
    struct arrival a = with_files();

    a.media = NULL;
    a.media_count = 0;
    assert_int_equal(test_take(a), 0);
    atomic_fetch_add(&test_now_us, INT64_C(23) * 3600000000);
    assert_int_equal(test_take(a), 1);
    assert_int_equal(test_received(SHOP).count, 1);
    atomic_fetch_add(&test_now_us, INT64_C(2) * 3600000000);
    assert_int_equal(test_take(a), 0);
    assert_int_equal(test_received(SHOP).count, 2);
}

/* The carrier may call all of them the same: each time counts from the one that was kept last. */
static void test_a_shorter_time(void **state)
{
    static const struct {
        int64_t later_us;
        int again;
        size_t count;
    } steps[] = {{0, 0, 1}, {600, 1, 1}, {1, 0, 2}, {599, 1, 2}, {2, 0, 3}, {0, 1, 3}};
    struct arrival a = with_files();

    a.media = NULL;
    a.media_count = 0;
    a.within_us = INT64_C(600) * 1000000;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        atomic_fetch_add(&test_now_us, steps[i].later_us * 1000000);
        assert_int_equal(test_take(a), steps[i].again);
        assert_int_equal(test_received(SHOP).count, steps[i].count);
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, test_set_up, test_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_what_tells_them_apart),
        CASE(test_without_a_name),
        CASE(test_its_time),
        CASE(test_a_shorter_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
