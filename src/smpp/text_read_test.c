#include "smpp/text.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check_read(enum smpp_alphabet alphabet, struct str octets, unsigned fill,
                       const char *wanted)
{
    struct buf BUF_CLEANUP out;

    buf_init(&out, 1000);
    smpp_text_decode(alphabet, octets, fill, &out);
    if (!str_is(buf_str(&out), wanted))
        fail_msg("'%.*s' is read where '%s' was wanted", STR_FMT(buf_str(&out)), wanted);
}

static void gsm_is_read(void **state)
{
    check_read(SMPP_GSM, STR("a\x00\x1b\x28\x1b\x65\x09\x10"), 0, "a@{€ÇΔ");
    check_read(SMPP_GSM, STR(""), 0, "");
    check_read(SMPP_GSM, STR("a\xe9z"), 0, "a\xef\xbf\xbdz"); /* no septet */
}

static void an_unknown_escape_shows_the_plain_character(void **state)
{
    check_read(SMPP_GSM,
               STR("\x1b"
                   "A\x1b\x00"),
               0, "A@");
    check_read(SMPP_GSM, STR("\x1b\xe9"), 0, "\xef\xbf\xbd");
}

static void two_escapes_are_a_space(void **state)
{
    check_read(SMPP_GSM,
               STR("a\x1b\x1b"
                   "e"),
               0, "a e");
    check_read(SMPP_GSM, STR("\x1b\x1b\x1b\x65"), 0, " €");
}

static void an_escape_at_the_end_is_not_dropped(void **state)
{
    check_read(SMPP_GSM, STR("a\x1b"), 0, "a\xef\xbf\xbd");
    check_read(SMPP_ASCII, STR("\x1b"), 0, "\xef\xbf\xbd");
}

static void packed_gsm_is_read(void **state)
{
    check_read(SMPP_GSM_PACKED, STR("\xe8\x32\x9b\xfd\x46\x97\xd9\xec\x37"), 0, "hellohello");
    check_read(SMPP_GSM_PACKED, STR("\xc2"), 1, "a");
    check_read(SMPP_GSM_PACKED, STR("\x84\x1b"), 2, "a");
    check_read(SMPP_GSM_PACKED, STR("\x40\x18"), 6, "a");
    check_read(SMPP_GSM_PACKED, STR(""), 0, "");
    check_read(SMPP_GSM_PACKED, STR("\x7f"), 2, ""); /* too short for a septet */
    check_read(SMPP_GSM_PACKED, STR(""), 6, "");
}

static void filling_at_the_end_is_dropped(void **state)
{
    check_read(SMPP_GSM_PACKED, STR("\x31\xd9\x8c\x56\xb3\xdd\x1a"), 0, "1234567");
    check_read(SMPP_GSM_PACKED, STR("\x31\xd9\x8c\x56\xb3\xdd\x70"), 0, "12345678");
    /* A peer that fills with zeros: nobody can tell that from its text. */
    check_read(SMPP_GSM_PACKED, STR("\x31\xd9\x8c\x56\xb3\xdd\x00"), 0, "1234567@");
    /* A carriage return elsewhere is one. */
    check_read(SMPP_GSM_PACKED, STR("\x0d"), 0, "\r");
}

static void latin1_is_read(void **state)
{
    check_read(SMPP_LATIN1, STR("fa\xe7\xff@"), 0, "façÿ@");
}

static void ascii_is_read(void **state)
{
    check_read(SMPP_ASCII, STR("a@_{[$\t\r\n~"), 0, "a@_{[$\t\r\n~");
    check_read(SMPP_ASCII, STR("a\xe9"), 0, "a\xef\xbf\xbd");
}

/* node-smpp sends GSM with data_coding 1: a '@' is a NUL there, a '_' is 0x11. */
static void gsm_that_is_called_ascii_is_read(void **state)
{
    check_read(SMPP_ASCII,
               STR("id\x11"
                   "7 me\x00x.y \x02 \x05 \x1b\x65 \x1b\x28"),
               0, "id_7 me@x.y $ é € {");
}

static void ucs2_is_read(void **state)
{
    check_read(SMPP_UCS2, STR("\x00\x61\x04\x1f\xd8\x3d\xde\x00\xff\xff"), 0, "aП😀\xef\xbf\xbf");
}

static void lone_surrogates_are_replaced(void **state)
{
    check_read(SMPP_UCS2, STR("\xd8\x3d"), 0, "\xef\xbf\xbd");
    check_read(SMPP_UCS2, STR("\xd8\x3d\x00\x61"), 0,
               "\xef\xbf\xbd"
               "a");
    check_read(SMPP_UCS2, STR("\xde\x00\x00\x61"), 0,
               "\xef\xbf\xbd"
               "a");
    check_read(SMPP_UCS2, STR("\xd8\x3d\xd8\x3d\xde\x00"), 0, "\xef\xbf\xbd😀");
    check_read(SMPP_UCS2, STR("\xdb\xff\xdf\xff"), 0, "\xf4\x8f\xbf\xbf");
}

static void an_odd_octet_at_the_end_is_replaced(void **state)
{
    check_read(SMPP_UCS2, STR("\x00\x61\x00"), 0, "a\xef\xbf\xbd");
    check_read(SMPP_UCS2, STR("\xd8\x3d\xde"), 0, "\xef\xbf\xbd\xef\xbf\xbd");
}

static void a_full_buffer_remembers(void **state)
{
    struct buf BUF_CLEANUP out;

    buf_init(&out, 4);
    smpp_text_decode(SMPP_GSM, STR("too much"), 0, &out);
    assert_true(out.failed);
}

/* ---- data_coding ---- */

enum { NONE = -1 };

static void check_codings(unsigned first, unsigned last, enum smpp_alphabet own, int wanted)
{
    for (unsigned coding = first; coding <= last; coding++)
        if (smpp_text_alphabet((uint8_t)coding, own) != wanted)
            fail_msg("data_coding 0x%02x is %d", coding, smpp_text_alphabet((uint8_t)coding, own));
}

static void codings_of_smpp(void **state)
{
    check_codings(0, 0, SMPP_GSM, SMPP_GSM);
    check_codings(1, 1, SMPP_GSM, SMPP_ASCII);
    check_codings(2, 2, SMPP_GSM, NONE);
    check_codings(3, 3, SMPP_GSM, SMPP_LATIN1);
    check_codings(4, 7, SMPP_GSM, NONE);
    check_codings(8, 8, SMPP_GSM, SMPP_UCS2);
    check_codings(9, 15, SMPP_GSM, NONE);
}

static void coding_0_is_the_carriers_own(void **state)
{
    check_codings(0, 0, SMPP_GSM_PACKED, SMPP_GSM_PACKED);
    check_codings(0, 0, SMPP_LATIN1, SMPP_LATIN1);
    check_codings(0, 0, SMPP_ASCII, SMPP_ASCII);
    check_codings(0, 0, SMPP_UCS2, SMPP_GSM);
}

static void message_classes(void **state)
{
    check_codings(0x10, 0x13, SMPP_GSM, SMPP_GSM);
    check_codings(0x10, 0x13, SMPP_LATIN1, SMPP_GSM);
    check_codings(0x10, 0x13, SMPP_GSM_PACKED, SMPP_GSM_PACKED);
    check_codings(0x14, 0x17, SMPP_GSM, NONE);
    check_codings(0x18, 0x1b, SMPP_GSM, SMPP_UCS2);
    check_codings(0x1c, 0x1f, SMPP_GSM, SMPP_GSM);
    check_codings(0xf0, 0xf3, SMPP_GSM, SMPP_GSM);
    check_codings(0xf0, 0xf3, SMPP_GSM_PACKED, SMPP_GSM_PACKED);
    check_codings(0xf4, 0xf7, SMPP_GSM, NONE);
    check_codings(0xf8, 0xfb, SMPP_LATIN1, SMPP_GSM);
    check_codings(0xfc, 0xff, SMPP_GSM, NONE);
}

static void compressed_texts_cannot_be_read(void **state)
{
    check_codings(0x20, 0x3f, SMPP_GSM, NONE);
    check_codings(0x60, 0x7f, SMPP_GSM, NONE);
}

static void waiting_messages_and_reserved_codings(void **state)
{
    check_codings(0x48, 0x4b, SMPP_GSM, SMPP_UCS2);
    check_codings(0x80, 0xbf, SMPP_GSM, SMPP_GSM);
    check_codings(0xc0, 0xdf, SMPP_GSM, SMPP_GSM);
    check_codings(0xe0, 0xef, SMPP_GSM, SMPP_UCS2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gsm_is_read),
        cmocka_unit_test(an_unknown_escape_shows_the_plain_character),
        cmocka_unit_test(two_escapes_are_a_space),
        cmocka_unit_test(an_escape_at_the_end_is_not_dropped),
        cmocka_unit_test(packed_gsm_is_read),
        cmocka_unit_test(filling_at_the_end_is_dropped),
        cmocka_unit_test(latin1_is_read),
        cmocka_unit_test(ascii_is_read),
        cmocka_unit_test(gsm_that_is_called_ascii_is_read),
        cmocka_unit_test(ucs2_is_read),
        cmocka_unit_test(lone_surrogates_are_replaced),
        cmocka_unit_test(an_odd_octet_at_the_end_is_replaced),
        cmocka_unit_test(a_full_buffer_remembers),
        cmocka_unit_test(codings_of_smpp),
        cmocka_unit_test(coding_0_is_the_carriers_own),
        cmocka_unit_test(message_classes),
        cmocka_unit_test(compressed_texts_cannot_be_read),
        cmocka_unit_test(waiting_messages_and_reserved_codings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
