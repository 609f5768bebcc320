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

static void permissions_are_written_as_they_are_read(void **state)
{
    char text[PERMISSIONS_SIZE];
    struct str unknown;
    uint32_t bits;

    permissions_format(0, text);
    assert_string_equal(text, "");
    permissions_format(1u << PERMISSION_SMS_SEND | 1u << PERMISSION_KEYS_READ, text);
    assert_string_equal(text, "sms:send,keys:read");
    permissions_format((1u << PERMISSION_COUNT) - 1, text);
    assert_true(permissions_parse(str_of(text), &bits, &unknown));
    assert_int_equal(bits, (1u << PERMISSION_COUNT) - 1);
    assert_int_equal(permission_bit(STR("sms:read")), 1u << PERMISSION_SMS_READ);
    assert_int_equal(permission_bit(STR("SMS:read")), 0);
}

static void assert_state(int64_t revoked_us, int64_t expires_us, const char *word, bool on)
{
    const struct key_record k = {.revoked_us = revoked_us, .expires_us = expires_us};

    assert_string_equal(key_state_word(key_state(&k, 1000)), word);
    assert_int_equal(key_is_on(&k, 1000), on);
}

static void a_key_lives_until_its_times_have_come(void **state)
{
    assert_state(0, 0, "active", true);
    assert_state(0, 1001, "active", true);
    assert_state(0, 1000, "expired", false);
    assert_state(1001, 0, "retiring", true);
    assert_state(1001, 1001, "retiring", true);
    assert_state(1001, 1000, "expired", false);
    assert_state(1000, 0, "revoked", false);
    assert_state(1000, 999, "revoked", false);
}

static void names_are_lines_of_some_characters(void **state)
{
    char longest[KEY_NAME_MAX + 1];

    for (size_t i = 0; i < KEY_NAME_MAX; i += 4)
        memcpy(longest + i, "\xf0\x9f\x90\xa6", 4);
    assert_true(key_name_valid((struct str){longest, KEY_NAME_MAX}));
    longest[KEY_NAME_MAX - 4] = 'x';
    assert_true(key_name_valid((struct str){longest, KEY_NAME_MAX - 3}));
    longest[KEY_NAME_MAX - 3] = 'x';
    assert_false(key_name_valid((struct str){longest, KEY_NAME_MAX - 2}));
    assert_true(key_name_valid(STR("x")));
    assert_false(key_name_valid(STR("")));
    assert_false(key_name_valid(STR("two\nlines")));
    assert_false(key_name_valid(STR("\x7f")));
    assert_false(key_name_valid(STR("\xc2\x85")));
    assert_false(key_name_valid(STR("\xff")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_keys_have_the_form),
        cmocka_unit_test(other_forms_are_refused),
        cmocka_unit_test(permissions),
        cmocka_unit_test(none_listed_allows_all_but_keys),
        cmocka_unit_test(permissions_are_written_as_they_are_read),
        cmocka_unit_test(a_key_lives_until_its_times_have_come),
        cmocka_unit_test(names_are_lines_of_some_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
