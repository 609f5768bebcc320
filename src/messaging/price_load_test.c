#include "messaging/price.h"

#include "store/test_fixture.h"

#include <stdlib.h>

static void put(const struct price_record *p)
{
    assert_int_equal(store_begin(test_store), 0);
    assert_int_equal(store_price_put(test_store, p), 0);
    assert_int_equal(store_commit(test_store), 0);
}

static int64_t price_of(int64_t now_us)
{
    struct number_place place;
    struct price_list *list;

    assert_int_equal(price_list_load(&list, test_reader, now_us), 0);
    number_place(STR("+447700900123"), &place);
    int64_t micros = price_find(list, KIND_SMS, STR("+447700900123"), &place).micros;
    price_list_free(list);
    return micros;
}

static void what_is_stored_holds_from_its_time_on(void **state)
{
    assert_int_equal(price_of(10), 45000); /* the built-in one */
    put(&(struct price_record){"44", "", KIND_SMS, 5, 100});
    put(&(struct price_record){"44", "", KIND_SMS, 20, 200});
    assert_int_equal(price_of(4), 45000);
    assert_int_equal(price_of(10), 100);
    assert_int_equal(price_of(20), 200);
}

static void many_are_read(void **state)
{
    struct price_record p = {.kind = KIND_SMS, .micros = 7}, *records;
    size_t count = 0;

    assert_int_equal(store_begin(test_store), 0);
    for (int i = 0; i < 1000; i++) {
        str_format(p.prefix, sizeof p.prefix, "44%d", i);
        assert_int_equal(store_price_put(test_store, &p), 0);
    }
    assert_int_equal(store_commit(test_store), 0);
    assert_int_equal(price_records_load(&records, &count, test_reader), 0);
    assert_int_equal(count, 1000);
    free(records);
    assert_int_equal(price_of(1), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(what_is_stored_holds_from_its_time_on),
        STORE_TEST(many_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
