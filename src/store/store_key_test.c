/* The contract of store.h about keys. */
#include "store/test_fixture.h"

#include <stdio.h>

static struct key_record sample_key(uint8_t mark)
{
    struct key_record k = {
        .account = 3,
        .mode = MODE_LIVE,
        .name = "a name of sixty-four bytes, the longest that a key may have: ab",
        .plan = "enterprise",
        .last_four = "x9Zq",
        .permissions = 0x80000001u,
        .per_minute = 12,
        .per_hour = LIMIT_OF_PLAN,
        .created_us = test_now_us,
        .expires_us = test_now_us + 5,
    };
    memset(k.hash, mark, sizeof k.hash);
    k.hash[5] = 0;
    return k;
}

static struct key_record insert_for(int64_t account, enum mode mode, uint8_t mark)
{
    struct key_record k = sample_key(mark);

    k.account = account;
    k.mode = mode;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_key_insert(test_store, &k), 0);
    assert_int_equal(store_commit(test_store), 0);
    return k;
}

static struct key_record insert(uint8_t mark)
{
    return insert_for(3, MODE_LIVE, mark);
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
    assert_int_equal(read->per_minute, wanted->per_minute);
    assert_int_equal(read->per_hour, wanted->per_hour);
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

static void test_list_of_an_account(void **state)
{
    struct key_record *list, sent[40];
    size_t count;

    for (uint8_t i = 0; i < 40; i++)
        sent[i] = insert_for(i % 2 ? 1 : 2, i % 4 ? MODE_TEST : MODE_LIVE, i);
    assert_int_equal(store_key_list(test_reader, 2, 0, 100, &test_arena, &list, &count), 0);
    assert_int_equal(count, 20);
    for (size_t i = 0; i < 20; i++)
        same_key(&list[i], &sent[2 * i]);
    assert_int_equal(store_key_list(test_reader, 0, sent[5].id, 3, &test_arena, &list, &count), 0);
    assert_int_equal(count, 3);
    same_key(&list[0], &sent[5]);
    same_key(&list[2], &sent[7]);
}

static void test_get(void **state)
{
    struct key_record one = insert_for(1, MODE_TEST, 1), read;

    assert_int_equal(store_key_get(test_reader, 1, one.id, &read), 0);
    same_key(&read, &one);
    assert_int_equal(store_key_get(test_reader, 0, one.id, &read), 0);
    assert_int_equal(store_key_get(test_reader, 2, one.id, &read), -ENOENT);
    assert_int_equal(store_key_get(test_reader, 1, one.id + 1, &read), -ENOENT);
}

static struct key_page page(int64_t account, enum mode mode, int64_t cursor, size_t limit)
{
    struct key_page p;

    assert_int_equal(store_key_page(test_reader, account, mode, cursor, limit, &test_arena, &p), 0);
    return p;
}

static void test_pages(void **state)
{
    struct key_record mine[7];

    for (uint8_t i = 0; i < 7; i++) {
        mine[i] = insert_for(1, MODE_TEST, i);
        insert_for(1, MODE_LIVE, (uint8_t)(i + 50));
        insert_for(2, MODE_TEST, (uint8_t)(i + 100));
    }
    struct key_page p = page(1, MODE_TEST, 0, 3);
    assert_int_equal(p.count, 3);
    assert_int_equal(p.total, 7);
    for (size_t i = 0; i < 3; i++)
        same_key(&p.keys[i], &mine[6 - i]);
    assert_int_equal(p.next, mine[3].id);
    assert_int_equal(p.previous, 0);

    p = page(1, MODE_TEST, p.next, 3);
    assert_int_equal(p.count, 3);
    assert_int_equal(p.next, mine[0].id);
    assert_int_equal(p.previous, mine[6].id);
    p = page(1, MODE_TEST, p.next, 3);
    assert_int_equal(p.count, 1);
    same_key(&p.keys[0], &mine[0]);
    assert_int_equal(p.next, 0);
    assert_int_equal(p.previous, mine[3].id);

    /* A position: the key of another account stands before the next of one's own. */
    p = page(1, MODE_TEST, mine[2].id - 1, 1);
    same_key(&p.keys[0], &mine[1]);
    assert_int_equal(p.previous, mine[2].id);
    assert_int_equal(page(9, MODE_TEST, 0, 3).count, 0);
    assert_int_equal(page(9, MODE_TEST, 0, 3).total, 0);
}

static void use(int64_t key, int64_t at_us, const char *address, int64_t requests)
{
    struct key_usage u = {.key = key, .last_us = at_us, .requests = requests};

    snprintf(u.address, sizeof u.address, "%s", address);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_key_used(test_store, &u), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static void test_usage(void **state)
{
    struct key_record k = insert(1), other = insert(2);
    struct key_usage read;
    uint64_t generation = store_key_generation(test_store);

    assert_int_equal(store_key_usage(test_reader, k.id, &read), 0);
    assert_int_equal(read.key, k.id);
    assert_int_equal(read.last_us, 0);
    assert_int_equal(read.requests, 0);
    assert_string_equal(read.address, "");
    use(k.id, 77, "192.0.2.1", 5);
    use(k.id, 99, "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", 7);
    assert_int_equal(store_key_usage(test_reader, k.id, &read), 0);
    assert_int_equal(read.last_us, 99);
    assert_int_equal(read.requests, 12);
    assert_string_equal(read.address, "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255");
    assert_int_equal(store_key_usage(test_reader, other.id, &read), 0);
    assert_int_equal(read.requests, 0);
    assert_int_equal(store_key_generation(test_store), generation); /* caches may stay */
}

static void test_revoke_ahead(void **state)
{
    struct key_record k = insert(1), read;
    int64_t off_us;

    assert_int_equal(revoke(k.id, 99), 0);
    assert_int_equal(revoke(k.id, 77), 0); /* of two times the earlier one */
    assert_int_equal(store_key_find(test_reader, k.hash, &read), 0);
    assert_int_equal(read.revoked_us, 77);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_key_revoke(test_store, k.account + 1, k.id, 5), -ENOENT);
    assert_int_equal(store_key_off(test_store, k.id, &off_us), 0);
    assert_int_equal(off_us, 77);
    assert_int_equal(store_key_revoke(test_store, k.account, k.id, 5), 0);
    assert_int_equal(store_key_off(test_store, k.id, &off_us), 0);
    assert_int_equal(off_us, 5); /* before the commit */
    assert_int_equal(store_key_off(test_store, k.id + 1, &off_us), -ENOENT);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(store_key_find(test_reader, k.hash, &read), 0);
    assert_int_equal(read.revoked_us, 5);
}

/* Another process writes: each way of reading keys sees it at once. */
static void test_written_elsewhere(void **state)
{
    char why[STORE_WHY_SIZE];
    struct key_record k = sample_key(9), read, *list;
    struct store *other;
    struct message m = test_accept(1, MODE_TEST, "keeps the reader inside"), seen;
    size_t count;

    assert_int_equal(store_open_sqlite(&other, test_path, &test_clock, why), 0);
    assert_int_equal(store_message_get(test_reader, 1, MODE_TEST, m.id, &test_arena, &seen), 0);
    assert_int_equal(page(k.account, k.mode, 0, 9).count, 0);
    assert_int_equal(store_begin(other), 0);
    assert_int_equal(store_key_insert(other, &k), 0);
    assert_int_equal(store_commit(other), 0);
    assert_int_equal(page(k.account, k.mode, 0, 9).count, 1);
    assert_int_equal(store_key_get(test_reader, 0, k.id, &read), 0);
    assert_int_equal(store_key_list(test_reader, 0, 0, 9, &test_arena, &list, &count), 0);
    assert_int_equal(count, 1);
    store_close(other);
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
        STORE_TEST(test_insert_and_find),
        STORE_TEST(test_list),
        STORE_TEST(test_list_of_an_account),
        STORE_TEST(test_get),
        STORE_TEST(test_pages),
        STORE_TEST(test_usage),
        STORE_TEST(test_revoke),
        STORE_TEST(test_revoke_ahead),
        STORE_TEST(test_written_elsewhere),
        STORE_TEST(test_generation),
        STORE_TEST(test_rollback),
        STORE_TEST(test_one_hash_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
