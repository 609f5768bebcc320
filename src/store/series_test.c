#include "store/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct series_table table;

static int set_up(void **state)
{
    series_init(&table);
    return 0;
}

static int tear_down(void **state)
{
    series_done(&table);
    return 0;
}

static struct message some_message(void)
{
    return (struct message){.account = 1,
                            .mode = MODE_LIVE,
                            .direction = DIRECTION_OUTBOUND,
                            .kind = KIND_SMS,
                            .type = TYPE_OTP,
                            .number_type = NUMBER_LOCAL,
                            .country = "GB",
                            .from = STR("+15550001111")};
}

/* Its number, made if it is new. */
static int64_t number_of(const struct message *m, size_t max, bool *ret_other)
{
    char room[SERIES_TAGS_SIZE];
    struct series_record r;

    series_of_message(&r, m, room);
    series_settle(&table, &r, max);
    r.id = series_find(&table, &r);
    if (r.id == 0) {
        r.id = series_next(&table, r.account, r.mode);
        assert_int_equal(series_put(&table, &r), 0);
        assert_int_equal(series_find(&table, &r), r.id);
    }
    if (ret_other)
        *ret_other = r.other_tags;
    return r.id;
}

static void check_tags(struct str given, struct str wanted)
{
    char room[SERIES_TAGS_SIZE];
    struct str sorted = series_tags(given, room);

    assert_non_null(sorted.p);
    assert_true(str_eq(sorted, wanted));
}

static void test_tags_are_a_set(void **state)
{
    static char many[SERIES_TAGS_SIZE + 1], room[SERIES_TAGS_SIZE];

    check_tags((struct str){0}, STR(""));
    check_tags(STR("one"), STR("one"));
    check_tags(STR("b\na"), STR("a\nb"));
    check_tags(STR("a\nb\na\nb"), STR("a\nb"));
    check_tags(STR("ab\na\nb"), STR("a\nab\nb"));
    check_tags(STR("\xc3\xa4\nz"), STR("z\n\xc3\xa4"));
    memset(many, 'x', sizeof many);
    assert_null(series_tags((struct str){many, sizeof many}, room).p);
    size_t n = 0;
    for (int i = 0; i <= SERIES_TAGS_COUNT; i++)
        n += (size_t)snprintf(many + n, sizeof many - n, "%s%d", i ? "\n" : "", i);
    assert_null(series_tags((struct str){many, n}, room).p);
}

static void test_what_tells_series_apart(void **state)
{
    struct message m = some_message(), others[10];

    for (size_t i = 0; i < 10; i++)
        others[i] = m;
    others[0].account = 2;
    others[1].mode = MODE_TEST;
    others[2].direction = DIRECTION_INBOUND;
    others[3].kind = KIND_MMS;
    others[4].type = TYPE_ALERT;
    others[5].number_type = NUMBER_ALPHANUMERIC;
    others[6].country[1] = 'A';
    others[7].from = STR("+15550001112");
    others[8].tags = STR("a");
    others[9].tags = STR("a\nb");
    int64_t first = number_of(&m, 9, NULL);
    assert_int_equal(first, 2);
    for (size_t i = 0; i < 10; i++) {
        int64_t number = number_of(&others[i], 9, NULL);
        /* Each owner counts for itself. */
        assert_int_equal(number, i < 2 ? 2 : 1 + (int64_t)i);
        assert_int_equal(number_of(&others[i], 9, NULL), number);
    }
    assert_int_equal(number_of(&m, 9, NULL), first);
    m.to = STR("+447700900123");
    m.text = STR("what it says does not matter");
    assert_int_equal(number_of(&m, 9, NULL), first);
    others[9].tags = STR("b\na");
    assert_int_equal(number_of(&others[9], 9, NULL), 10);
    others[2].from = STR("+491701234567"); /* nor who wrote to us */
    assert_int_equal(number_of(&others[2], 9, NULL), 3);
}

static void test_a_tag_of_a_set(void **state)
{
    struct series_record r = {.tags = STR("ab\nc")}, none = {.tags = STR("")};

    assert_true(series_has_tag(&r, STR("ab")));
    assert_true(series_has_tag(&r, STR("c")));
    assert_false(series_has_tag(&r, STR("a")));
    assert_false(series_has_tag(&r, STR("ab\nc")));
    assert_false(series_has_tag(&none, STR("")));
}

static struct str numbered(char out[16], int number)
{
    return (struct str){out, (size_t)snprintf(out, 16, "tag%d", number)};
}

static void test_further_sets_of_tags(void **state)
{
    struct message m = some_message();
    char tag[16];
    bool other;

    for (int i = 0; i < 5; i++) {
        m.tags = numbered(tag, i);
        number_of(&m, 3, &other);
        assert_int_equal(other, i >= 3);
    }
    /* Those that were there stay, in other series too; none is also one; others stay others, even
     * when there is room again. */
    m.country[0] = 'F';
    for (int i = 0; i < 5; i++) {
        m.tags = numbered(tag, i);
        number_of(&m, 99, &other);
        assert_int_equal(other, i >= 3);
    }
    m.tags = (struct str){0};
    number_of(&m, 3, &other);
    assert_false(other);
    m.account = 2;
    m.tags = STR("tag4");
    number_of(&m, 3, &other);
    assert_false(other);
}

static void test_many(void **state)
{
    struct message m = some_message();
    char sender[16];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5000; i++) {
            m.account = 1 + i % 3;
            m.from = numbered(sender, i);
            assert_int_equal(number_of(&m, 9, NULL), 2 + i / 3);
        }
        if (round == 1)
            series_clear(&table);
    }
    series_clear(&table);
    assert_int_equal(series_next(&table, 1, MODE_LIVE), 2);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_tags_are_a_set), TEST(test_what_tells_series_apart),
        TEST(test_a_tag_of_a_set), TEST(test_further_sets_of_tags),
        TEST(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
