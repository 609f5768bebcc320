#include "mm7/mm7.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void elements_are_those_of_the_schema(void **state)
{
    assert_string_equal(mm7_kind_name(MM7_SUBMIT_REQ), "SubmitReq");
    assert_string_equal(mm7_kind_name(MM7_VASP_ERROR_RSP), "VASPErrorRsp");
    assert_string_equal(mm7_kind_name(MM7_FAULT), "Fault");
    assert_string_equal(mm7_kind_name(MM7_OTHER), "");
    assert_string_equal(mm7_form_name(MM7_FORM_NUMBER), "Number");
    assert_string_equal(mm7_form_name(MM7_FORM_SHORT_CODE), "ShortCode");
    assert_string_equal(mm7_form_name(MM7_FORM_MAIL), "RFC2822Address");
    assert_string_equal(mm7_role_name(MM7_ROLE_TO), "To");
    assert_string_equal(mm7_role_name(MM7_ROLE_CC), "Cc");
    assert_string_equal(mm7_role_name(MM7_ROLE_BCC), "Bcc");
}

static void requests_of_an_mmsc_have_answers(void **state)
{
    assert_int_equal(mm7_answer_to(MM7_DELIVER_REQ), MM7_DELIVER_RSP);
    assert_int_equal(mm7_answer_to(MM7_DELIVERY_REPORT_REQ), MM7_DELIVERY_REPORT_RSP);
    assert_int_equal(mm7_answer_to(MM7_READ_REPLY_REQ), MM7_READ_REPLY_RSP);
    assert_int_equal(mm7_answer_to(MM7_SUBMIT_REQ), MM7_VASP_ERROR_RSP);
    assert_int_equal(mm7_answer_to(MM7_DELIVER_RSP), MM7_VASP_ERROR_RSP);
    assert_int_equal(mm7_answer_to(MM7_OTHER), MM7_VASP_ERROR_RSP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_those_of_the_schema),
        cmocka_unit_test(requests_of_an_mmsc_have_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
