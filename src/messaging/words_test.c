#include "messaging/words.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void words_are_those_of_the_api(void **state)
{
    assert_string_equal(status_word(STATUS_QUEUED), "queued");
    assert_string_equal(status_word(STATUS_RECEIVED), "received");
    assert_string_equal(number_type_word(NUMBER_TOLL_FREE), "toll-free");
    assert_string_equal(coverage_word(COVERAGE_HIGH), "high");
    assert_string_equal(reason_word(REASON_SMART), "smart-routing");
    assert_string_equal(encoding_word(ENCODING_UCS2), "UCS-2");
    assert_string_equal(direction_word(DIRECTION_INBOUND), "inbound");
    assert_string_equal(kind_word(KIND_MMS), "mms");
    assert_string_equal(message_type_word(TYPE_OTP), "otp");
    assert_string_equal(opt_out_source_word(OPT_OUT_BY_KEYWORD), "keyword");
    assert_string_equal(mode_word(MODE_LIVE), "live");
    assert_string_equal(mode_word(MODE_TEST), "test");
}

static void failures_have_code_and_text(void **state)
{
    assert_null(failure_code(FAILURE_NONE));
    assert_null(failure_text(FAILURE_NONE));
    assert_string_equal(failure_code(FAILURE_NO_ROUTE), "no_route");
    assert_string_equal(failure_text(FAILURE_UNKNOWN), "The carrier gave no reason.");
    for (int i = 1; i <= FAILURE_UNKNOWN; i++) {
        assert_non_null(failure_code((enum failure)i));
        assert_true(failure_text((enum failure)i)[0] != '\0');
    }
}

static void strange_numbers_are_unknown(void **state)
{
    assert_string_equal(status_word((enum message_status)99), "unknown");
    assert_string_equal(failure_code((enum failure)99), "unknown");
    assert_string_equal(failure_text((enum failure)99), failure_text(FAILURE_UNKNOWN));
}

static void message_types_lead_back(void **state)
{
    enum message_type type;

    assert_true(message_type_from_word(STR("transactional"), &type) && type == TYPE_TRANSACTIONAL);
    assert_true(message_type_from_word(STR("promotional"), &type) && type == TYPE_PROMOTIONAL);
    assert_false(message_type_from_word(STR("Otp"), &type));
    assert_false(message_type_from_word(STR(""), &type));
}

static void modes_lead_back(void **state)
{
    enum mode mode;

    assert_true(mode_from_word(STR("live"), &mode) && mode == MODE_LIVE);
    assert_true(mode_from_word(STR("test"), &mode) && mode == MODE_TEST);
    assert_false(mode_from_word(STR("prod"), &mode));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_api),
        cmocka_unit_test(failures_have_code_and_text),
        cmocka_unit_test(strange_numbers_are_unknown),
        cmocka_unit_test(message_types_lead_back),
        cmocka_unit_test(modes_lead_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
