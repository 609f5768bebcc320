#include "smpp/udh.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_taken(struct str octets, struct udh_parts wanted, const char *text)
{
    struct udh_parts parts = {9, 9, 9};

    assert_true(udh_take(&octets, &parts));
    assert_int_equal(parts.reference, wanted.reference);
    assert_int_equal(parts.total, wanted.total);
    assert_int_equal(parts.number, wanted.number);
    assert_true(str_is(octets, text));
}

static void check_refused(struct str octets)
{
    struct str before = octets;
    struct udh_parts parts;

    assert_false(udh_take(&octets, &parts));
    assert_ptr_equal(octets.p, before.p);
    assert_int_equal(octets.n, before.n);
}

static void narrow_reference(void **state)
{
    check_taken(STR("\x05\x00\x03\xfe\x03\x02hi"), (struct udh_parts){0xfe, 3, 2}, "hi");
}

static void wide_reference(void **state)
{
    check_taken(STR("\x06\x08\x04\x12\xff\x03\x01hi"), (struct udh_parts){0x12ff, 3, 1}, "hi");
}

static void what_is_put_is_taken(void **state)
{
    static const struct udh_parts all[] = {{0, 2, 1}, {0xff, 255, 255}, {7, 3, 2}};

    for (unsigned i = 0; i < 6; i++) {
        struct buf BUF_CLEANUP out;
        bool wide = i % 2;
        buf_init(&out, 100);
        udh_put(&out, &all[i / 2], wide);
        assert_int_equal(out.n, wide ? UDH_WIDE_SIZE : UDH_SIZE);
        buf_text(&out, "abc");
        check_taken(buf_str(&out), all[i / 2], "abc");
    }
}

static void a_narrow_header_has_the_low_octet_of_the_reference(void **state)
{
    struct buf BUF_CLEANUP out;

    buf_init(&out, 100);
    udh_put(&out, &(struct udh_parts){0x1234, 2, 1}, false);
    assert_true(str_eq(buf_str(&out), STR("\x05\x00\x03\x34\x02\x01")));
    buf_clear(&out);
    udh_put(&out, &(struct udh_parts){0x1234, 2, 1}, true);
    assert_true(str_eq(buf_str(&out), STR("\x06\x08\x04\x12\x34\x02\x01")));
}

static void other_elements_are_passed_over(void **state)
{
    /* ports, then parts, then a national single shift and a locking shift */
    check_taken(STR("\x11\x05\x04\x0b\x84\x23\xf0\x00\x03\x07\x02\x01\x24\x01\x01\x25\x01\x01x"),
                (struct udh_parts){7, 2, 1}, "x");
    check_taken(STR("\x03\x24\x01\x01x"), (struct udh_parts){0}, "x");
    check_taken(STR("\x00text"), (struct udh_parts){0}, "text");
    check_taken(STR("\x02\x70\x00"), (struct udh_parts){0}, "");
}

static void a_length_that_lies_is_refused(void **state)
{
    check_refused(STR(""));
    check_refused(STR("\x05"));
    check_refused(STR("\x05\x00\x03\x01\x02"));
    check_refused(STR("\xff\x00\x03\x01\x02\x01hi"));
}

static void an_element_that_lies_ends_the_header(void **state)
{
    check_taken(STR("\x05\x00\x04\x01\x02\x01x"), (struct udh_parts){0}, "x");
    check_taken(STR("\x05\x00\xff\x01\x02\x01x"), (struct udh_parts){0}, "x");
    check_taken(STR("\x06\x00\x03\x01\x02\x01\x08x"), (struct udh_parts){1, 2, 1}, "x");
    check_taken(STR("\x04\x00\x02\x01\x02x"), (struct udh_parts){0}, "x"); /* too short for parts */
}

static void parts_that_cannot_be_are_none(void **state)
{
    check_taken(STR("\x05\x00\x03\x01\x03\x04x"), (struct udh_parts){0}, "x");
    check_taken(STR("\x05\x00\x03\x01\x03\x00x"), (struct udh_parts){0}, "x");
    check_taken(STR("\x05\x00\x03\x01\x00\x00x"), (struct udh_parts){0}, "x");
}

static void packed_septets_begin_on_a_septets_edge(void **state)
{
    assert_int_equal(udh_fill(0), 0);
    assert_int_equal(udh_fill(UDH_SIZE), 1);
    assert_int_equal(udh_fill(UDH_WIDE_SIZE), 0);
    for (size_t octets = 0; octets < 140; octets++)
        assert_int_equal((8 * octets + udh_fill(octets)) % 7, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_reference),
        cmocka_unit_test(wide_reference),
        cmocka_unit_test(what_is_put_is_taken),
        cmocka_unit_test(a_narrow_header_has_the_low_octet_of_the_reference),
        cmocka_unit_test(other_elements_are_passed_over),
        cmocka_unit_test(a_length_that_lies_is_refused),
        cmocka_unit_test(an_element_that_lies_ends_the_header),
        cmocka_unit_test(parts_that_cannot_be_are_none),
        cmocka_unit_test(packed_septets_begin_on_a_septets_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
