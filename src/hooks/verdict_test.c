#include "hooks/verdict.h"

#include "hooks/retry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define NOW    INT64_C(1795000000000000)
#define DUE    (NOW - 5000000)
#define MINUTE INT64_C(60000000)

static struct verdict judge(unsigned status, unsigned tries, const char *retry_after,
                            enum verdict_address address)
{
    struct loop_http_reply reply = {
        .outcome = LOOP_HTTP_ANSWERED, .status = status, .retry_after = str_of(retry_after)};
    struct delivery_record d = {.tries = tries, .due_us = DUE};

    return verdict_of(&reply, &d, address, NOW, 0);
}

/* X(status, state, effect) */
static void test_statuses(void **state)
{
    static const struct {
        unsigned status;
        enum delivery_state state;
        enum verdict_effect effect;
    } rows[] = {
        {200, DELIVERY_DONE, VERDICT_WELL},      {201, DELIVERY_DONE, VERDICT_WELL},
        {204, DELIVERY_DONE, VERDICT_WELL},      {299, DELIVERY_DONE, VERDICT_WELL},
        {100, DELIVERY_WAITING, VERDICT_FAILED}, {199, DELIVERY_WAITING, VERDICT_FAILED},
        {300, DELIVERY_WAITING, VERDICT_FAILED}, {301, DELIVERY_WAITING, VERDICT_FAILED},
        {302, DELIVERY_WAITING, VERDICT_FAILED}, {307, DELIVERY_WAITING, VERDICT_FAILED},
        {400, DELIVERY_WAITING, VERDICT_FAILED}, {401, DELIVERY_WAITING, VERDICT_FAILED},
        {404, DELIVERY_WAITING, VERDICT_FAILED}, {410, DELIVERY_WAITING, VERDICT_GONE},
        {429, DELIVERY_WAITING, VERDICT_FAILED}, {500, DELIVERY_WAITING, VERDICT_FAILED},
        {503, DELIVERY_WAITING, VERDICT_FAILED},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct verdict v = judge(rows[i].status, 0, "", ADDRESS_OF_ENDPOINT);

        assert_int_equal(v.state, rows[i].state);
        assert_int_equal(v.effect, rows[i].effect);
        if (v.effect == VERDICT_FAILED)
            assert_int_equal(v.due_us, NOW + MINUTE * 9 / 10);
        assert_int_equal(v.tries, v.effect == VERDICT_GONE ? 0 : 1);
    }
}

/* Without an answer it is a failure, whatever the reason. */
static void test_no_answer(void **state)
{
    for (int outcome = LOOP_HTTP_REFUSED; outcome <= LOOP_HTTP_BROKEN; outcome++) {
        struct loop_http_reply reply = {.outcome = (enum loop_http_outcome)outcome, .status = 200};
        struct delivery_record d = {.due_us = DUE};
        struct verdict v = verdict_of(&reply, &d, ADDRESS_OF_ENDPOINT, NOW, 0);

        assert_false(reply_is_well(&reply));
        assert_int_equal(v.state, DELIVERY_WAITING);
        assert_int_equal(v.effect, VERDICT_FAILED);
    }
}

static void test_tries(void **state)
{
    static const int64_t minutes[] = {1, 5, 30, 120, 1440};

    for (unsigned tries = 0; tries < 5; tries++) {
        struct verdict v = judge(500, tries, "", ADDRESS_OF_ENDPOINT);

        assert_int_equal(v.state, DELIVERY_WAITING);
        assert_int_equal(v.tries, tries + 1);
        assert_int_equal(v.due_us, NOW + minutes[tries] * MINUTE * 9 / 10);
    }
    assert_int_equal(judge(500, 5, "", ADDRESS_OF_ENDPOINT).state, DELIVERY_FAILED);
    assert_int_equal(judge(500, 5, "", ADDRESS_OF_ENDPOINT).tries, 6);
    assert_int_equal(judge(200, 5, "", ADDRESS_OF_ENDPOINT).state, DELIVERY_DONE);
}

static void test_retry_after(void **state)
{
    assert_int_equal(judge(429, 0, "600", ADDRESS_OF_ENDPOINT).due_us, NOW + 10 * MINUTE);
    assert_int_equal(judge(503, 0, "600", ADDRESS_OF_ENDPOINT).due_us, NOW + 10 * MINUTE);
    assert_int_equal(judge(500, 0, "600", ADDRESS_OF_ENDPOINT).due_us, NOW + MINUTE * 9 / 10);
    assert_int_equal(judge(429, 0, "5", ADDRESS_OF_ENDPOINT).due_us,
                     NOW + MINUTE * 9 / 10); /* never sooner */
    assert_int_equal(judge(503, 1, "999999999", ADDRESS_OF_ENDPOINT).due_us,
                     NOW + RETRY_AFTER_MAX_US);
    assert_int_equal(judge(429, 0, "soon", ADDRESS_OF_ENDPOINT).due_us, NOW + MINUTE * 9 / 10);
    assert_int_equal(judge(429, 5, "600", ADDRESS_OF_ENDPOINT).state, DELIVERY_FAILED);
}

static void test_gone(void **state)
{
    struct verdict v = judge(410, 2, "", ADDRESS_OF_ENDPOINT),
                   of_messages = judge(410, 2, "", ADDRESS_OF_MESSAGE);

    assert_int_equal(v.state, DELIVERY_WAITING);
    assert_int_equal(v.tries, 2);
    assert_int_equal(v.due_us, DUE);
    assert_int_equal(of_messages.state, DELIVERY_FAILED);
    assert_int_equal(of_messages.effect, VERDICT_NOTHING);
    assert_int_equal(judge(410, 2, "", ADDRESS_BESIDE).state, DELIVERY_WAITING);
    assert_int_equal(judge(410, 2, "", ADDRESS_BESIDE).tries, 3);
    assert_int_equal(judge(410, 5, "", ADDRESS_BESIDE).state, DELIVERY_FAILED);
}

static void test_lost(void **state)
{
    struct delivery_record d = {.tries = 1};

    assert_int_equal(verdict_lost(&d).state, DELIVERY_FAILED);
    assert_int_equal(verdict_lost(&d).effect, VERDICT_NOTHING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statuses), cmocka_unit_test(test_no_answer),
        cmocka_unit_test(test_tries),    cmocka_unit_test(test_retry_after),
        cmocka_unit_test(test_gone),     cmocka_unit_test(test_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
