#include "smpp/pdu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void prints(const struct smpp_pdu *pdu, const char *line)
{
    BUF_CLEANUP struct buf out;

    buf_init(&out, 4096);
    smpp_print(pdu, &out);
    buf_add_char(&out, 0);
    assert_string_equal(out.p, line);
}

static void a_message(void **state)
{
    prints(&(struct smpp_pdu){.command = SMPP_SUBMIT_SM,
                              .sequence = 7,
                              .source = {5, 0, STR("Skylark")},
                              .destination = {1, 1, STR("447700900123")},
                              .esm_class = 0x40,
                              .validity = STR("000000010000000R"),
                              .registered_delivery = 1,
                              .data_coding = 8,
                              .short_message = STR("secret words")},
           "submit_sm #7, source 5/0 'Skylark', destination 1/1 '4477***0123', esm_class 0x40, "
           "validity '000000010000000R', registered_delivery 0x01, data_coding 0x08, "
           "short_message 12 bytes");
}

static void passwords_are_not_shown(void **state)
{
    prints(&(struct smpp_pdu){.command = SMPP_BIND_TRANSCEIVER,
                              .sequence = 1,
                              .system_id = STR("acme"),
                              .password = STR("pa55word"),
                              .interface_version = 0x34},
           "bind_transceiver #1, system_id 'acme', password ***, interface_version 0x34");
}

static void refusals_have_names(void **state)
{
    prints(&(struct smpp_pdu){.command = SMPP_SUBMIT_SM | SMPP_RESPONSE,
                              .status = 0x58,
                              .sequence = 4294967295},
           "submit_sm_resp #4294967295, status 0x58 ESME_RTHROTTLED");
    prints(&(struct smpp_pdu){.command = SMPP_SUBMIT_SM | SMPP_RESPONSE, .status = 0x4aa},
           "submit_sm_resp #0, status 0x4aa");
    prints(&(struct smpp_pdu){.command = SMPP_GENERIC_NACK, .status = 3, .sequence = 2},
           "generic_nack #2, status 0x3 ESME_RINVCMDID");
}

static void success_is_told(void **state)
{
    prints(&(struct smpp_pdu){.command = SMPP_SUBMIT_SM | SMPP_RESPONSE,
                              .sequence = 3,
                              .message_id = STR("A001")},
           "submit_sm_resp #3, status 0x0 ESME_ROK, message_id 'A001'");
}

static void unknown_commands_are_numbers(void **state)
{
    prints(&(struct smpp_pdu){.command = 0x10200, .sequence = 3}, "command 0x00010200 #3");
}

static void parameters_have_names(void **state)
{
    prints(&(struct smpp_pdu){.command = SMPP_DATA_SM,
                              .sequence = 9,
                              .source = {3, 0, STR("123456")},
                              .destination = {1, 1, STR("+4477009")},
                              .tlvs = STR("\0\x1e\0\5A001\0\x04\x27\0\1\2\x04\x24\0\6secret"
                                          "\x14\x01\0\1x\x02\x04\0\3xyz\x04\x23\0\3\3\0\1")},
           "data_sm #9, source 3/0 '123456', destination 1/1 '***09', "
           "receipted_message_id 'A001', message_state 2, message_payload 6 bytes, "
           "tlv 0x1401 1 byte, user_message_reference 3 bytes, network_error_code 3 bytes");
}

static void no_control_characters_get_out(void **state)
{
    prints(&(struct smpp_pdu){.command = SMPP_SUBMIT_SM | SMPP_RESPONSE,
                              .message_id = STR("a\n\x1b[2J\xff")},
           "submit_sm_resp #0, status 0x0 ESME_ROK, message_id 'a??[2J?'");
}

static void opaque_bodies_have_a_size(void **state)
{
    prints(&(struct smpp_pdu){.command = SMPP_SUBMIT_MULTI, .sequence = 1, .opaque = STR("abc")},
           "submit_multi #1, opaque 3 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message),
        cmocka_unit_test(passwords_are_not_shown),
        cmocka_unit_test(refusals_have_names),
        cmocka_unit_test(success_is_told),
        cmocka_unit_test(unknown_commands_are_numbers),
        cmocka_unit_test(parameters_have_names),
        cmocka_unit_test(no_control_characters_get_out),
        cmocka_unit_test(opaque_bodies_have_a_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
