/* Requests that are answered once: what is kept is found, by its owner, for a day. */
#include "store/test_fixture.h"

#include <stdlib.h>

/* The key of a number: every byte depends on it. */
static void key_of(uint64_t number, uint8_t key[ONCE_KEY_SIZE])
{
    for (size_t i = 0; i < ONCE_KEY_SIZE; i++) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        key[i] = (uint8_t)(number >> 56);
    }
}

static struct once_record record(uint64_t number, int64_t message)
{
    struct once_record o = {.account = 1, .mode = MODE_TEST, .message = message};

    key_of(number, o.key);
    key_of(number + (UINT64_C(1) << 60), o.print);
    return o;
}

/* Inside a transaction. */
static int find_of(int64_t account, enum mode mode, uint64_t number, struct once_record *ret)
{
    uint8_t key[ONCE_KEY_SIZE];

    key_of(number, key);
    return store_once_find(test_store, account, mode, key, &test_arena, ret);
}

static int find(uint64_t number, struct once_record *ret)
{
    return find_of(1, MODE_TEST, number, ret);
}

static void keep(const struct once_record *o)
{
    struct once_record kept = *o;

    assert_int_equal(store_once_keep(test_store, &kept), 0);
    assert_int_equal(kept.created_us, test_now_us);
}

/* In a transaction of its own. */
static int find_alone(uint64_t number, struct once_record *ret)
{
    assert_int_equal(store_begin(test_store), 0);
    int found = find(number, ret);
    assert_int_equal(store_commit(test_store), 0);
    return found;
}

static void keep_alone(const struct once_record *o)
{
    assert_int_equal(store_begin(test_store), 0);
    keep(o);
    assert_int_equal(store_commit(test_store), 0);
}

static void same(const struct once_record *read, const struct once_record *wanted)
{
    assert_int_equal(read->account, wanted->account);
    assert_int_equal(read->mode, wanted->mode);
    assert_memory_equal(read->key, wanted->key, ONCE_KEY_SIZE);
    assert_memory_equal(read->print, wanted->print, ONCE_PRINT_SIZE);
    assert_int_equal(read->message, wanted->message);
    assert_int_equal(read->status, wanted->status);
    assert_int_equal(read->answer.n, wanted->answer.n);
    if (wanted->answer.n)
        assert_memory_equal(read->answer.p, wanted->answer.p, wanted->answer.n);
}

static void test_found_where_it_was_kept(void **state)
{
    struct once_record o = record(1, 77), read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(find(1, &read), -ENOENT);
    keep(&o);
    assert_int_equal(find(1, &read), 0);
    same(&read, &o);
    assert_int_equal(read.created_us, test_now_us);
    assert_int_equal(find(2, &read), -ENOENT);
    assert_int_equal(store_commit(test_store), 0);

    assert_int_equal(find_alone(1, &read), 0);
    same(&read, &o);
    test_close();
    test_open();
    assert_int_equal(find_alone(1, &read), 0);
    same(&read, &o);
    assert_int_equal(find_alone(2, &read), -ENOENT);
}

static void test_answers_are_kept_whole(void **state)
{
    enum { SIZE = 300000 };
    char *body = malloc(SIZE);
    struct once_record o = record(1, 0), read;

    for (size_t i = 0; i < SIZE; i++)
        body[i] = (char)(i * 7);
    o.status = 201;
    o.answer = (struct str){body, SIZE};
    keep_alone(&o);
    assert_int_equal(find_alone(1, &read), 0);
    same(&read, &o);
    free(body);
}

static void test_owners_are_apart(void **state)
{
    struct once_record o = record(1, 5), other = record(1, 6), read;

    keep_alone(&o);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(find_of(1, MODE_LIVE, 1, &read), -ENOENT);
    assert_int_equal(find_of(2, MODE_TEST, 1, &read), -ENOENT);
    other.account = 2;
    keep(&other);
    assert_int_equal(find_of(2, MODE_TEST, 1, &read), 0);
    same(&read, &other);
    assert_int_equal(find_of(1, MODE_TEST, 1, &read), 0);
    same(&read, &o);
    assert_int_equal(store_commit(test_store), 0);
}

static void test_a_rollback_takes_it_back(void **state)
{
    struct once_record first = record(1, 5), second = record(2, 6), read;

    keep_alone(&first);
    assert_int_equal(store_begin(test_store), 0);
    keep(&second);
    store_rollback(test_store);
    assert_int_equal(find_alone(2, &read), -ENOENT);
    assert_int_equal(find_alone(1, &read), 0);
    keep_alone(&second);
    assert_int_equal(find_alone(2, &read), 0);
    same(&read, &second);
}

static void test_after_a_day_it_is_forgotten(void **state)
{
    struct once_record o = record(1, 5), again = record(1, 6), read;

    keep_alone(&o);
    test_now_us += ONCE_TIME_US;
    assert_int_equal(find_alone(1, &read), 0);
    test_now_us++;
    assert_int_equal(find_alone(1, &read), -ENOENT);
    keep_alone(&again);
    assert_int_equal(find_alone(1, &read), 0);
    same(&read, &again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_found_where_it_was_kept),
        STORE_TEST(test_answers_are_kept_whole),
        STORE_TEST(test_owners_are_apart),
        STORE_TEST(test_a_rollback_takes_it_back),
        STORE_TEST(test_after_a_day_it_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
