#include "base/gsm0338.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

static void every_row_is_written_and_read(void **state)
{
    unsigned plain = 0, extended = 0;

#define GSM_PLAIN(septet, point)                                                                   \
    assert_int_equal(gsm_encode(point), septet);                                                   \
    assert_int_equal(gsm_septets(point), 1);                                                       \
    assert_int_equal(gsm_decode(septet), point);                                                   \
    plain++;
#define GSM_EXTENSION(septet, point)                                                               \
    assert_int_equal(gsm_encode(point), GSM_EXTENDED | (septet));                                  \
    assert_int_equal(gsm_septets(point), 2);                                                       \
    assert_int_equal(gsm_decode_extended(septet), point);                                          \
    extended++;
#include "base/gsm0338.def"
    assert_int_equal(plain, 127);
    assert_int_equal(extended, 10);
}

static void all_else_is_foreign(void **state)
{
    unsigned known = 0;

    for (int32_t point = -1; point <= 0x10ffff; point++)
        known += gsm_septets(point) > 0;
    assert_int_equal(known, 137);
    assert_int_equal(gsm_encode(0x1b), -1); /* the escape is no character */
    assert_int_equal(gsm_encode(0xe7), -1); /* small c cedilla: only the capital is in it */
    assert_int_equal(gsm_encode('`'), -1);
    assert_int_equal(gsm_encode('\t'), -1);
    assert_int_equal(gsm_encode('@'), 0);
}

static void an_unknown_escape_is_the_plain_character(void **state)
{
    assert_int_equal(gsm_decode_extended('A'), 'A');
    assert_int_equal(gsm_decode_extended(0x00), '@');
    assert_int_equal(gsm_decode_extended(GSM_ESCAPE), -1);
    assert_int_equal(gsm_decode(GSM_ESCAPE), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_written_and_read),
        cmocka_unit_test(all_else_is_foreign),
        cmocka_unit_test(an_unknown_escape_is_the_plain_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
