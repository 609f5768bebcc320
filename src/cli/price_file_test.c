#include "cli/price_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct arena memory;
static struct price_file file;

static int setup(void **state)
{
    arena_init(&memory, 1 << 20);
    file = (struct price_file){.records = NULL};
    return 0;
}

static int teardown(void **state)
{
    price_file_done(&file);
    arena_done(&memory);
    return 0;
}

static void read_text(const char *text)
{
    teardown(NULL);
    setup(NULL);
    price_file_read(&file, "p.csv", str_of(text), &memory);
}

static void expect(size_t at, const char *prefix, const char *country, enum message_kind kind,
                   int64_t from_us, int64_t micros)
{
    const struct price_record *p = &file.records[at];

    assert_true(at < file.count);
    assert_string_equal(p->prefix, prefix);
    assert_string_equal(p->country, country);
    assert_int_equal(p->kind, kind);
    assert_int_equal(p->from_us, from_us);
    assert_int_equal(p->micros, micros);
}

static void read_good(const char *text, size_t count)
{
    read_text(text);
    if (file.fault_count)
        fail_msg("%.*s", STR_FMT(buf_str(&file.faults)));
    assert_int_equal(file.count, count);
}

/* The file has these faults, line by line. */
static void read_bad(const char *text, const char *faults)
{
    char found[8192];

    read_text(text);
    snprintf(found, sizeof found, "%.*s", STR_FMT(buf_str(&file.faults)));
    assert_string_equal(found, faults);
    assert_true(file.fault_count > 0);
}

#define NEEDED                                                                                     \
    ": needed are 'prefix' or 'country', and 'price'; there may be 'currency', 'valid_from' and "  \
    "'type'\n"

static void prefixes_and_countries(void **state)
{
    read_good("prefix,country,price\n+44,,0.045\n1416,,0.01\n,ca,1\n*,,0.08\n", 4);
    expect(0, "", "", KIND_SMS, 0, 80000);
    expect(1, "", "CA", KIND_SMS, 0, 1000000);
    expect(2, "1416", "", KIND_SMS, 0, 10000);
    expect(3, "44", "", KIND_SMS, 0, 45000);
}

static void every_column(void **state)
{
    read_good("Type,Valid From,CURRENCY,Rate,Country\n"
              "MMS,2027-01-31,usd,0.000001,DE\n"
              "sms,2027-01-31T08:00:00+01:00,USD,1000,DE\n"
              ",,,0,DE\n",
              3);
    expect(0, "", "DE", KIND_SMS, 0, 0);
    expect(1, "", "DE", KIND_SMS, INT64_C(1801378800000000), 1000000000);
    expect(2, "", "DE", KIND_MMS, INT64_C(1801353600000000), 1);
}

static void decimal_comma_where_it_separates_nothing(void **state)
{
    read_good("\xef\xbb\xbfprefix;price\r\n44;0,045\r\n1;\"0,0075\"\r\n", 2);
    expect(0, "1", "", KIND_SMS, 0, 7500);
    expect(1, "44", "", KIND_SMS, 0, 45000);
    read_bad("prefix,price\n44,0,045\n1,\"0,0075\"\n",
             "p.csv:2: the line has 3 fields, and there are 2 columns\n"
             "p.csv:3: '0,0075' is no price; write US dollars such as 0.0075, with at most 6 "
             "decimals\n");
}

static void other_columns_are_passed_over(void **state)
{
    read_good("prefix,note,price,date,name\n44,x,1,y,z\n", 1);
    assert_memory_equal(file.ignored.p, "note, date, name", 16);
    read_bad("prefix,price,valid_form\n44,1,2027-01-01\n",
             "p.csv:1: there is no column 'valid_form'; did you mean 'valid_from'?\n");
}

static void titles_that_are_needed(void **state)
{
    read_bad("", "p.csv:1: the file is empty" NEEDED);
    read_bad("country,iso2,price_usd_per_sms\nMorocco,MA,0.035\n",
             "p.csv:1: there is no column 'price' but iso2, price_usd_per_sms" NEEDED);
    read_bad("iso2,amount\nMA,0.035\n",
             "p.csv:1: there is no column 'prefix' or 'country' but iso2, amount" NEEDED
             "p.csv:1: there is no column 'price' but iso2, amount" NEEDED);
    read_bad("prefix,prefix,price\n", "p.csv:1: there are two columns for the prefix\n");
    read_bad("prefix,price,rate\n", "p.csv:1: there are two columns for the rate\n");
    read_bad("prefix,price\n\n", "p.csv:1: there is no price below the titles\n");
    read_bad("\xff\xfep\0", "p.csv:1: the file is UTF-16; save it as CSV in UTF-8\n");
}

static void every_fault_is_named_with_its_line(void **state)
{
    read_bad("prefix,country,price,currency,valid_from,type\n"
             ",,1,,,\n"
             "44,GB,1,,,\n"
             "044,,x,EUR,31.1.2027,fax\n"
             ",Morocco,,,,\n"
             ",UK,0.0000001,,2027-02-30,\n"
             ",XX,-1,,,\n"
             "1234567890123456,,1000.000001,,,\n",
             "p.csv:2: the line names no prefix and no country; * is the prefix for all others\n"
             "p.csv:3: the line has a prefix and a country; leave one of them empty\n"
             "p.csv:4: '044' is no prefix; write a calling code and what follows it, such as 44 or "
             "+1416, or * for all others\n"
             "p.csv:4: 'x' is no price; write US dollars such as 0.0075, with at most 6 decimals\n"
             "p.csv:4: the currency is 'EUR'; prices are in USD\n"
             "p.csv:4: '31.1.2027' is no time; write a date such as 2027-01-31, or "
             "2027-01-31T08:00:00Z\n"
             "p.csv:4: the type is 'fax'; there are sms and mms\n"
             "p.csv:5: 'Morocco' is no country; write two letters of ISO 3166, such as US\n"
             "p.csv:5: the line has no price\n"
             "p.csv:6: 'UK' is no country; write two letters of ISO 3166, such as GB\n"
             "p.csv:6: '0.0000001' is no price; write US dollars such as 0.0075, with at most 6 "
             "decimals\n"
             "p.csv:6: '2027-02-30' is no time; write a date such as 2027-01-31, or "
             "2027-01-31T08:00:00Z\n"
             "p.csv:7: 'XX' is no country; write two letters of ISO 3166, such as US\n"
             "p.csv:7: '-1' is no price; write US dollars such as 0.0075, with at most 6 decimals\n"
             "p.csv:8: '1234567890123456' is no prefix; write a calling code and what follows it, "
             "such as 44 or +1416, or * for all others\n"
             "p.csv:8: the price 1000.000001 is beyond 1000 dollars\n");
    read_bad("prefix,price\n44,1\n1,2\n+44,3\n",
             "p.csv:4: line 2 has a price for the same already\n");
    read_bad("prefix,price\n44,1\n\"1,2\n", "p.csv:3: a quote begins here and does not end\n");
}

static void same_thing_at_other_times_is_no_fault(void **state)
{
    read_good("prefix,price,valid_from,type\n44,1,,\n44,2,2027-01-01,\n44,3,,mms\n", 3);
}

static void many_faults_are_counted(void **state)
{
    struct buf text BUF_CLEANUP;

    buf_init(&text, 2048);
    buf_text(&text, "prefix,price\n");
    for (int i = 0; i < 100; i++)
        buf_text(&text, "x,1\n");
    buf_add_char(&text, '\0');
    read_text(text.p);
    assert_int_equal(file.fault_count, 100);
    size_t shown = 0;
    for (size_t i = 0; i < file.faults.n; i++)
        shown += file.faults.p[i] == '\n';
    assert_int_equal(shown, PRICE_FAULTS_SHOWN);
}

static void terminals_are_safe(void **state)
{
    read_text("prefix,price\n\033[31m,\033]0;x\007\n");
    assert_int_equal(file.fault_count, 2);
    assert_null(memchr(file.faults.p, '\033', file.faults.n));
}

#define PRICE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PRICE_TEST(prefixes_and_countries),
        PRICE_TEST(every_column),
        PRICE_TEST(decimal_comma_where_it_separates_nothing),
        PRICE_TEST(other_columns_are_passed_over),
        PRICE_TEST(titles_that_are_needed),
        PRICE_TEST(every_fault_is_named_with_its_line),
        PRICE_TEST(same_thing_at_other_times_is_no_fault),
        PRICE_TEST(many_faults_are_counted),
        PRICE_TEST(terminals_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
