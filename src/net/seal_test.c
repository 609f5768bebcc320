#include "net/seal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct arena arena;
static uint8_t key[SEAL_KEY_SIZE], other[SEAL_KEY_SIZE];

static int set_up(void **state)
{
    arena_init(&arena, 1 << 20);
    seal_key(STR("0123456789abcdef"), STR("word"), key);
    seal_key(STR("0123456789abcdef"), STR("Word"), other);
    return 0;
}

static int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

static void what_was_sealed_can_be_opened(void **state)
{
    static const struct str texts[] = {{"", 0}, {"x", 1}, {"{\"key\":\"sl_test_…\"}", 19}};
    struct str sealed, again, opened;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(seal_close(key, texts[i], &arena, &sealed), 0);
        assert_int_equal(sealed.n, texts[i].n + SEAL_EXTRA);
        assert_int_equal(seal_open(key, sealed, &arena, &opened), 0);
        assert_true(str_eq(opened, texts[i]));
        assert_int_equal(seal_close(key, texts[i], &arena, &again), 0);
        assert_false(str_eq(sealed, again));
    }
    assert_null(memmem(sealed.p, sealed.n, "sl_test_", 8));
}

static void another_word_opens_nothing(void **state)
{
    struct str sealed, opened;

    assert_memory_not_equal(key, other, SEAL_KEY_SIZE);
    assert_int_equal(seal_close(key, STR("secret"), &arena, &sealed), 0);
    assert_int_equal(seal_open(other, sealed, &arena, &opened), -EBADMSG);
}

static void a_changed_text_does_not_open(void **state)
{
    struct str sealed, opened;

    assert_int_equal(seal_close(key, STR("secret"), &arena, &sealed), 0);
    for (size_t i = 0; i < sealed.n; i++) {
        ((char *)sealed.p)[i] ^= 1;
        assert_int_equal(seal_open(key, sealed, &arena, &opened), -EBADMSG);
        ((char *)sealed.p)[i] ^= 1;
    }
    for (size_t n = 0; n < sealed.n; n++)
        assert_int_equal(seal_open(key, (struct str){sealed.p, n}, &arena, &opened), -EBADMSG);
    assert_int_equal(seal_open(key, sealed, &arena, &opened), 0);
}

static void memory_has_an_end(void **state)
{
    struct arena small;
    struct str sealed;

    arena_init(&small, 8);
    assert_int_equal(seal_close(key, STR("secret"), &small, &sealed), -ENOMEM);
    arena_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_sealed_can_be_opened, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_word_opens_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_text_does_not_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_has_an_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
