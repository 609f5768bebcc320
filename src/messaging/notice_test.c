#include "messaging/notice.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_words(void **state)
{
    enum notice_kind kind;

    assert_string_equal(notice_word(NOTICE_DELIVERED), "message.delivered");
    assert_string_equal(notice_word((enum notice_kind)99), "unknown");
    assert_true(notice_from_word(STR("message.opt_out"), &kind));
    assert_int_equal(kind, NOTICE_OPT_OUT);
    assert_false(notice_from_word(STR("message.gone"), &kind));
    for (int i = NOTICE_SCHEDULED; i <= NOTICE_TEST; i++) {
        assert_true(notice_from_word(str_of(notice_word((enum notice_kind)i)), &kind));
        assert_int_equal(kind, i);
        assert_true(strlen(notice_meaning((enum notice_kind)i)) > 10);
    }
}

static void test_default_kinds(void **state)
{
    assert_int_equal(notice_default_kinds(), 1 << 3 | 1 << 4 | 1 << 5);
}

struct step {
    enum notice_kind kind;
    int64_t at_us, sent_us, scheduled_us;
    unsigned sequence;
};

static void test_sequence(void **state)
{
    static const struct step steps[] = {
        {NOTICE_QUEUED, 10, 0, 0, 1},     {NOTICE_SENT, 20, 20, 0, 2},
        {NOTICE_DELIVERED, 30, 20, 0, 3}, {NOTICE_FAILED, 30, 20, 0, 3},
        {NOTICE_FAILED, 30, 0, 0, 2},     {NOTICE_CANCELLED, 30, 0, 0, 2},
        {NOTICE_SCHEDULED, 10, 0, 50, 1}, {NOTICE_QUEUED, 51, 0, 50, 2},
        {NOTICE_SENT, 60, 60, 50, 3},     {NOTICE_DELIVERED, 70, 60, 50, 4},
        {NOTICE_FAILED, 70, 60, 50, 4},   {NOTICE_FAILED, 70, 0, 50, 3},
        {NOTICE_CANCELLED, 40, 0, 50, 2}, {NOTICE_CANCELLED, 60, 0, 50, 3},
        {NOTICE_RECEIVED, 10, 0, 0, 1},   {NOTICE_OPT_OUT, 10, 0, 0, 2},
        {NOTICE_OPT_IN, 10, 0, 0, 2},     {NOTICE_TEST, 10, 0, 0, 1},
    };

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct notice_record n = {
            .kind = steps[i].kind, .at_us = steps[i].at_us, .sent_us = steps[i].sent_us};
        struct message m = {.scheduled_us = steps[i].scheduled_us};
        assert_int_equal(notice_sequence(&n, &m), steps[i].sequence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_default_kinds),
        cmocka_unit_test(test_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
