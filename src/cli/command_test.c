#include "cli/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { WORDS_MAX = 32 };

static struct invocation in;
static char fault_text[1024];

/* `words` ends with NULL. */
static bool parse_words(const char *const *words)
{
    char *argv[WORDS_MAX] = {(char *)"skylark"};
    struct buf fault BUF_CLEANUP;
    int argc = 1;

    for (; *words; words++)
        argv[argc++] = (char *)*words;
    in = (struct invocation){.command = NULL};
    buf_init(&fault, 1000);
    bool good = command_parse(&in, argc, argv, &fault);
    snprintf(fault_text, sizeof fault_text, "%.*s", STR_FMT(buf_str(&fault)));
    return good;
}

#define parse(...) parse_words((const char *const[]){__VA_ARGS__, NULL})

#define check_fault(want, ...)                                                                     \
    do {                                                                                           \
        assert_false(parse(__VA_ARGS__));                                                          \
        assert_string_equal(fault_text, want);                                                     \
    } while (0)

static void test_options(void **state)
{
    assert_true(parse("keys", "create", "--name", "web shop", "--type=live", "-o", "json"));
    assert_string_equal(in.command->words, "keys create");
    assert_string_equal(in.values[OPTION_NAME], "web shop");
    assert_string_equal(in.values[OPTION_TYPE], "live");
    assert_string_equal(in.values[OPTION_OUTPUT], "json");
    assert_null(in.values[OPTION_PLAN]);
    assert_true(parse("-ocsv", "keys", "--data-dir", "/d", "list"));
    assert_string_equal(in.command->words, "keys list");
    assert_string_equal(in.values[OPTION_OUTPUT], "csv");
    assert_string_equal(in.values[OPTION_DATA_DIR], "/d");
    assert_true(parse("send", "--text=", "--to", "+1"));
    assert_string_equal(in.values[OPTION_TEXT], "");
}

static void test_arguments(void **state)
{
    assert_true(parse("send", "+15550001234", "hello"));
    assert_int_equal(in.argument_count, 2);
    assert_string_equal(in.arguments[0], "+15550001234");
    assert_string_equal(in.arguments[1], "hello");
    assert_true(parse("send", "+1", "--", "--text"));
    assert_string_equal(in.arguments[1], "--text");
    assert_null(in.values[OPTION_TEXT]);
    assert_true(parse("messages", "get", "msg_1"));
    assert_int_equal(in.argument_count, 1);
    assert_true(parse("config", "check"));
    assert_int_equal(in.argument_count, 0);
}

static void test_some_options_repeat(void **state)
{
    assert_true(parse("send", "+1", "x", "--media", "https://a", "--media=https://b"));
    assert_int_equal(in.repeated_count, 2);
    assert_string_equal(in.repeated[0].value, "https://a");
    assert_string_equal(in.repeated[1].value, "https://b");
    assert_true(parse("send", "+1", "x", "--tag", "a", "--media", "https://a", "--tag=b"));
    assert_int_equal(in.repeated_count, 3);
    assert_int_equal(in.repeated[0].id, OPTION_TAG);
    assert_int_equal(in.repeated[1].id, OPTION_MEDIA);
    assert_string_equal(in.repeated[2].value, "b");
}

static void test_help_and_version(void **state)
{
    assert_true(parse(NULL));
    assert_null(in.command);
    assert_true(parse("--version"));
    assert_non_null(in.values[OPTION_VERSION]);
    /* Help is given even where the rest of the line would be refused. */
    assert_true(parse("messages", "get", "--help"));
    assert_true(parse("nonsense", "-h"));
}

static void test_option_faults(void **state)
{
    check_fault("There is no option --lisen; did you mean --listen?", "serve", "--lisen", "x");
    check_fault("There is no option --frobnicate; see skylark serve --help.", "serve",
                "--frobnicate");
    check_fault("There is no option -x; see skylark serve --help.", "serve", "-x");
    check_fault("There is no option -x; see skylark --help.", "-x", "serve");
    check_fault("There is no option --webhook-ids; see skylark send --help.", "send",
                "--webhook-ids");
    check_fault("The option --listen needs a value: --listen HOST:PORT", "serve", "--listen");
    check_fault("The option --help takes no value.", "serve", "--help=yes");
    check_fault("The option --name is given twice.", "keys", "create", "--name", "a", "--name=b");
    check_fault("'skylark keys list' has no option --listen; see skylark keys list --help.", "keys",
                "list", "--listen", "x");
}

static void test_command_faults(void **state)
{
    check_fault("There is no command 'sned'; did you mean 'skylark send'?", "sned");
    check_fault("There is no command 'keys crate'; did you mean 'skylark keys create'?", "keys",
                "crate");
    check_fault("There is no command 'key list'; did you mean 'skylark keys list'?", "key", "list");
    check_fault("There is no command 'dance'; see skylark --help.", "dance");
    check_fault("'skylark keys' needs one more word: create, list, rotate, revoke.", "keys");
    check_fault("A word is missing; write skylark messages get ID", "messages", "get");
    check_fault("'b' is one word too many; write skylark messages get ID", "messages", "get", "a",
                "b");
    check_fault("'now' is one word too many; write skylark serve", "serve", "now");
    check_fault("There are too many words; put quotes around a text of several words.", "send",
                "+1", "a", "b", "c", "d", "e", "f", "g");
}

static void check_help(const char *want, const char *first, const char *second)
{
    struct buf text BUF_CLEANUP;
    const char *words[] = {first, second};

    buf_init(&text, 1 << 16);
    assert_true(help_for(words, second ? 2 : 1, &text));
    buf_add_char(&text, '\0');
    assert_non_null(strstr(text.p, want));
}

static void test_help(void **state)
{
    struct buf text BUF_CLEANUP;
    const char *nonsense[] = {"keys", "dance"};

    check_help("Usage: skylark keys create [NAME] [OPTIONS]", "keys", "create");
    check_help("--listen HOST:PORT", "serve", NULL);
    check_help("Address and port to listen on", "serve", NULL);
    check_help("revoke", "keys", NULL);
    buf_init(&text, 1 << 16);
    assert_false(help_for(nonsense, 2, &text));
    help_all(&text);
    buf_add_char(&text, '\0');
    for (size_t i = 0; i < command_count; i++)
        assert_non_null(strstr(text.p, commands[i].words));
}

static void test_help_has_no_loose_ends(void **state)
{
    for (size_t i = 0; i < command_count; i++) {
        struct buf text BUF_CLEANUP;
        char words[64], *rest = NULL;
        const char *each[4];
        size_t n = 0;

        buf_init(&text, 1 << 16);
        snprintf(words, sizeof words, "%s", commands[i].words);
        for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
            each[n++] = w;
        assert_true(help_for(each, n, &text));
        buf_add_char(&text, '\0');
        assert_null(strstr(text.p, " \n"));
    }
}

/* Tables that contradict themselves would only show up as strange help. */
static void test_tables(void **state)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        assert_true(options[i].help || option_row((enum option_id)i));
    for (size_t i = 0; i < CONFIG_ROW_COUNT; i++) {
        bool found = !config_rows[i].flag;
        for (int o = 0; o < OPTION_COUNT; o++)
            found |= option_row((enum option_id)o) == &config_rows[i];
        assert_true(found);
    }
    for (size_t i = 0; i < command_count; i++)
        for (const struct meaning *m = commands[i].meanings; m && m->help; m++) {
            assert_true(commands[i].options[m->option]);
            assert_int_equal(!m->value, !options[m->option].value);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_some_options_repeat),
        cmocka_unit_test(test_help_and_version),
        cmocka_unit_test(test_option_faults),
        cmocka_unit_test(test_command_faults),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_help_has_no_loose_ends),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
