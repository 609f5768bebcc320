/* The contract of store.h about calls of the API: how many there were, by owner and hour. */
#include "store/test_fixture.h"

#include <string.h>

#define HOUR_US INT64_C(3600000000)

struct calls {
    int64_t starts[8], counts[8];
    size_t count;
};

static void note_calls(void *context, int64_t start_us, int64_t count)
{
    struct calls *c = context;

    assert_true(c->count < 8);
    c->starts[c->count] = start_us;
    c->counts[c->count++] = count;
}

static int64_t add_key(int64_t account, enum mode mode, uint8_t mark)
{
    struct key_record k = {
        .account = account, .mode = mode, .name = "n", .plan = "default", .last_four = "abcd"};

    memset(k.hash, mark, sizeof k.hash);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_key_insert(test_store, &k), 0);
    assert_int_equal(store_commit(test_store), 0);
    return k.id;
}

static void use_key(int64_t key, int64_t at_us, int64_t requests)
{
    const struct key_usage u = {
        .key = key, .last_us = at_us, .requests = requests, .address = "::1"};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_key_used(test_store, &u), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static void test_requests(void **state)
{
    int64_t one = add_key(1, MODE_LIVE, 1), two = add_key(1, MODE_LIVE, 2),
            test = add_key(1, MODE_TEST, 3), hour_us = test_now_us / HOUR_US * HOUR_US;
    struct calls c = {.count = 0};

    use_key(one, hour_us - 1, 1);
    use_key(one, hour_us, 10);
    use_key(two, hour_us + HOUR_US - 1, 100);
    use_key(one, hour_us + 3 * HOUR_US, 1000);
    use_key(test, hour_us, 7);
    assert_int_equal(store_request_each(test_reader, 1, MODE_LIVE, hour_us, hour_us + 3 * HOUR_US,
                                        note_calls, &c),
                     0);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.starts[0], hour_us);
    assert_int_equal(c.counts[0], 110);
    c.count = 0;
    assert_int_equal(store_request_each(test_reader, 1, MODE_LIVE, hour_us - HOUR_US,
                                        hour_us + 4 * HOUR_US, note_calls, &c),
                     0);
    assert_int_equal(c.count, 3);
    assert_int_equal(c.counts[0], 1);
    assert_int_equal(c.counts[2], 1000);
    assert_int_equal(c.starts[2], hour_us + 3 * HOUR_US);
    c.count = 0;
    assert_int_equal(
        store_request_each(test_reader, 2, MODE_LIVE, 0, hour_us + HOUR_US, note_calls, &c), 0);
    assert_int_equal(c.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {STORE_TEST(test_requests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
