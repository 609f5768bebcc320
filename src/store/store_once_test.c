/* Requests that are answered once: what is kept is found, by its owner, for a day. */
#include "base/test_random.h"
#include "store/sqlite_internal.h"
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

/* ---- with everything that is done later ---- */

static uint64_t seed;

static size_t pick(size_t below)
{
    return test_random(&seed) % below;
}

static struct sqlite_store *engine(void)
{
    return (struct sqlite_store *)test_store;
}

static int refuse(void *context)
{
    return 1;
}

/* Its transaction cannot be committed. */
static void housekeep_in_vain(void)
{
    sqlite3_commit_hook(engine()->db, refuse, NULL);
    store_housekeep(test_store, pick(2));
    sqlite3_commit_hook(engine()->db, NULL, NULL);
    engine()->housekeep_us = 0; /* and no rest after it */
}

static void make_small(void)
{
    engine()->sizes =
        (struct sizes){.bulk = 64, .bulk_idle = 8, .fan = 3, .generation = 500, .step = 100};
}

static int64_t count_rows(const char *sql)
{
    int64_t count = -1;

    assert_int_equal(sqlite_number(engine()->db, sql, &count), 0);
    return count;
}

static void keep_many(uint64_t first, uint64_t last, uint64_t per_transaction)
{
    for (uint64_t i = first; i <= last; i += per_transaction) {
        assert_int_equal(store_begin(test_store), 0);
        for (uint64_t k = i; k < i + per_transaction && k <= last; k++) {
            struct once_record o = record(k, (int64_t)k + 1);
            keep(&o);
        }
        assert_int_equal(store_commit(test_store), 0);
        store_housekeep(test_store, false);
    }
}

static void check_many(uint64_t first, uint64_t last, uint64_t step)
{
    struct once_record read;

    assert_int_equal(store_begin(test_store), 0);
    for (uint64_t i = first; i <= last; i += step) {
        arena_reset(&test_arena);
        assert_int_equal(find(i, &read), 0);
        assert_int_equal(read.message, i + 1);
        assert_int_equal(find(i + 1000000000, &read), -ENOENT);
    }
    assert_int_equal(store_commit(test_store), 0);
}

static void finish_housekeeping(void)
{
    while (store_housekeep(test_store, true)) {
    }
}

/* In pieces of the size that serves. */
static void test_two_hundred_thousand(void **state)
{
    enum { MANY = 200000 };

    engine()->sizes.generation = 150000;
    keep_many(1, MANY, 1000);
    assert_true(count_rows("SELECT count(*) FROM volume WHERE shelf = 2 AND state = 2") > 1);
    assert_true(engine()->once.recent.count < 2 * sizes_default.bulk);
    assert_int_equal(engine()->once.filters.count, 2);
    check_many(1, MANY, 97);
    finish_housekeeping();
    check_many(1, MANY, 101);
    test_close();
    test_open();
    engine()->sizes.generation = 150000;
    check_many(1, MANY, 103); /* without filters */
    finish_housekeeping();
    assert_int_equal(engine()->once.filters.count, 2);
    assert_null(once_filters_incomplete(&engine()->once.filters));
    check_many(1, MANY, 107);
}

/* What is past its time leaves the tables, in pieces, and memory too. */
static void test_rows_past_their_time_are_dropped(void **state)
{
    make_small();
    keep_many(1, 2000, 50);
    finish_housekeeping();
    test_now_us += ONCE_TIME_US / 2;
    keep_many(2001, 2300, 50);
    test_now_us += ONCE_TIME_US / 2 + 1;
    finish_housekeeping();
    assert_int_equal(count_rows("SELECT count(*) FROM once"), 300);
    assert_int_equal(count_rows("SELECT min(id) FROM once"), 2001);
    assert_true(count_rows("SELECT min(last) FROM volume WHERE shelf = 2") > 2000);
    assert_int_equal(engine()->once.filters.filters[0].generation, 4);
    check_many(2001, 2300, 1);
    test_now_us += ONCE_TIME_US;
    finish_housekeeping();
    assert_int_equal(count_rows("SELECT count(*) FROM once"), 0);
    assert_int_equal(count_rows("SELECT count(*) FROM volume WHERE shelf = 2"), 1);
    assert_int_equal(engine()->once.recent.count, 0);
    test_close();
    test_open();
    keep_many(1, 10, 5);
    check_many(1, 10, 1);
    assert_int_equal(count_rows("SELECT min(id) FROM once"), 2301);
}

/* A random walk: what the store finds is what a plain array says. */
enum { NUMBERS = 3000, STEPS = 4000 };

static struct kept {
    int64_t message, created_us; /* 0 = never kept */
} model[NUMBERS], copy[NUMBERS];

/* As a request would: what is found is answered, what is not is kept. */
static void ask(size_t number)
{
    struct once_record read, o = record(number, (int64_t)pick(1000000) + 1);
    struct kept *k = &copy[number];
    bool known = k->message && k->created_us >= test_now_us - ONCE_TIME_US;

    arena_reset(&test_arena);
    assert_int_equal(find(number, &read), known ? 0 : -ENOENT);
    if (known) {
        assert_int_equal(read.message, k->message);
        assert_int_equal(read.created_us, k->created_us);
        assert_memory_equal(read.print, o.print, ONCE_PRINT_SIZE);
    } else {
        keep(&o);
        *k = (struct kept){o.message, test_now_us};
    }
}

static void walk(void)
{
    memcpy(copy, model, sizeof copy);
    assert_int_equal(store_begin(test_store), 0);
    for (size_t n = pick(40); n; n--)
        ask(pick(NUMBERS));
    if (pick(12) == 0) {
        store_rollback(test_store);
        return;
    }
    assert_int_equal(store_commit(test_store), 0);
    memcpy(model, copy, sizeof model);
}

static void test_walk(void **state)
{
    seed = 20251116;
    memset(model, 0, sizeof model);
    make_small();
    for (int i = 0; i < STEPS; i++) {
        walk();
        test_now_us += (int64_t)pick(ONCE_TIME_US / 300);
        for (size_t n = pick(4); n; n--)
            store_housekeep(test_store, pick(2));
        if (pick(4) == 0)
            housekeep_in_vain();
        if (pick(100) == 0) {
            test_close();
            test_open();
            make_small();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_found_where_it_was_kept),
        STORE_TEST(test_answers_are_kept_whole),
        STORE_TEST(test_owners_are_apart),
        STORE_TEST(test_a_rollback_takes_it_back),
        STORE_TEST(test_after_a_day_it_is_forgotten),
        STORE_TEST(test_two_hundred_thousand),
        STORE_TEST(test_rows_past_their_time_are_dropped),
        STORE_TEST(test_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
