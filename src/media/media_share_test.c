#include "media/media_share.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct media_shares shares;

static struct media_claim claim(int64_t account, enum mode mode, const char *url)
{
    struct message m = {.account = account, .mode = mode};

    return media_claim_of(&m, str_of(url));
}

/* How many more it gets. */
static size_t take_all(struct media_claim c)
{
    size_t n = 0;

    for (; media_shares_have_room(&shares, &c); n++)
        media_shares_take(&shares, &c);
    return n;
}

static void give(struct media_claim c, size_t count)
{
    while (count-- > 0)
        media_shares_give(&shares, &c);
}

static int set_up(void **state)
{
    media_shares_init(&shares, 64);
    return 0;
}

static void a_host_has_a_third(void **state)
{
    struct media_claim c = claim(1, MODE_LIVE, "https://a.example/x");

    assert_int_equal(take_all(c), 22);
    give(c, 1);
    assert_int_equal(take_all(c), 1);
}

static void a_host_is_one_in_any_case(void **state)
{
    assert_int_equal(take_all(claim(1, MODE_LIVE, "https://a.example/x")), 22);
    assert_int_equal(take_all(claim(1, MODE_LIVE, "https://A.Example:444/y")), 0);
    assert_int_equal(take_all(claim(2, MODE_LIVE, "https://u@a.EXAMPLE./z")), 0);
}

static void an_account_has_half(void **state)
{
    char url[64];
    size_t taken = 0;

    for (unsigned i = 0; i < 100; i++) {
        str_format(url, sizeof url, "https://h%u.example/", i);
        taken += take_all(claim(1, MODE_LIVE, url));
    }
    assert_int_equal(taken, 32);
    assert_int_equal(take_all(claim(2, MODE_LIVE, "https://other.example/")), 11);
}

/* What many have is never so much that a few more could not have some. */
static void several_accounts_leave_some(void **state)
{
    char url[64];

    for (int64_t account = 1; account <= 4; account++)
        for (unsigned i = 0; i < 10; i++) {
            str_format(url, sizeof url, "https://h%u.a%d.example/", i, (int)account);
            take_all(claim(account, MODE_LIVE, url));
        }
    assert_true(shares.taken <= 60);
    assert_true(take_all(claim(5, MODE_LIVE, "https://last.example/")) > 0);
}

static void a_share_shrinks_when_others_come(void **state)
{
    struct media_claim first = claim(1, MODE_LIVE, "https://a.example/"),
                       second = claim(2, MODE_LIVE, "https://b.example/");

    take_all(first);
    take_all(second);
    give(first, 1);
    assert_false(media_shares_have_room(&shares, &first));
    assert_true(media_shares_have_room(&shares, &second));
}

static void tests_have_a_quarter(void **state)
{
    char url[64];
    size_t taken = 0;

    for (int64_t account = 1; account <= 20; account++) {
        str_format(url, sizeof url, "https://h%d.example/", (int)account);
        taken += take_all(claim(account, MODE_TEST, url));
    }
    assert_int_equal(taken, 16);
    assert_true(media_shares_have_room(&shares, &(struct media_claim){.account = 30, .host = 30}));
}

/* However little there is, somebody gets it. */
static void the_least(void **state)
{
    for (int mode = MODE_TEST; mode <= MODE_LIVE; mode++) {
        media_shares_init(&shares, 1);
        assert_int_equal(take_all(claim(1, (enum mode)mode, "https://a.example/")), 1);
        assert_int_equal(take_all(claim(2, (enum mode)mode, "https://b.example/")), 0);
    }
    media_shares_init(&shares, 2);
    assert_int_equal(take_all(claim(1, MODE_LIVE, "https://a.example/")), 1);
    assert_int_equal(take_all(claim(2, MODE_LIVE, "https://b.example/")), 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, set_up)
    const struct CMUnitTest tests[] = {
        TEST(a_host_has_a_third),
        TEST(a_host_is_one_in_any_case),
        TEST(an_account_has_half),
        TEST(several_accounts_leave_some),
        TEST(a_share_shrinks_when_others_come),
        TEST(tests_have_a_quarter),
        TEST(the_least),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
