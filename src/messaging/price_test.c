#include "messaging/price.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NOW = 1000 };

static struct message message_to(const char *to, enum message_kind kind, unsigned segments)
{
    struct message m = {.mode = MODE_LIVE, .kind = kind, .to = str_of(to), .segments = segments};
    struct number_place place;

    number_place(m.to, &place);
    m.calling_code = place.calling_code;
    memcpy(m.country, place.country, sizeof m.country);
    return m;
}

static int64_t sms(const struct price_list *list, const char *to, unsigned segments)
{
    struct message m = message_to(to, KIND_SMS, segments);
    return price_message(list, &m);
}

static int64_t mms(const struct price_list *list, const char *to)
{
    struct message m = message_to(to, KIND_MMS, 4);
    return price_message(list, &m);
}

static struct price_list *made(const struct price_record *records, size_t count)
{
    struct price_list *list = NULL;

    assert_int_equal(price_list_make(&list, records, count, NOW), 0);
    return list;
}
#define MADE(records) made(records, sizeof(records) / sizeof *(records))

static void builtin_prices(void **state)
{
    const struct price_list *list = &price_list_builtin;

    assert_int_equal(sms(list, "+15551234567", 1), 7500);
    assert_int_equal(sms(list, "+15551234567", 3), 22500);
    assert_int_equal(sms(list, "+447700900123", 1), 45000);
    assert_int_equal(sms(list, "+4915112345678", 2), 160000);
    assert_int_equal(mms(list, "+447700900123"), 20000);
}

static void test_messages_are_free(void **state)
{
    struct message m = message_to("+15551234567", KIND_SMS, 2);

    m.mode = MODE_TEST;
    assert_int_equal(price_message(&price_list_builtin, &m), 0);
    m.kind = KIND_MMS;
    assert_int_equal(price_message(&price_list_builtin, &m), 0);
}

static void longest_prefix_wins(void **state)
{
    const struct price_record records[] = {
        {"4477", "", KIND_SMS, 0, 3}, {"", "", KIND_SMS, 0, 9},
        {"44", "", KIND_SMS, 0, 1},   {"447700900123", "", KIND_SMS, 0, 4},
        {"4478", "", KIND_SMS, 0, 5}, {"", "", KIND_MMS, 0, 7},
    };
    struct price_list *list = MADE(records);

    assert_int_equal(sms(list, "+447700900123", 1), 4);
    assert_int_equal(sms(list, "+4477009001234", 1), 4);
    assert_int_equal(sms(list, "+447700900124", 1), 3);
    assert_int_equal(sms(list, "+447900900124", 1), 1);
    assert_int_equal(sms(list, "+447800900124", 1), 5);
    assert_int_equal(sms(list, "+123456789012345", 1), 9);
    assert_int_equal(mms(list, "+15551234567"), 7);
    price_list_free(list);
}

static void country_lies_between_calling_code_and_longer_prefixes(void **state)
{
    const struct price_record records[] = {
        {"1", "", KIND_SMS, 0, 10},   {"", "CA", KIND_SMS, 0, 20}, {"1416", "", KIND_SMS, 0, 30},
        {"", "GB", KIND_SMS, 0, 40},  {"", "", KIND_SMS, 0, 50},   {"", "DE", KIND_MMS, 0, 60},
        {"1604", "", KIND_MMS, 0, 70}};
    struct price_list *list = MADE(records);

    assert_int_equal(sms(list, "+12125550123", 1), 10);  /* New York */
    assert_int_equal(sms(list, "+16045550123", 1), 20);  /* Vancouver */
    assert_int_equal(sms(list, "+14165550123", 1), 30);  /* Toronto */
    assert_int_equal(sms(list, "+447700900123", 2), 80); /* no prefix of its own but "" */
    assert_int_equal(sms(list, "+4915112345678", 1), 50);
    assert_int_equal(mms(list, "+4915112345678"), 60);
    assert_int_equal(mms(list, "+16045550123"), 70);
    assert_int_equal(mms(list, "+447700900123"), 20000); /* not in the list: the built-in one */
    price_list_free(list);
}

static void tells_where_a_price_comes_from(void **state)
{
    const struct price_record records[] = {{"4477", "", KIND_SMS, 0, 3},
                                           {"", "DE", KIND_SMS, 0, 4}};
    struct price_list *list = MADE(records);
    struct number_place place;

    number_place(STR("+447700900123"), &place);
    struct price p = price_find(list, KIND_SMS, STR("+447700900123"), &place);
    assert_int_equal(p.source, PRICE_OF_PREFIX);
    assert_string_equal(p.prefix, "4477");
    p = price_find(list, KIND_SMS, STR("+447800900123"), &place);
    assert_int_equal(p.source, PRICE_BUILT_IN);
    assert_string_equal(p.prefix, "44");
    assert_int_equal(p.micros, 45000);
    number_place(STR("+4915112345678"), &place);
    p = price_find(list, KIND_SMS, STR("+4915112345678"), &place);
    assert_int_equal(p.source, PRICE_OF_COUNTRY);
    price_list_free(list);
}

static void newest_of_the_valid_ones_holds(void **state)
{
    const struct price_record records[] = {
        {"44", "", KIND_SMS, NOW + 1, 99}, {"44", "", KIND_SMS, 10, 1},
        {"44", "", KIND_SMS, NOW, 2},      {"44", "", KIND_SMS, 20, 3},
        {"1", "", KIND_SMS, 5000, 4},      {"", "DE", KIND_MMS, 3000, 5},
        {"", "DE", KIND_MMS, -5, 6},
    };
    struct price_list *list = MADE(records), *later;

    assert_int_equal(sms(list, "+447700900123", 1), 2);
    assert_int_equal(sms(list, "+15551234567", 1), 7500); /* not yet: as if it were not there */
    assert_int_equal(mms(list, "+4915112345678"), 6);
    assert_int_equal(list->next_change_us, NOW + 1);
    assert_int_equal(price_list_make(&later, records, 7, NOW + 1), 0);
    assert_int_equal(sms(later, "+447700900123", 1), 99);
    assert_int_equal(later->next_change_us, 3000);
    price_list_free(later);
    assert_int_equal(price_list_make(&later, records, 7, 5000), 0);
    assert_int_equal(sms(later, "+15551234567", 1), 4);
    assert_int_equal(later->next_change_us, 0);
    price_list_free(later);
    price_list_free(list);
}

static void nothing_in_it_is_the_builtin_list(void **state)
{
    struct price_list *list = made(NULL, 0);

    assert_int_equal(sms(list, "+447700900123", 1), 45000);
    assert_int_equal(list->next_change_us, 0);
    price_list_free(list);
}

static void greatest_price_of_the_most_segments_is_a_number(void **state)
{
    const struct price_record records[] = {{"", "", KIND_SMS, 0, PRICE_MICROS_MAX}};
    struct price_list *list = MADE(records);

    assert_int_equal(sms(list, "+447700900123", UINT32_MAX), PRICE_MICROS_MAX * UINT32_MAX);
    assert_true(sms(list, "+447700900123", UINT32_MAX) > 0);
    price_list_free(list);
}

static void bad_records_are_refused(void **state)
{
    const struct price_record bad[] = {
        {"4a", "", KIND_SMS, 0, 1},
        {"", "", KIND_SMS, 0, -1},
        {"", "gb", KIND_SMS, 0, 1},
        {"", "G", KIND_SMS, 0, 1},
        {"44", "GB", KIND_SMS, 0, 1},
        {"", "", 0, 0, 1},
        {"", "", KIND_SMS, 0, PRICE_MICROS_MAX + 1},
    };
    struct price_list *list;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(price_list_make(&list, &bad[i], 1, NOW), -EINVAL);
}

/* What price_find finds by rows that know shorter ones, found by trying every row. */
static int64_t tried_one_by_one(const struct price_record *records, size_t count,
                                const char *digits)
{
    size_t best_length = 0;
    int64_t best = -1;

    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(records[i].prefix);
        if (strncmp(records[i].prefix, digits, n) == 0 && (best < 0 || n > best_length)) {
            best_length = n;
            best = records[i].micros;
        }
    }
    return best;
}

static unsigned any(unsigned *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

static void random_digits(unsigned *seed, size_t n, char *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (char)('1' + any(seed) % 3);
    out[n] = '\0';
}

static void as_if_tried_one_by_one(void **state)
{
    struct price_record records[400];
    unsigned seed = 7;
    size_t count = 0;

    while (count < 400) {
        struct price_record *r = &records[count];
        *r = (struct price_record){.kind = KIND_SMS, .micros = (int64_t)count};
        random_digits(&seed, any(&seed) % 8, r->prefix);
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known |= strcmp(records[i].prefix, r->prefix) == 0;
        count += !known;
    }
    struct price_list *list = made(records, count);
    for (int i = 0; i < 20000; i++) {
        char to[17] = "+";
        random_digits(&seed, 7 + any(&seed) % 9, to + 1);
        int64_t want = tried_one_by_one(records, count, to + 1);
        struct price p = price_find(list, KIND_SMS, str_of(to), &(struct number_place){0});
        assert_int_equal(p.source == PRICE_BUILT_IN ? -1 : p.micros, want);
    }
    price_list_free(list);
}

static void what_no_carrier_saw_costs_nothing(void **state)
{
    struct message m = {.status = STATUS_QUEUED, .cost_micros = 7500};

    assert_int_equal(message_cost_micros(&m), 7500);
    m.status = STATUS_CANCELLED;
    assert_int_equal(message_cost_micros(&m), 0);
    m.status = STATUS_FAILED;
    m.failure = FAILURE_CARRIER_REJECTED;
    assert_int_equal(message_cost_micros(&m), 7500);
    m.failure = FAILURE_RECIPIENT_OPTED_OUT;
    assert_int_equal(message_cost_micros(&m), 0);
    m.failure = FAILURE_VALIDITY_EXPIRED;
    assert_int_equal(message_cost_micros(&m), 0);
    m.sent_us = 1;
    assert_int_equal(message_cost_micros(&m), 7500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtin_prices),
        cmocka_unit_test(test_messages_are_free),
        cmocka_unit_test(longest_prefix_wins),
        cmocka_unit_test(country_lies_between_calling_code_and_longer_prefixes),
        cmocka_unit_test(tells_where_a_price_comes_from),
        cmocka_unit_test(newest_of_the_valid_ones_holds),
        cmocka_unit_test(nothing_in_it_is_the_builtin_list),
        cmocka_unit_test(greatest_price_of_the_most_segments_is_a_number),
        cmocka_unit_test(bad_records_are_refused),
        cmocka_unit_test(as_if_tried_one_by_one),
        cmocka_unit_test(what_no_carrier_saw_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
