#include "messaging/key.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void made_keys_have_the_form(void **state)
{
    char a[KEY_CHARS + 1], b[KEY_CHARS + 1], four[5];
    enum mode mode;

    key_make(MODE_TEST, a);
    assert_int_equal(strlen(a), KEY_CHARS);
    assert_true(str_starts(str_of(a), STR("sl_test_")));
    assert_true(key_parse(str_of(a), &mode) && mode == MODE_TEST);
    key_make(MODE_TEST, b);
    assert_string_not_equal(a, b);
    key_make(MODE_LIVE, b);
    assert_true(key_parse(str_of(b), &mode) && mode == MODE_LIVE);
    key_last_four(str_of(b), four);
    assert_string_equal(four, b + KEY_CHARS - 4);
}

static void other_forms_are_refused(void **state)
{
    enum mode mode;

    assert_false(key_parse(STR(""), &mode));
    assert_false(key_parse(STR("sl_test_"), &mode));
    assert_false(key_parse(STR("sl_test_0123456789abcdef0123456789abcde"), &mode));
    assert_true(key_parse(STR("sl_test_0123456789abcdef0123456789abcdef"), &mode));
    assert_false(key_parse(STR("sl_test_0123456789abcdef0123456789abcdef0"), &mode));
    assert_false(key_parse(STR("sl_demo_0123456789abcdef0123456789abcdef"), &mode));
    assert_false(key_parse(STR("sl_test_0123456789abcdef0123456789abcde_"), &mode));
    assert_false(key_parse(STR("sl_test_0123456789abcdef\0"
                               "123456789abcdef"),
                           &mode));
}

static void permissions(void **state)
{
    struct str unknown;
    uint32_t bits;

    assert_true(permissions_parse(STR("sms:send, keys:read"), &bits, &unknown));
    assert_int_equal(bits, 1u << PERMISSION_SMS_SEND | 1u << PERMISSION_KEYS_READ);
    assert_true(permission_allows(bits, PERMISSION_SMS_SEND));
    assert_true(permission_allows(bits, PERMISSION_KEYS_READ));
    assert_false(permission_allows(bits, PERMISSION_SMS_READ));
    assert_true(permissions_parse(STR(" "), &bits, &unknown));
    assert_int_equal(bits, 0);
    assert_false(permissions_parse(STR("sms:send,sms:fly,sms:read"), &bits, &unknown));
    assert_true(str_is(unknown, "sms:fly"));
    assert_false(permissions_parse(STR("sms:send,,sms:read"), &bits, &unknown));
}

static void none_listed_allows_all_but_keys(void **state)
{
    for (int p = PERMISSION_SMS_SEND; p <= PERMISSION_KEYS_WRITE; p++)
        assert_int_equal(permission_allows(0, (enum permission)p), p < PERMISSION_KEYS_READ);
    assert_string_equal(permission_word(PERMISSION_OPTOUTS_WRITE), "optouts:write");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_keys_have_the_form),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(permissions),
        cmocka_unit_test(none_listed_allows_all_but_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
