/* The contract of store.h about keys. */
#include "store/test_fixture.h"

static struct key_record sample_key(uint8_t mark)
{
    struct key_record k = {
        .account = 3,
        .mode = MODE_LIVE,
        .name = "a name of sixty-four bytes, the longest that a key may have: ab",
        .plan = "enterprise",
        .last_four = "x9Zq",
        .permissions = 0x80000001u,
        .created_us = test_now_us,
        .expires_us = test_now_us + 5,
    };
    memset(k.hash, mark, sizeof k.hash);
    k.hash[5] = 0;
    return k;
}

static struct key_record insert(uint8_t mark)
{
    struct key_record k = sample_key(mark);

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_key_insert(test_store, &k), 0);
    assert_int_equal(store_commit(test_store), 0);
    return k;
}

static int revoke(int64_t id, int64_t at_us)
{
    assert_int_equal(store_begin(test_store), 0);
    return store_end(test_store, store_key_revoke(test_store, 0, id, at_us));
}

static void same_key(const struct key_record *read, const struct key_record *wanted)
{
    assert_int_equal(read->id, wanted->id);
    assert_int_equal(read->account, wanted->account);
    assert_int_equal(read->mode, wanted->mode);
    assert_string_equal(read->name, wanted->name);
    assert_string_equal(read->plan, wanted->plan);
    assert_string_equal(read->last_four, wanted->last_four);
    assert_memory_equal(read->hash, wanted->hash, KEY_HASH_SIZE);
    assert_int_equal(read->permissions, wanted->permissions);
    assert_int_equal(read->created_us, wanted->created_us);
    assert_int_equal(read->revoked_us, wanted->revoked_us);
    assert_int_equal(read->expires_us, wanted->expires_us);
}

static void test_insert_and_find(void **state)
{
    struct key_record one = insert(1), two = insert(2), read, none = sample_key(3);

    assert_true(one.id > 0 && two.id > 0 && one.id != two.id);
    assert_int_equal(store_key_find(test_reader, one.hash, &read), 0);
    same_key(&read, &one);
    assert_int_equal(store_key_find(test_reader, two.hash, &read), 0);
    same_key(&read, &two);
    assert_int_equal(store_key_find(test_reader, none.hash, &read), -ENOENT);
}

static void test_list(void **state)
{
    struct key_record *list, sent[3];
    size_t count;

    assert_int_equal(store_key_list(test_reader, 0, 0, 100, &test_arena, &list, &count), 0);
    assert_int_equal(count, 0);
    for (uint8_t i = 0; i < 3; i++)
        sent[i] = insert(i);
    assert_int_equal(store_key_list(test_reader, 0, 0, 100, &test_arena, &list, &count), 0);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++)
        same_key(&list[i], &sent[i]);
}

static void test_revoke(void **state)
{
    struct key_record k = insert(1), other = insert(2), read;

    assert_int_equal(revoke(k.id, 77), 0);
    k.revoked_us = 77;
    assert_int_equal(store_key_find(test_reader, k.hash, &read), 0);
    same_key(&read, &k);
    assert_int_equal(store_key_find(test_reader, other.hash, &read), 0);
    assert_int_equal(read.revoked_us, 0);

    /* Again is no mistake, and the first time stands. */
    assert_int_equal(revoke(k.id, 99), 0);
    assert_int_equal(store_key_find(test_reader, k.hash, &read), 0);
    assert_int_equal(read.revoked_us, 77);
    assert_int_equal(revoke(4711, 99), -ENOENT);
}

static void test_generation(void **state)
{
    uint64_t start = store_key_generation(test_store);

    struct key_record k = insert(1);
    uint64_t inserted = store_key_generation(test_store);
    assert_true(inserted > start);
    assert_int_equal(revoke(k.id, 77), 0);
    assert_true(store_key_generation(test_store) > inserted);

    uint64_t still = store_key_generation(test_store);
    test_accept(1, MODE_TEST, "no key is touched");
    store_look_elsewhere(test_store);
    store_tidy(test_store);
    assert_int_equal(store_key_generation(test_store), still);
}

static void test_rollback(void **state)
{
    struct key_record kept = insert(1), gone = sample_key(2), read;
    uint64_t generation = store_key_generation(test_store);

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_key_insert(test_store, &gone), 0);
    assert_int_equal(store_key_revoke(test_store, 0, kept.id, 5), 0);
    assert_int_equal(store_key_find(test_reader, gone.hash, &read), -ENOENT);
    assert_int_equal(store_key_find(test_reader, kept.hash, &read), 0);
    assert_int_equal(read.revoked_us, 0);
    store_rollback(test_store);
    assert_int_equal(store_key_find(test_reader, gone.hash, &read), -ENOENT);
    assert_int_equal(store_key_find(test_reader, kept.hash, &read), 0);
    same_key(&read, &kept);
    assert_int_equal(store_key_generation(test_store), generation);
}

static void test_one_hash_one_key(void **state)
{
    struct key_record k = insert(1), twice = sample_key(1), *list;
    size_t count;

    assert_int_equal(store_begin(test_store), 0);
    assert_true(store_key_insert(test_store, &twice) < 0);
    assert_true(strlen(store_error(test_store)) > 0);
    store_rollback(test_store);
    assert_int_equal(store_key_list(test_reader, 0, 0, 100, &test_arena, &list, &count), 0);
    assert_int_equal(count, 1);
    same_key(&list[0], &k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_insert_and_find), STORE_TEST(test_list),
        STORE_TEST(test_revoke),          STORE_TEST(test_generation),
        STORE_TEST(test_rollback),        STORE_TEST(test_one_hash_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
