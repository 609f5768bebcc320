#include "messaging/keyword.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct {
    const char *text;
    enum keyword_wish wish;
} table[] = {
    {"STOP", KEYWORD_OPT_OUT},
    {"stop", KEYWORD_OPT_OUT},
    {"  Stop \r\n", KEYWORD_OPT_OUT},
    {"stopall", KEYWORD_OPT_OUT},
    {"Stop All", KEYWORD_OPT_OUT},
    {"unsubscribe", KEYWORD_OPT_OUT},
    {"cancel", KEYWORD_OPT_OUT},
    {"END", KEYWORD_OPT_OUT},
    {"quit", KEYWORD_OPT_OUT},
    {"revoke", KEYWORD_OPT_OUT},
    {"OptOut", KEYWORD_OPT_OUT},
    {"opt out", KEYWORD_OPT_OUT},
    {"opt-out", KEYWORD_OPT_OUT},
    {"remove", KEYWORD_OPT_OUT},
    {"Arret", KEYWORD_OPT_OUT},
    {"td", KEYWORD_OPT_OUT},
    {"Start", KEYWORD_OPT_IN},
    {"\tUNSTOP", KEYWORD_OPT_IN},
    {"yes", KEYWORD_OPT_IN},
    {"HELP", KEYWORD_HELP},
    {"info", KEYWORD_HELP},

    {"", KEYWORD_NONE},
    {"   ", KEYWORD_NONE},
    {"STOPP", KEYWORD_NONE},
    {"STO", KEYWORD_NONE},
    {"please stop", KEYWORD_NONE},
    {"STOP.", KEYWORD_NONE},
    {"STOP  ALL", KEYWORD_NONE},
    {"yes please", KEYWORD_NONE},
    {"\xc5\x9ftop", KEYWORD_NONE},
    {"ST\xc3\x96P", KEYWORD_NONE},
};

static void only_whole_words_count(void **state)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (keyword_find(str_of(table[i].text))->wish != table[i].wish)
            fail_msg("'%s' is taken for %d", table[i].text,
                     keyword_find(str_of(table[i].text))->wish);
}

static void a_keyword_is_told_as_it_is_listed(void **state)
{
    assert_string_equal(keyword_find(STR(" stop all "))->word, "STOP ALL");
    assert_string_equal(keyword_find(STR("hello"))->word, "");
    assert_int_equal(keyword_find((struct str){"stop\0", 5})->wish, KEYWORD_NONE);
    assert_int_equal(keyword_find((struct str){NULL, 0})->wish, KEYWORD_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_whole_words_count),
        cmocka_unit_test(a_keyword_is_told_as_it_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
