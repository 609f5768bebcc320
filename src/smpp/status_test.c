#include "smpp/status.h"

#include "smpp/pdu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static enum smpp_class class_of(uint32_t status)
{
    return smpp_status_verdict(status, NULL).class;
}

static enum smpp_blame blame_of(uint32_t status)
{
    return smpp_status_verdict(status, NULL).blame;
}

/* ---- the table ---- */

static enum smpp_class class_of_fact(struct str word)
{
    static const struct {
        const char *word;
        enum smpp_class class;
    } words[] = {
        {"ok", SMPP_CLASS_OK},
        {"temporary", SMPP_CLASS_TEMPORARY},
        {"temporary?", SMPP_CLASS_TEMPORARY},
        {"throttle", SMPP_CLASS_THROTTLED},
        {"permanent", SMPP_CLASS_PERMANENT},
        {"ambiguous", SMPP_CLASS_UNKNOWN},
        {"session", SMPP_CLASS_SESSION},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(word, words[i].word))
            return words[i].class;
    fail_msg("class '%.*s'", STR_FMT(word));
    return SMPP_CLASS_OK;
}

static void fact_agrees(uint32_t first, uint32_t last, struct str name, struct str class)
{
    for (uint32_t code = first; code <= last; code++) {
        assert_int_equal(class_of(code), class_of_fact(class));
        if (first != last)
            assert_null(smpp_status_name(code));
        else if (!smpp_status_name(code) || !str_is(name, smpp_status_name(code)))
            fail_msg("0x%x is not %.*s", code, STR_FMT(name));
    }
}

static void statuses_are_those_of_the_facts(void **state)
{
    static char line[512];
    char path[512];
    unsigned rows = 0, ours = 0;

    snprintf(path, sizeof path, "%s/tests/data/smpp_command_status.csv", getenv("SKYLARK_SOURCE"));
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the headings */
    while (fgets(line, sizeof line, f)) {
        struct str rest = str_trim(str_of(line));
        struct str last = str_cut(&rest, ',');
        struct str first = str_cut(&last, '-');
        uint32_t code = (uint32_t)strtoul(first.p, NULL, 16);
        struct str name = str_cut(&rest, ',');
        fact_agrees(code, last.p ? (uint32_t)strtoul(last.p, NULL, 16) : code, name,
                    str_cut(&rest, ','));
        rows++;
    }
    fclose(f);
    for (uint32_t code = 0; code < 0x10000; code++)
        ours += smpp_status_name(code) != NULL;
    assert_int_equal(rows, ours + 1); /* the range of vendors has no name */
}

static void ambiguous_and_unlisted_statuses_are_unknown(void **state)
{
    static const uint32_t codes[] = {0x45, 0xff, 0x10, 0x400, 0x4ff, 0x500, 0x12345678, UINT32_MAX};

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(class_of(codes[i]), SMPP_CLASS_UNKNOWN);
    assert_null(smpp_status_name(0x10));
}

static void permanent_refusals_blame_somebody(void **state)
{
    assert_int_equal(blame_of(0x0b), SMPP_BLAME_RECIPIENT);
    assert_int_equal(blame_of(0x50), SMPP_BLAME_RECIPIENT);
    assert_int_equal(blame_of(0x0a), SMPP_BLAME_SENDER);
    assert_int_equal(blame_of(0x48), SMPP_BLAME_SENDER);
    assert_int_equal(blame_of(0x101), SMPP_BLAME_BLOCKED);
    assert_int_equal(blame_of(0x01), SMPP_BLAME_MESSAGE);
    assert_int_equal(blame_of(0x45), SMPP_BLAME_MESSAGE);
    assert_int_equal(blame_of(0x4aa), SMPP_BLAME_MESSAGE);
    assert_int_equal(blame_of(0x08), SMPP_BLAME_CARRIER);
    assert_int_equal(blame_of(0xff), SMPP_BLAME_CARRIER);
}

/* ---- exceptions ---- */

static void exceptions_come_first(void **state)
{
    struct smpp_exceptions own;
    char why[200] = "";

    assert_true(smpp_exceptions_read(
        STR("  0x45=temporary 0x400-0x4ff=permanent:spam\t8=throttled 0X0A=session:blocked "
            "0x4aa=unknown "),
        &own, why, sizeof why));
    assert_int_equal(own.count, 5);
    static const struct {
        uint32_t status;
        struct smpp_verdict verdict;
    } rows[] = {
        {0x45, {SMPP_CLASS_TEMPORARY, SMPP_BLAME_CARRIER}},
        {0x400, {SMPP_CLASS_PERMANENT, SMPP_BLAME_SPAM}},
        {0x4aa, {SMPP_CLASS_PERMANENT, SMPP_BLAME_SPAM}}, /* the first that fits */
        {0x4ff, {SMPP_CLASS_PERMANENT, SMPP_BLAME_SPAM}},
        {0x500, {SMPP_CLASS_UNKNOWN, SMPP_BLAME_MESSAGE}},
        {0x3ff, {SMPP_CLASS_UNKNOWN, SMPP_BLAME_MESSAGE}},
        {8, {SMPP_CLASS_THROTTLED, SMPP_BLAME_CARRIER}},
        {10, {SMPP_CLASS_SESSION, SMPP_BLAME_BLOCKED}},
        {0x0b, {SMPP_CLASS_PERMANENT, SMPP_BLAME_RECIPIENT}},
        {0, {SMPP_CLASS_OK, SMPP_BLAME_MESSAGE}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct smpp_verdict v = smpp_status_verdict(rows[i].status, &own);
        assert_int_equal(v.class, rows[i].verdict.class);
        assert_int_equal(v.blame, rows[i].verdict.blame);
    }
}

static void every_class_and_blame_has_a_word(void **state)
{
    static const char *const texts[] = {
        "1=temporary",         "1=throttled",         "1=permanent",           "1=unknown",
        "1=session",           "1=permanent:message", "1=permanent:recipient", "1=permanent:sender",
        "1=permanent:blocked", "1=permanent:spam",    "1=permanent:carrier",
    };
    struct smpp_exceptions own;
    char why[200];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(smpp_exceptions_read(str_of(texts[i]), &own, why, sizeof why));
    assert_true(smpp_exceptions_read(STR(" "), &own, why, sizeof why));
    assert_int_equal(own.count, 0);
}

static void refuses(const char *text, const char *sentence)
{
    struct smpp_exceptions own = {.count = 7};
    char why[200] = "";

    assert_false(smpp_exceptions_read(str_of(text), &own, why, sizeof why));
    if (!strstr(why, sentence))
        fail_msg("%s: %s", text, why);
    assert_int_equal(own.count, 7);
}

static void faults_are_named(void **state)
{
    refuses("8=temporary x=temporary", "'x=temporary': the status must be a number like 0x45");
    refuses("=temporary", "must be a number");
    refuses("0x=temporary", "must be a number");
    refuses("0x123456789=temporary", "must be a number");
    refuses("4294967296=temporary", "must be a number");
    refuses("-1=temporary", "must be a number");
    refuses("0x4g=temporary", "must be a number");
    refuses("8-=temporary", "the last status must be a number");
    refuses("8-x=temporary", "the last status must be a number");
    refuses("8-7=temporary", "below the first");
    refuses("0=permanent", "status 0 is success");
    refuses("0-9=permanent", "status 0 is success");
    refuses("8", "write =temporary");
    refuses("8=", "write =temporary");
    refuses("8=ok", "write =temporary");
    refuses("8=Temporary", "write =temporary");
    refuses("8=permanent:", "behind the colon");
    refuses("8=permanent:me", "behind the colon");
}

static void there_is_a_limit(void **state)
{
    BUF_CLEANUP struct buf text;
    struct smpp_exceptions own;
    char why[200];

    buf_init(&text, 10000);
    for (int i = 1; i <= SMPP_EXCEPTIONS_MAX; i++)
        buf_printf(&text, "%d=temporary ", i);
    assert_true(smpp_exceptions_read(buf_str(&text), &own, why, sizeof why));
    assert_int_equal(own.count, SMPP_EXCEPTIONS_MAX);
    buf_text(&text, "99=temporary");
    assert_false(smpp_exceptions_read(buf_str(&text), &own, why, sizeof why));
    assert_non_null(strstr(why, "too many"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_are_those_of_the_facts),
        cmocka_unit_test(ambiguous_and_unlisted_statuses_are_unknown),
        cmocka_unit_test(permanent_refusals_blame_somebody),
        cmocka_unit_test(exceptions_come_first),
        cmocka_unit_test(every_class_and_blame_has_a_word),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(there_is_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
