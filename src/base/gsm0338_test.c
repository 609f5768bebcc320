#include "base/gsm0338.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

static void every_row_encodes_to_its_septet(void **state)
{
    unsigned plain = 0, extended = 0;

#define GSM_PLAIN(septet, point)                                                                   \
    assert_int_equal(gsm_encode(point), septet);                                                   \
    assert_int_equal(gsm_septets(point), 1);                                                       \
    plain++;
#define GSM_EXTENSION(septet, point)                                                               \
    assert_int_equal(gsm_encode(point), GSM_EXTENDED | (septet));                                  \
    assert_int_equal(gsm_septets(point), 2);                                                       \
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_encodes_to_its_septet),
        cmocka_unit_test(all_else_is_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
