#include "messaging/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct {
    const char *text;
    const char *code; /* "" = none */
} table[] = {
    /* The usual forms. */
    {"Your code is 482913", "482913"},
    {"482913 is your verification code.", "482913"},
    {"PIN: 4821", "4821"},
    {"PIN=4821", "4821"},
    {"otp:12345678", "12345678"},
    {"Your code is 123-456.", "123456"},
    {"Your code is 123 456.", "123456"},
    {"1234-5678 is the code", "12345678"},
    {"G-482913 is your Google verification code.", "482913"},
    {"<#> 482913 is your code FA+9qCX9VSu", "482913"},
    {"482913", "482913"},
    {"Hello 1234", "1234"},
    {"code 0007", "0007"},
    {"【Shop】您的验证码482913，5分钟内有效", "482913"},
    {"Dein Sicherheitscode lautet 739201", "739201"},
    {"Su código: 55123", "55123"},
    {"Код 4821, не говорите никому", "4821"},
    {"(482913)", "482913"},
    {"Code:\n482913\n", "482913"},
    {"482913 is your code.\n\n@example.com #482913", "482913"},

    /* Of several numbers the one that is meant. */
    {"Your code for order 88231 is 4829", "4829"},
    {"Order 88231: your code is 4829", "4829"},
    {"482913 is your code. It holds for 10 minutes. Do not call 5550.", "482913"},
    {"Use 482913 10 minutes long", "482913"},
    {"Your code is 482913. 10 minutes.", "482913"},
    {"Call +1 800 555 1234 or use the code 7392", "7392"},
    {"Questions? 555-1234. Your PIN is 9921.", "9921"},
    {"1200 points! Code 553311", "553311"},
    {"Two numbers 1234 and 482913", "482913"},
    {"On 15 November 2026 use code 2026", "2026"},
    {"Your PIN number is 4821", "4821"},
    {"Account number 88231, code 4821", "4821"},
    {"Pay 1500 EUR with PIN 4821", "4821"},

    /* Phone numbers. */
    {"Call +15551234567", ""},
    {"Call +44 7700 900123", ""},
    {"Call 555-1234", ""},
    {"1-800-555-1234", ""},
    {"(555) 123-4567", ""},
    {"555 123 4567", ""},
    {"0151 1234 5678", ""},
    {"Phone: 5551234", ""},

    /* Prices. */
    {"$1234", ""},
    {"only $ 1234", ""},
    {"1234 USD", ""},
    {"EUR 1500", ""},
    {"1500€", ""},
    {"£4999", ""},
    {"1,234.56", ""},
    {"12.5000", ""},
    {"Rs.5000 was debited", ""},
    {"5000 kr", ""},

    /* Dates and times. */
    {"2026-11-15", ""},
    {"15/11/2026", ""},
    {"15.11.2026", ""},
    {"Nov 15, 2026", ""},
    {"15 November 2026", ""},
    {"since 1999", ""},
    {"10:3000", ""},

    /* Other numbers. */
    {"Card ending in 4821", ""},
    {"card ****4821", ""},
    {"Order #48291 has shipped", ""},
    {"Your account number is 48291", ""},
    {"Postcode 48291", ""},
    {"Invoice INV-20231", ""},
    {"Flight LH 4821", ""},
    {"https://example.com/a/123456", ""},
    {"www.example.com/?id=123456", ""},
    {"mail 123456@example.com", ""},
    {"1234 5678 9012 3456", ""},
    {"5000mAh", ""},
    {"abc1234", ""},
    {"1234%", ""},
    {"123", ""},
    {"123456789", ""},
    {"123-45", ""},
    {"12-34", ""},
    {"no digits at all", ""},
    {"", ""},
};

static void finds_codes_and_nothing_else(void **state)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct code code = {""};
        bool found = code_find(str_of(table[i].text), &code);
        if (found != (table[i].code[0] != '\0') || strcmp(code.digits, table[i].code) != 0)
            fail_msg("'%s': '%s', not '%s'", table[i].text, code.digits, table[i].code);
    }
}

static void is_content_with_any_bytes(void **state)
{
    static const char bytes[] = "\xff\x00"
                                "1234\x80 code \xc3";
    struct code code;

    assert_true(code_find((struct str){bytes, sizeof bytes - 1}, &code));
    assert_string_equal(code.digits, "1234");
    assert_false(code_find((struct str){NULL, 0}, &code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_codes_and_nothing_else),
        cmocka_unit_test(is_content_with_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
