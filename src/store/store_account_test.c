/* The contract of store.h about accounts. */
#include "store/test_fixture.h"

#include <stdio.h>

static struct account_record insert(const char *name)
{
    struct account_record a = {0};

    snprintf(a.name, sizeof a.name, "%s", name);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_account_insert(test_store, &a), 0);
    assert_int_equal(store_commit(test_store), 0);
    return a;
}

static int suspend(int64_t id, int64_t at_us)
{
    assert_int_equal(store_begin(test_store), 0);
    return store_end(test_store, store_account_suspend(test_store, id, at_us));
}

static int credit(int64_t id, int64_t micros)
{
    assert_int_equal(store_begin(test_store), 0);
    return store_end(test_store, store_account_credit(test_store, id, micros));
}

static int charge(int64_t id, int64_t micros)
{
    assert_int_equal(store_begin(test_store), 0);
    int r = store_account_charge(test_store, id, micros);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

static struct account_record get(int64_t id)
{
    struct account_record a;

    assert_int_equal(store_account_get(test_reader, id, &a), 0);
    return a;
}

static void the_first_account_is_there_from_the_start(void **state)
{
    struct account_record first = get(FIRST_ACCOUNT), *list;
    size_t count;

    assert_string_equal(first.name, "default");
    assert_true(first.created_us > 0);
    assert_int_equal(first.suspended_us, 0);
    assert_false(first.metered);
    assert_int_equal(store_account_list(test_reader, &test_arena, &list, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(list[0].id, FIRST_ACCOUNT);
}

static void insert_find_and_list(void **state)
{
    struct account_record one = insert("one"), two = insert("two"), read, *list;
    size_t count;

    assert_true(one.id > FIRST_ACCOUNT && two.id > one.id);
    assert_int_equal(one.created_us, test_now_us);
    assert_int_equal(store_account_find(test_reader, STR("two"), &read), 0);
    assert_int_equal(read.id, two.id);
    assert_string_equal(read.name, "two");
    assert_int_equal(read.created_us, test_now_us);
    assert_false(read.metered);
    assert_int_equal(store_account_find(test_reader, STR("tw"), &read), -ENOENT);
    assert_int_equal(store_account_get(test_reader, two.id + 1, &read), -ENOENT);
    assert_int_equal(store_account_list(test_reader, &test_arena, &list, &count), 0);
    assert_int_equal(count, 3);
    assert_int_equal(list[1].id, one.id);
    assert_int_equal(list[2].id, two.id);
}

static void a_list_may_be_long(void **state)
{
    struct account_record *list;
    char name[32];
    size_t count;

    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "account %d", i);
        insert(name);
    }
    assert_int_equal(store_account_list(test_reader, &test_arena, &list, &count), 0);
    assert_int_equal(count, 41);
    for (size_t i = 1; i < count; i++) {
        snprintf(name, sizeof name, "account %zu", i - 1);
        assert_string_equal(list[i].name, name);
    }
}

static void a_name_is_taken_once(void **state)
{
    struct account_record again = {.name = "one"}, *list;
    size_t count;

    insert("one");
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_account_insert(test_store, &again), -EEXIST);
    store_rollback(test_store);
    assert_int_equal(store_account_list(test_reader, &test_arena, &list, &count), 0);
    assert_int_equal(count, 2);
}

static void a_suspended_account_shows_in_its_keys(void **state)
{
    struct account_record a = insert("one");
    struct key_record mine = {.account = a.id, .hash = {1}}, other = {.account = 1, .hash = {2}},
                      read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_key_insert(test_store, &mine), 0);
    assert_int_equal(store_key_insert(test_store, &other), 0);
    assert_int_equal(store_commit(test_store), 0);
    uint64_t generation = store_key_generation(test_store);
    assert_int_equal(suspend(a.id, 77), 0);
    assert_true(store_key_generation(test_store) > generation);
    assert_int_equal(get(a.id).suspended_us, 77);
    assert_int_equal(store_key_find(test_reader, mine.hash, &read), 0);
    assert_true(read.account_suspended);
    assert_int_equal(store_key_find(test_reader, other.hash, &read), 0);
    assert_false(read.account_suspended);

    generation = store_key_generation(test_store);
    assert_int_equal(suspend(a.id, 0), 0);
    assert_true(store_key_generation(test_store) > generation);
    assert_int_equal(store_key_find(test_reader, mine.hash, &read), 0);
    assert_false(read.account_suspended);
    assert_int_equal(suspend(4711, 77), -ENOENT);
}

static void what_is_not_metered_costs_nothing(void **state)
{
    struct account_record a = insert("one");

    assert_int_equal(charge(a.id, 1000000), 1);
    assert_int_equal(charge(4711, 1000000), 1);
    assert_false(get(a.id).metered);
    assert_int_equal(get(a.id).balance_micros, 0);
}

static void a_balance_is_paid_in_and_used_up(void **state)
{
    struct account_record a = insert("one"), other = insert("two");

    assert_int_equal(credit(a.id, 1000), 0);
    assert_true(get(a.id).metered);
    assert_int_equal(get(a.id).balance_micros, 1000);
    assert_int_equal(charge(a.id, 600), 1);
    assert_int_equal(charge(a.id, 401), 0);
    assert_int_equal(get(a.id).balance_micros, 400); /* a refused charge takes nothing */
    assert_int_equal(charge(a.id, 400), 1);
    assert_int_equal(get(a.id).balance_micros, 0);
    assert_int_equal(charge(a.id, 1), 0);
    assert_int_equal(charge(a.id, 0), 1);
    assert_int_equal(credit(a.id, 5), 0);
    assert_int_equal(get(a.id).balance_micros, 5);
    assert_false(get(other.id).metered);
    assert_int_equal(credit(4711, 5), -ENOENT);
}

static void a_balance_stays_a_number(void **state)
{
    struct account_record a = insert("one");

    assert_int_equal(credit(a.id, INT64_MAX), 0);
    assert_int_equal(credit(a.id, 1), -ERANGE);
    assert_int_equal(get(a.id).balance_micros, INT64_MAX);
}

static void an_account_may_start_metered(void **state)
{
    struct account_record a = {.name = "paid", .metered = true, .balance_micros = 250};

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_account_insert(test_store, &a), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_true(get(a.id).metered);
    assert_int_equal(get(a.id).balance_micros, 250);
}

/* Two charges in one transaction see each other; a rollback gives back. */
static void charges_belong_to_their_transaction(void **state)
{
    struct account_record a = insert("one");

    assert_int_equal(credit(a.id, 1000), 0);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_account_charge(test_store, a.id, 700), 1);
    assert_int_equal(store_account_charge(test_store, a.id, 700), 0);
    store_rollback(test_store);
    assert_int_equal(get(a.id).balance_micros, 1000);
}

static void what_another_process_wrote_is_seen(void **state)
{
    char why[STORE_WHY_SIZE];
    struct account_record a = {.name = "from elsewhere"}, read;
    struct store *other;
    struct message m = test_accept(1, MODE_TEST, "keeps the reader inside"), seen;

    assert_int_equal(store_message_get(test_reader, 1, MODE_TEST, m.id, &test_arena, &seen), 0);
    assert_int_equal(store_open_sqlite(&other, test_path, &test_clock, why), 0);
    assert_int_equal(store_begin(other), 0);
    assert_int_equal(store_account_insert(other, &a), 0);
    assert_int_equal(store_commit(other), 0);
    assert_int_equal(store_account_find(test_reader, STR("from elsewhere"), &read), 0);
    assert_int_equal(read.id, a.id);
    uint64_t generation = store_key_generation(test_store);
    assert_int_equal(store_begin(other), 0);
    assert_int_equal(store_account_suspend(other, a.id, 9), 0);
    assert_int_equal(store_commit(other), 0);
    assert_int_equal(get(a.id).suspended_us, 9);
    store_look_elsewhere(test_store);
    assert_true(store_key_generation(test_store) > generation);
    store_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(the_first_account_is_there_from_the_start),
        STORE_TEST(insert_find_and_list),
        STORE_TEST(a_list_may_be_long),
        STORE_TEST(a_name_is_taken_once),
        STORE_TEST(a_suspended_account_shows_in_its_keys),
        STORE_TEST(what_is_not_metered_costs_nothing),
        STORE_TEST(a_balance_is_paid_in_and_used_up),
        STORE_TEST(a_balance_stays_a_number),
        STORE_TEST(an_account_may_start_metered),
        STORE_TEST(charges_belong_to_their_transaction),
        STORE_TEST(what_another_process_wrote_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
