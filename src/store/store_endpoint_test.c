/* The contract of store.h about endpoints, secrets, and news of them. */
#include "store/engine.h"
#include "store/test_outbox.h"

static size_t list(int64_t account, struct endpoint_record **ret)
{
    size_t count;

    assert_int_equal(store_endpoint_list(test_reader, account, &test_arena, ret, &count), 0);
    return count;
}

static void test_add_list_and_get(void **state)
{
    struct endpoint_record one = test_endpoint_add(1, TEST_MODES, TEST_KINDS), read, *all;
    struct endpoint_record other = test_endpoint_add(2, 1, 3), two = test_endpoint_add(1, 2, 4);

    assert_true(one.id && one.id < other.id && other.id < two.id);
    assert_int_equal(one.created_us, test_now_us);
    assert_int_equal(one.updated_us, test_now_us);
    assert_int_equal(list(1, &all), 2);
    test_same_endpoint(&all[0], &one);
    test_same_endpoint(&all[1], &two);
    assert_int_equal(list(0, &all), 3);
    test_same_endpoint(&all[1], &other);
    assert_int_equal(list(3, &all), 0);
    assert_int_equal(store_endpoint_get(test_reader, 1, two.id, &test_arena, &read), 0);
    test_same_endpoint(&read, &two);
    assert_int_equal(store_endpoint_get(test_reader, 0, other.id, &test_arena, &read), 0);
    assert_int_equal(store_endpoint_get(test_reader, 1, other.id, &test_arena, &read), -ENOENT);
    assert_int_equal(store_endpoint_get(test_reader, 0, 77, &test_arena, &read), -ENOENT);
}

static void test_put_writes_what_may_change(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS), read;

    test_now_us += 1000;
    e = (struct endpoint_record){.id = e.id,
                                 .account = 1,
                                 .created_us = e.created_us,
                                 .updated_us = e.updated_us,
                                 .modes = 2,
                                 .kinds = 8,
                                 .every_kind = true,
                                 .url = STR("https://other.example"),
                                 .description = STR("d"),
                                 .secret = STR("s"),
                                 .old_secret = STR(""),
                                 .old_until_us = 21,
                                 .off = ENDPOINT_OFF_FAILING,
                                 .off_us = 22,
                                 .failures = 23,
                                 .failing_since_us = 24,
                                 .paused_until_us = 25,
                                 .last_success_us = 26,
                                 .replay_from = 27,
                                 .replay_to = 28,
                                 .replay_states = 29,
                                 .replay_modes = 3};
    test_endpoint_put(&e, false);
    assert_int_equal(store_endpoint_get(test_reader, 1, e.id, &test_arena, &read), 0);
    test_same_endpoint(&read, &e);
    test_endpoint_put(&e, true);
    assert_int_equal(e.updated_us, test_now_us);
    assert_int_equal(store_endpoint_get(test_reader, 1, e.id, &test_arena, &read), 0);
    test_same_endpoint(&read, &e);

    e.id++;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_endpoint_put(test_store, &e, true), -ENOENT);
    store_rollback(test_store);
}

static void test_a_transaction_sees_what_it_wrote(void **state)
{
    struct endpoint_record e = test_endpoint(1, TEST_MODES, TEST_KINDS), read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_endpoint_add(test_store, &e), 0);
    assert_int_equal(store_endpoint_find(test_store, 1, e.id, &test_arena, &read), 0);
    test_same_endpoint(&read, &e);
    assert_int_equal(store_endpoint_find(test_store, 2, e.id, &test_arena, &read), -ENOENT);
    assert_int_equal(store_endpoint_get(test_reader, 1, e.id, &test_arena, &read), -ENOENT);
    store_rollback(test_store);
    assert_int_equal(store_endpoint_get(test_reader, 1, e.id, &test_arena, &read), -ENOENT);
}

/* Ten per account, whatever became of those that are gone. */
static void test_an_account_has_ten_at_most(void **state)
{
    struct endpoint_record e;

    for (int i = 0; i < ENDPOINTS_MAX; i++)
        e = test_endpoint_add(1, TEST_MODES, TEST_KINDS);
    for (int i = 0; i < 2; i++) {
        struct endpoint_record more = test_endpoint(1, TEST_MODES, TEST_KINDS);
        assert_int_equal(store_begin(test_store), 0);
        assert_int_equal(store_endpoint_add(test_store, &more), -EDQUOT);
        store_rollback(test_store);
        test_close();
        test_open();
    }
    test_endpoint_add(2, TEST_MODES, TEST_KINDS);
    assert_int_equal(test_endpoint_remove(1, e.id), 0);
    test_endpoint_add(1, TEST_MODES, TEST_KINDS);
}

static void test_remove(void **state)
{
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, TEST_KINDS), read, *all;

    assert_int_equal(test_endpoint_remove(2, e.id), -ENOENT);
    assert_int_equal(list(1, &all), 1);
    assert_int_equal(test_endpoint_remove(1, e.id), 0);
    assert_int_equal(test_endpoint_remove(1, e.id), -ENOENT);
    assert_int_equal(list(1, &all), 0);
    assert_int_equal(store_endpoint_get(test_reader, 1, e.id, &test_arena, &read), -ENOENT);
}

static void test_secrets(void **state)
{
    struct secret_record r = {.account = 1,
                              .mode = MODE_LIVE,
                              .secret = STR("whsec_b"),
                              .old_secret = STR("whsec_a"),
                              .old_until_us = 5},
                         read;

    assert_int_equal(store_secret_get(test_reader, 1, MODE_LIVE, &test_arena, &read), -ENOENT);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(store_begin(test_store), 0);
        assert_int_equal(store_secret_put(test_store, &r), 0);
        assert_int_equal(store_secret_find(test_store, 1, MODE_LIVE, &test_arena, &read), 0);
        assert_int_equal(store_secret_find(test_store, 1, MODE_TEST, &test_arena, &read), -ENOENT);
        assert_int_equal(store_commit(test_store), 0);
        assert_int_equal(store_secret_get(test_reader, 1, MODE_LIVE, &test_arena, &read), 0);
        assert_int_equal(read.account, 1);
        assert_int_equal(read.mode, MODE_LIVE);
        assert_true(str_is(read.old_secret, "whsec_a"));
        assert_int_equal(read.old_until_us, 5 + i);
        assert_int_equal(read.secret.n, r.secret.n);
        r.secret = STR("whsec_longer");
        r.old_until_us++;
    }
}

/* ---- news ---- */

static struct {
    int told;
    size_t count;
    int64_t endpoints[NEWS_MAX];
} news;

static void hear(void *context, const int64_t *endpoints, size_t count)
{
    assert_ptr_equal(context, &news);
    news.told++;
    news.count = count;
    for (size_t i = 0; i < count; i++)
        news.endpoints[i] = endpoints[i];
}

static void assert_told(size_t count, int64_t endpoint)
{
    assert_int_equal(news.told, 1);
    assert_int_equal(news.count, count);
    if (count)
        assert_int_equal(news.endpoints[0], endpoint);
    news.told = 0;
}

static void test_news_of_what_was_committed(void **state)
{
    news.told = 0;
    store_set_news(test_store, hear, &news);
    struct endpoint_record e = test_endpoint_add(1, TEST_MODES, notice_bit(NOTICE_QUEUED));
    assert_told(1, e.id);
    test_accept(2, MODE_TEST, "x");
    assert_int_equal(news.told, 0);
    struct message m = test_accept(1, MODE_TEST, "x");
    assert_told(1, e.id);
    test_endpoint_put(&e, false);
    assert_int_equal(news.told, 0);
    test_endpoint_put(&e, true);
    assert_told(1, e.id);
    e.replay_from = 1;
    e.replay_to = 2;
    test_endpoint_put(&e, false);
    assert_told(1, e.id);
    assert_int_equal(test_endpoint_remove(1, e.id), 0);
    assert_told(1, e.id);

    e = test_endpoint_add(1, TEST_MODES, notice_bit(NOTICE_QUEUED));
    news.told = 0;
    m = test_message(1, MODE_TEST, "x");
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_accept(test_store, &m), 0);
    store_rollback(test_store);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(news.told, 0);
}

/* More endpoints than can be named: none is. */
static void test_much_news(void **state)
{
    int64_t ids[NEWS_MAX + 1];

    for (int64_t account = 2; account < 2 + NEWS_MAX + 1; account++)
        ids[account - 2] = test_endpoint_add(account, TEST_MODES, notice_bit(NOTICE_QUEUED)).id;
    news.told = 0;
    store_set_news(test_store, hear, &news);
    for (int accounts = NEWS_MAX; accounts <= NEWS_MAX + 1; accounts++) {
        assert_int_equal(store_begin(test_store), 0);
        for (int i = 0; i < accounts; i++) {
            struct message m = test_message(2 + i, MODE_LIVE, "x");
            assert_int_equal(store_accept(test_store, &m), 0);
        }
        assert_int_equal(store_commit(test_store), 0);
        assert_told(accounts == NEWS_MAX ? NEWS_MAX : 0, ids[0]);
    }
}

/* Another process: its endpoints are told from then on, and anything may be new. */
static void test_written_elsewhere(void **state)
{
    struct store *here = test_store, *there;
    struct delivery_record *d;
    char why[STORE_WHY_SIZE];

    test_accept(1, MODE_TEST, "x");
    news.told = 0;
    store_set_news(here, hear, &news);
    assert_int_equal(store_open_sqlite(&there, test_path, &test_clock, why), 0);
    test_store = there;
    test_endpoint_add(1, TEST_MODES, notice_bit(NOTICE_QUEUED));
    test_store = here;
    store_look_elsewhere(here);
    assert_told(0, 0);
    store_look_elsewhere(here);
    assert_int_equal(news.told, 0);
    assert_int_equal(test_deliveries(test_accept(1, MODE_TEST, "x").id, &d), 1);
    store_close(there);
}

/* ---- who has something to do ---- */

static size_t busy(int64_t after, size_t max, int64_t *ret)
{
    size_t count;

    assert_int_equal(store_endpoint_busy(test_reader, after, ret, max, &count), 0);
    return count;
}

static void test_busy_ones(void **state)
{
    struct endpoint_record e[5];
    struct delivery_record *d;
    int64_t ids[9];

    for (int64_t i = 0; i < 5; i++)
        e[i] = test_endpoint_add(1 + i, TEST_MODES, TEST_KINDS);
    assert_int_equal(busy(0, 9, ids), 0);
    struct message m = test_sent(2, MODE_TEST);
    test_sent(4, MODE_LIVE);
    test_sent(5, MODE_LIVE);
    e[2].replay_from = e[2].replay_to = 7;
    test_endpoint_put(&e[2], false);
    e[3].replay_from = e[3].replay_to = 7;
    test_endpoint_put(&e[3], false);
    assert_int_equal(busy(0, 9, ids), 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ids[i], e[i + 1].id);
    assert_int_equal(busy(e[2].id, 9, ids), 2);
    assert_int_equal(ids[0], e[3].id);
    assert_int_equal(busy(0, 2, ids), 2);

    assert_int_equal(test_deliveries(m.id, &d), 1);
    assert_int_equal(test_tried(d[0].id, 1, DELIVERY_DONE, 0), 1);
    test_endpoint_remove(5, e[4].id);
    assert_int_equal(busy(0, 9, ids), 2);
    assert_int_equal(ids[0], e[2].id);
    assert_int_equal(ids[1], e[3].id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_add_list_and_get),
        STORE_TEST(test_put_writes_what_may_change),
        STORE_TEST(test_a_transaction_sees_what_it_wrote),
        STORE_TEST(test_an_account_has_ten_at_most),
        STORE_TEST(test_remove),
        STORE_TEST(test_secrets),
        STORE_TEST(test_news_of_what_was_committed),
        STORE_TEST(test_much_news),
        STORE_TEST(test_written_elsewhere),
        STORE_TEST(test_busy_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
