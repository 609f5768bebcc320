/* The contract of store.h about opt-outs. */
#include "store/test_fixture.h"

static const char *numbers[] = {"+15550000001", "+15550000002", "+15550000003", "+15550000004",
                                "+15550000005", "+15550000006", "+15550000007"};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static struct opt_out_record sample(int64_t account, enum mode mode, const char *number)
{
    return (struct opt_out_record){.account = account,
                                   .mode = mode,
                                   .number = str_of(number),
                                   .source = OPT_OUT_BY_KEYWORD,
                                   .keyword = STR("ARRÊT")};
}

static struct opt_out_record add(int64_t account, enum mode mode, const char *number)
{
    struct opt_out_record o = sample(account, mode, number);

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_opt_out_add(test_store, &test_arena, &o), 1);
    assert_int_equal(store_commit(test_store), 0);
    return o;
}

static int take_out(int64_t account, enum mode mode, const char *number, struct opt_out_record *ret)
{
    assert_int_equal(store_begin(test_store), 0);
    int r = store_opt_out_remove(test_store, account, mode, str_of(number), &test_arena, ret);
    assert_int_equal(store_commit(test_store), 0);
    return r;
}

static int get(int64_t account, enum mode mode, const char *number, struct opt_out_record *ret)
{
    return store_opt_out_get(test_reader, account, mode, str_of(number), &test_arena, ret);
}

static struct opt_out_page page(int64_t account, enum mode mode, int64_t cursor, size_t limit)
{
    struct opt_out_page p;

    assert_int_equal(store_opt_out_page(test_reader, account, mode, cursor, limit, &test_arena, &p),
                     0);
    return p;
}

static void same(const struct opt_out_record *read, const struct opt_out_record *wanted)
{
    assert_int_equal(read->id, wanted->id);
    assert_int_equal(read->account, wanted->account);
    assert_int_equal(read->mode, wanted->mode);
    assert_true(str_eq(read->number, wanted->number));
    assert_int_equal(read->source, wanted->source);
    assert_true(str_eq(read->keyword, wanted->keyword));
    assert_int_equal(read->created_us, wanted->created_us);
}

static void add_and_get(void **state)
{
    struct opt_out_record o = add(3, MODE_LIVE, numbers[0]), read;

    assert_true(o.id > 0);
    assert_int_equal(o.created_us, test_now_us);
    assert_int_equal(get(3, MODE_LIVE, numbers[0], &read), 0);
    same(&read, &o);
    assert_int_equal(get(3, MODE_TEST, numbers[0], &read), -ENOENT);
    assert_int_equal(get(2, MODE_LIVE, numbers[0], &read), -ENOENT);
    assert_int_equal(get(3, MODE_LIVE, numbers[1], &read), -ENOENT);
}

static void one_of_the_api_has_no_keyword(void **state)
{
    struct opt_out_record o = {.account = 1,
                               .mode = MODE_TEST,
                               .number = STR("+15550000001"),
                               .source = OPT_OUT_BY_API},
                          read;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_opt_out_add(test_store, &test_arena, &o), 1);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(get(1, MODE_TEST, numbers[0], &read), 0);
    assert_int_equal(read.source, OPT_OUT_BY_API);
    assert_int_equal(read.keyword.n, 0);
}

static void adding_again_tells_what_is_there(void **state)
{
    struct opt_out_record first = add(1, MODE_TEST, numbers[0]);
    struct opt_out_record again = {.account = 1,
                                   .mode = MODE_TEST,
                                   .number = str_of(numbers[0]),
                                   .source = OPT_OUT_BY_API,
                                   .keyword = STR("")};

    test_now_us += 5000000;
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_opt_out_add(test_store, &test_arena, &again), 0);
    assert_int_equal(store_commit(test_store), 0);
    same(&again, &first);
    assert_int_equal(page(1, MODE_TEST, 0, 10).total, 1);
}

/* Before its commit, too. */
static void adding_twice_in_one_transaction(void **state)
{
    struct opt_out_record one = sample(1, MODE_TEST, numbers[0]), two = one;

    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_opt_out_add(test_store, &test_arena, &one), 1);
    assert_int_equal(store_opt_out_add(test_store, &test_arena, &two), 0);
    same(&two, &one);
    store_rollback(test_store);
    assert_int_equal(page(1, MODE_TEST, 0, 10).total, 0);
    assert_int_equal(page(1, MODE_TEST, 0, 10).count, 0);
}

static void remove_tells_what_was_there(void **state)
{
    struct opt_out_record o = add(1, MODE_TEST, numbers[0]), other = add(2, MODE_TEST, numbers[0]),
                          read = {0};

    assert_int_equal(take_out(1, MODE_LIVE, numbers[0], &read), 0);
    assert_int_equal(take_out(1, MODE_TEST, numbers[0], &read), 1);
    same(&read, &o);
    assert_int_equal(take_out(1, MODE_TEST, numbers[0], &read), 0);
    assert_int_equal(get(1, MODE_TEST, numbers[0], &read), -ENOENT);
    assert_int_equal(page(1, MODE_TEST, 0, 10).total, 0);
    assert_int_equal(get(2, MODE_TEST, numbers[0], &read), 0);
    same(&read, &other);
    struct opt_out_record again = add(1, MODE_TEST, numbers[0]);
    assert_true(again.id > o.id);
    assert_int_equal(page(1, MODE_TEST, 0, 10).total, 1);
}

static void pages_go_from_the_newest_to_the_oldest(void **state)
{
    struct opt_out_record all[NUMBERS];

    for (size_t i = 0; i < NUMBERS; i++) {
        all[i] = add(1, MODE_TEST, numbers[i]);
        add(1, MODE_LIVE, numbers[i]);
        add(2, MODE_TEST, numbers[i]);
    }
    struct opt_out_page p = page(1, MODE_TEST, 0, 3);
    assert_int_equal(p.count, 3);
    assert_int_equal(p.total, NUMBERS);
    for (size_t i = 0; i < 3; i++)
        same(&p.records[i], &all[6 - i]);
    assert_int_equal(p.next, all[3].id);
    assert_int_equal(p.previous, 0);

    p = page(1, MODE_TEST, p.next, 3);
    same(&p.records[0], &all[3]);
    assert_int_equal(p.next, all[0].id);
    assert_int_equal(p.previous, all[6].id);

    p = page(1, MODE_TEST, p.next, 3);
    assert_int_equal(p.count, 1);
    same(&p.records[0], &all[0]);
    assert_int_equal(p.next, 0);
    assert_int_equal(p.previous, all[3].id);

    p = page(1, MODE_TEST, all[5].id, 3);
    assert_int_equal(p.previous, all[6].id); /* a short page before */
    assert_int_equal(page(3, MODE_TEST, 0, 3).count, 0);
}

static void a_cursor_is_a_position(void **state)
{
    struct opt_out_record all[4], gone;

    for (size_t i = 0; i < 4; i++)
        all[i] = add(1, MODE_TEST, numbers[i]);
    assert_int_equal(take_out(1, MODE_TEST, numbers[2], &gone), 1);
    struct opt_out_page p = page(1, MODE_TEST, all[2].id, 10);
    assert_int_equal(p.count, 2);
    same(&p.records[0], &all[1]);
    assert_int_equal(p.previous, all[3].id);
    assert_int_equal(p.total, 3);
    p = page(1, MODE_TEST, 1, 10);
    assert_int_equal(p.count, 0);
    assert_int_equal(p.previous, all[3].id);
}

struct told {
    size_t count, stop_after;
    int64_t accounts;
};

static bool tell(void *context, const struct opt_out_record *o)
{
    struct told *t = context;

    assert_true(str_eq(o->keyword, STR("ARRÊT")));
    t->accounts += o->account;
    return ++t->count < t->stop_after;
}

static void each_is_told_of_all_accounts(void **state)
{
    struct told all = {.stop_after = SIZE_MAX}, some = {.stop_after = 3};

    for (size_t i = 0; i < NUMBERS; i++)
        add((int64_t)i + 1, i % 2 ? MODE_LIVE : MODE_TEST, numbers[i]);
    assert_int_equal(store_opt_out_each(test_reader, tell, &all), 0);
    assert_int_equal(all.count, NUMBERS);
    assert_int_equal(all.accounts, NUMBERS * (NUMBERS + 1) / 2);
    assert_int_equal(store_opt_out_each(test_reader, tell, &some), 0);
    assert_int_equal(some.count, 3);
}

/* Numbers go on behind all that were given, whatever the clock says after a restart. */
static void ids_grow_across_a_restart(void **state)
{
    struct opt_out_record first = add(1, MODE_TEST, numbers[0]);

    test_close();
    test_now_us -= 3600000000;
    test_open();
    assert_true(add(1, MODE_TEST, numbers[1]).id > first.id);
    assert_true(test_accept(1, MODE_TEST, "also for messages").id > first.id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(add_and_get),
        STORE_TEST(one_of_the_api_has_no_keyword),
        STORE_TEST(adding_again_tells_what_is_there),
        STORE_TEST(adding_twice_in_one_transaction),
        STORE_TEST(remove_tells_what_was_there),
        STORE_TEST(pages_go_from_the_newest_to_the_oldest),
        STORE_TEST(a_cursor_is_a_position),
        STORE_TEST(each_is_told_of_all_accounts),
        STORE_TEST(ids_grow_across_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
