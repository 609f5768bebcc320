#include "messaging/optout.h"

#include "store/test_store.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include <cmocka.h>

static const uint8_t secret[16] = "fifteen letters";

struct number {
    char text[24];
};

static struct str number(struct number *n, unsigned i)
{
    int length = snprintf(n->text, sizeof n->text, "+1555%07u", i);
    return (struct str){n->text, (size_t)length};
}

static bool has(struct optouts *o, unsigned i)
{
    struct number n;
    return optouts_has(o, 1, MODE_TEST, number(&n, i));
}

static void add(struct optouts *o, unsigned i)
{
    struct number n;
    assert_int_equal(optouts_add(o, 1, MODE_TEST, number(&n, i)), 0);
}

static void take_out(struct optouts *o, unsigned i)
{
    struct number n;
    optouts_remove(o, 1, MODE_TEST, number(&n, i));
}

static void accounts_and_modes_are_apart(void **state)
{
    struct optouts *o = optouts_new(secret);

    assert_false(optouts_has(o, 1, MODE_TEST, STR("+15551234567")));
    assert_int_equal(optouts_add(o, 1, MODE_LIVE, STR("+15551234567")), 0);
    assert_true(optouts_has(o, 1, MODE_LIVE, STR("+15551234567")));
    assert_false(optouts_has(o, 1, MODE_TEST, STR("+15551234567")));
    assert_false(optouts_has(o, 2, MODE_LIVE, STR("+15551234567")));
    assert_false(optouts_has(o, 1, MODE_LIVE, STR("+1555123456")));
    assert_false(optouts_has(o, 1, MODE_LIVE, STR("+155512345678")));
    assert_false(optouts_has(o, 1, MODE_LIVE, STR("")));
    optouts_free(o);
}

static void adding_and_removing_again_is_no_mistake(void **state)
{
    struct optouts *o = optouts_new(secret);

    take_out(o, 1);
    add(o, 1);
    add(o, 1);
    add(o, 2);
    take_out(o, 1);
    assert_false(has(o, 1));
    assert_true(has(o, 2));
    take_out(o, 1);
    take_out(o, 2);
    assert_false(has(o, 2));
    add(o, 2);
    assert_true(has(o, 2));
    assert_false(has(o, 1));
    optouts_free(o);
}

static void many_are_kept_and_no_others(void **state)
{
    enum { MANY = 100000 };
    struct optouts *o = optouts_new(secret);

    for (unsigned i = 0; i < MANY; i++)
        add(o, 2 * i);
    for (unsigned i = 0; i < MANY; i++) {
        assert_true(has(o, 2 * i));
        assert_false(has(o, 2 * i + 1));
    }
    optouts_free(o);
}

/* Beside a plain list of what should be there; the walk is the same every time. */
static void it_is_what_a_list_would_be(void **state)
{
    enum { NUMBERS = 3000 };
    static bool wanted[NUMBERS];
    struct optouts *o = optouts_new(secret);
    uint32_t step = 1;

    for (int turn = 0; turn < 200000; turn++) {
        step = step * 1664525 + 1013904223;
        unsigned i = (step >> 8) % NUMBERS;
        bool out = (step >> 20) % 4 == 0 && turn % 20000 < 15000; /* seasons of adding */
        if (out == wanted[i])
            continue;
        if (out)
            add(o, i);
        else
            take_out(o, i);
        wanted[i] = out;
        assert_int_equal(has(o, i), out);
    }
    for (unsigned i = 0; i < NUMBERS; i++)
        assert_int_equal(has(o, i), wanted[i]);
    for (unsigned i = 0; i < NUMBERS; i++)
        take_out(o, i);
    for (unsigned i = 0; i < NUMBERS; i++)
        assert_false(has(o, i));
    optouts_free(o);
}

static void all_of_the_store_is_loaded(void **state)
{
    struct store *store = test_store_open(&clock_real);
    struct optouts *o = optouts_new(store_secret(store));
    struct store_reader *reader;
    struct arena arena;
    struct number n;

    arena_init(&arena, 1 << 20);
    assert_int_equal(store_begin(store), 0);
    for (unsigned i = 0; i < 3000; i++) {
        struct opt_out_record r = {.account = 1 + i % 3,
                                   .mode = i % 2 ? MODE_LIVE : MODE_TEST,
                                   .number = number(&n, i),
                                   .source = OPT_OUT_BY_API};
        assert_int_equal(store_opt_out_add(store, &arena, &r), 1);
    }
    assert_int_equal(store_commit(store), 0);
    assert_int_equal(store_reader_open(store, &reader), 0);
    assert_int_equal(optouts_load(o, reader), 0);
    for (unsigned i = 0; i < 3000; i++) {
        enum mode mode = i % 2 ? MODE_LIVE : MODE_TEST;
        assert_true(optouts_has(o, 1 + i % 3, mode, number(&n, i)));
        assert_false(optouts_has(o, 1 + i % 3, !mode, number(&n, i)));
        assert_false(optouts_has(o, 1 + (i + 1) % 3, mode, number(&n, i)));
    }
    arena_done(&arena);
    store_reader_close(reader);
    optouts_free(o);
    test_store_close(store);
}

/* ---- threads ---- */

enum { READERS = 3, STAYING = 100, PASSING = 5000 };

static atomic_bool over;
static atomic_uint wrong, asked;

static void *keep_asking(void *optouts)
{
    while (!atomic_load(&over)) {
        for (unsigned i = 0; i < STAYING; i++) {
            if (!has(optouts, i))
                atomic_fetch_add(&wrong, 1);
            if (has(optouts, 900000 + i)) /* never added */
                atomic_fetch_add(&wrong, 1);
        }
        atomic_fetch_add(&asked, 1);
    }
    return NULL;
}

/* Those that stay are found at every moment, while the table grows, is written anew and changes. */
static void readers_see_what_stays(void **state)
{
    struct optouts *o = optouts_new(secret);
    pthread_t threads[READERS];

    for (unsigned i = 0; i < STAYING; i++)
        add(o, i);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_asking, o), 0);
    for (unsigned round = 0; round < 10 || atomic_load(&asked) < 10; round++) {
        for (unsigned i = 0; i < PASSING; i++)
            add(o, 1000 + round * 7 + i);
        for (unsigned i = 0; i < PASSING; i++)
            take_out(o, 1000 + round * 7 + i);
    }
    atomic_store(&over, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    optouts_free(o);
}

static atomic_uint said;

static void *wait_for_it(void *optouts)
{
    unsigned seen = 0;

    while (!atomic_load(&over)) {
        unsigned told = atomic_load(&said);
        if (told > seen && !has(optouts, told)) /* what was added before I asked is there */
            atomic_fetch_add(&wrong, 1);
        seen = told;
        atomic_fetch_add(&asked, 1);
    }
    return NULL;
}

static void what_was_added_is_seen_from_then_on(void **state)
{
    struct optouts *o = optouts_new(secret);
    pthread_t threads[READERS];

    atomic_store(&over, false);
    atomic_store(&asked, 0);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_it, o), 0);
    for (unsigned i = 1; i < 20000 || atomic_load(&asked) < 1000; i++) {
        add(o, i);
        atomic_store(&said, i);
    }
    atomic_store(&over, true);
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    optouts_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accounts_and_modes_are_apart),
        cmocka_unit_test(adding_and_removing_again_is_no_mistake),
        cmocka_unit_test(many_are_kept_and_no_others),
        cmocka_unit_test(it_is_what_a_list_would_be),
        cmocka_unit_test(all_of_the_store_is_loaded),
        cmocka_unit_test(readers_see_what_stays),
        cmocka_unit_test(what_was_added_is_seen_from_then_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
