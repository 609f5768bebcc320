/* The contract of store.h about the operator's prices. */
#include "store/test_fixture.h"

static struct price_record told[8];
static size_t told_count;

static bool note(void *context, const struct price_record *p)
{
    told[told_count++] = *p;
    return !context || told_count < *(size_t *)context;
}

static size_t list(size_t most)
{
    told_count = 0;
    assert_int_equal(store_price_each(test_reader, note, &most), 0);
    return told_count;
}

static void put(struct price_record p)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_price_put(test_store, &p), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static void same(const struct price_record *read, const struct price_record *wanted)
{
    assert_string_equal(read->prefix, wanted->prefix);
    assert_string_equal(read->country, wanted->country);
    assert_int_equal(read->kind, wanted->kind);
    assert_int_equal(read->from_us, wanted->from_us);
    assert_int_equal(read->micros, wanted->micros);
}

static void test_put_and_tell(void **state)
{
    struct price_record one = {.prefix = "4477", .kind = KIND_SMS, .from_us = 5, .micros = 45000};
    struct price_record two = {.country = "DE", .kind = KIND_MMS, .from_us = 6, .micros = 1};

    assert_int_equal(list(8), 0);
    put(one);
    put(two);
    assert_int_equal(list(8), 2);
    same(&told[0], &one);
    same(&told[1], &two);
    assert_int_equal(list(1), 1);
}

static void test_the_same_is_replaced(void **state)
{
    struct price_record p = {.prefix = "1", .kind = KIND_SMS, .from_us = 5, .micros = 10};

    put(p);
    p.micros = 11;
    put(p);
    assert_int_equal(list(8), 1);
    assert_int_equal(told[0].micros, 11);
    p.from_us = 6;
    put(p);
    p.kind = KIND_MMS;
    put(p);
    assert_int_equal(list(8), 3);
}

static void test_clear(void **state)
{
    put((struct price_record){.kind = KIND_SMS, .micros = 10});
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_price_clear(test_store), 0);
    store_rollback(test_store);
    assert_int_equal(list(8), 1);
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_price_clear(test_store), 0);
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(list(8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(test_put_and_tell),
        STORE_TEST(test_the_same_is_replaced),
        STORE_TEST(test_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
