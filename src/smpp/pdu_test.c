/* The table of commands against the facts (tests/data), and both ways of every command. What peers
 * do beside the book is in pdu_quirks_test.c. */
#include "smpp/pdu_internal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- the facts ---- */

typedef void row_fn(uint32_t code, struct str name, struct str rest);

static unsigned each_row(const char *file, row_fn *fn)
{
    static char line[4096];
    char path[512];
    unsigned rows = 0;

    snprintf(path, sizeof path, "%s/tests/data/%s", getenv("SKYLARK_SOURCE"), file);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the headings */
    while (fgets(line, sizeof line, f)) {
        struct str rest = str_trim(str_of(line));
        struct str code = str_cut(&rest, ',');
        struct str name = str_cut(&rest, ',');
        fn((uint32_t)strtoul(code.p, NULL, 16), name, rest);
        rows++;
    }
    fclose(f);
    return rows;
}

/* The types of a command's fields as one letter each: i byte, s text, b bytes. */
static void shape_of_layout(const struct smpp_layout *layout, struct buf *out)
{
    static const char *const shapes[] = {
        [SMPP_FIELD_U8] = "i",        [SMPP_FIELD_TEXT] = "s",  [SMPP_FIELD_SECRET] = "s",
        [SMPP_FIELD_ADDRESS] = "iis", [SMPP_FIELD_BYTES] = "b", [SMPP_FIELD_REST] = "*",
    };

    for (size_t i = 0; i < layout->count; i++)
        buf_text(out, shapes[layout->fields[i].type]);
}

static void shape_of_fact(struct str params, struct buf *out)
{
    while (params.n > 0) {
        struct str one = str_cut(&params, ' ');
        str_cut(&one, ':');
        buf_text(out, str_is(one, "int8")      ? "i"
                      : str_is(one, "cstring") ? "s"
                      : str_is(one, "buffer")  ? "b"
                                               : "?");
    }
}

static void command_agrees(uint32_t command, struct str name, struct str rest)
{
    const struct smpp_layout *layout = smpp_layout_of(command);
    BUF_CLEANUP struct buf ours, theirs;

    buf_init(&ours, 256);
    buf_init(&theirs, 256);
    assert_non_null(layout);
    assert_true(str_is(name, layout->name));
    assert_ptr_equal(smpp_command_name(command), layout->name);
    str_cut(&rest, ',');
    shape_of_layout(layout, &ours);
    shape_of_fact(rest, &theirs);
    if ((command & ~SMPP_RESPONSE) == SMPP_SUBMIT_MULTI)
        assert_true(str_is(buf_str(&ours), "*"));
    else if (!str_eq(buf_str(&ours), buf_str(&theirs)))
        fail_msg("%.*s: %.*s, not %.*s", STR_FMT(name), STR_FMT(buf_str(&ours)),
                 STR_FMT(buf_str(&theirs)));
}

static void commands_are_those_of_the_facts(void **state)
{
    unsigned facts = each_row("smpp_commands.csv", command_agrees), ours = 0;

    for (uint32_t number = 0; number < 0x1000; number++) {
        ours += smpp_command_name(number) != NULL;
        ours += smpp_command_name(number | SMPP_RESPONSE) != NULL;
    }
    assert_int_equal(facts, ours);
    assert_null(smpp_command_name(0));
    assert_null(smpp_command_name(0x7fffffff));
    assert_null(smpp_command_name(0xffffffff));
}

/* ---- both ways ---- */

/* Every field of a command filled up to its limit. */
static void fill(const struct smpp_layout *layout, struct smpp_pdu *pdu)
{
    static char letters[256];

    memset(letters, 'x', sizeof letters);
    for (size_t i = 0; i < layout->count; i++) {
        const struct smpp_field *field = &layout->fields[i];
        void *at = (char *)pdu + field->offset;
        struct str text = {letters, field->max ? field->max - 1u : 255};
        if (field->type == SMPP_FIELD_U8)
            *(uint8_t *)at = (uint8_t)(0x80 + i);
        else if (field->type == SMPP_FIELD_ADDRESS)
            *(struct smpp_address *)at = (struct smpp_address){(uint8_t)i, 0xff, text};
        else
            *(struct str *)at = text;
    }
}

static void assert_same_field(const struct smpp_field *field, const void *a, const void *b)
{
    const struct smpp_address *x = a, *y = b;

    if (field->type == SMPP_FIELD_U8) {
        assert_int_equal(*(const uint8_t *)a, *(const uint8_t *)b);
    } else if (field->type == SMPP_FIELD_ADDRESS) {
        assert_int_equal(x->ton, y->ton);
        assert_int_equal(x->npi, y->npi);
        assert_true(str_eq(x->digits, y->digits));
    } else {
        assert_true(str_eq(*(const struct str *)a, *(const struct str *)b));
    }
}

static void assert_same(const struct smpp_pdu *a, const struct smpp_pdu *b)
{
    const struct smpp_layout *layout = smpp_layout_of(a->command);

    assert_int_equal(a->command, b->command);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->sequence, b->sequence);
    assert_true(str_eq(a->tlvs, b->tlvs));
    for (size_t i = 0; i < layout->count; i++) {
        const struct smpp_field *field = &layout->fields[i];
        assert_same_field(field, (const char *)a + field->offset, (const char *)b + field->offset);
    }
}

static void both_ways(const struct smpp_pdu *pdu)
{
    BUF_CLEANUP struct buf out;
    struct smpp_pdu read;
    size_t length;

    buf_init(&out, SMPP_PDU_MAX + 1);
    buf_add_char(&out, '!'); /* what is in the buffer stays */
    assert_int_equal(smpp_encode(pdu, &out), 0);
    assert_int_equal(out.p[0], '!');
    struct str bytes = {out.p + 1, out.n - 1};
    assert_int_equal(smpp_frame(bytes, &length), 0);
    assert_int_equal(length, bytes.n);
    assert_int_equal(smpp_decode(bytes, &read), 0);
    assert_same(pdu, &read);
}

static void command_goes_both_ways(uint32_t command, struct str name, struct str rest)
{
    const struct smpp_layout *layout = smpp_layout_of(command);
    struct smpp_pdu pdu = {.command = command, .sequence = 0x7fffffff};
    bool opaque = layout->count > 0 && layout->fields[0].type == SMPP_FIELD_REST;

    both_ways(&pdu);
    fill(layout, &pdu);
    both_ways(&pdu);
    if (!opaque)
        pdu.tlvs = STR("\x02\x04\x00\x02\x12\x34\x14\x01\x00\x00");
    both_ways(&pdu);
}

static void every_command_goes_both_ways(void **state)
{
    assert_int_equal(each_row("smpp_commands.csv", command_goes_both_ways), 33);
}

/* A byte too many in any field is refused, and nothing is written. */
static void command_has_limits(uint32_t command, struct str name, struct str rest)
{
    const struct smpp_layout *layout = smpp_layout_of(command);
    BUF_CLEANUP struct buf out;

    buf_init(&out, SMPP_PDU_MAX);
    for (size_t i = 0; i < layout->count; i++) {
        const struct smpp_field *field = &layout->fields[i];
        struct smpp_pdu pdu = {.command = command};
        fill(layout, &pdu);
        struct str *text = (struct str *)((char *)&pdu + field->offset);
        if (field->type == SMPP_FIELD_U8 || field->type == SMPP_FIELD_REST)
            continue;
        if (field->type == SMPP_FIELD_ADDRESS)
            text = &((struct smpp_address *)((char *)&pdu + field->offset))->digits;
        text->n++;
        assert_int_equal(smpp_encode(&pdu, &out), -EINVAL);
        *text = STR("a\0b");
        assert_int_equal(smpp_encode(&pdu, &out), field->type == SMPP_FIELD_BYTES ? 0 : -EINVAL);
        assert_int_equal(out.n > 0, field->type == SMPP_FIELD_BYTES);
    }
}

static void too_long_fields_and_nuls_are_refused(void **state)
{
    each_row("smpp_commands.csv", command_has_limits);
}

/* The same bytes as the table of the specification says, written by hand. */
static void submit_sm_is_as_specified(void **state)
{
    static const char bytes[] = "\0\0\0\x3e\0\0\0\x04\0\0\0\0\0\0\0\x07"
                                "WAP\0"
                                "\x05\0Skylark\0"
                                "\x01\x01"
                                "447700900123\0"
                                "\x40\x01\x02\0\0\x11\0\x08\0\x02hi"
                                "\x02\x04\0\x01\x2a";
    const struct smpp_pdu pdu = {
        .command = SMPP_SUBMIT_SM,
        .sequence = 7,
        .service_type = STR("WAP"),
        .source = {5, 0, STR("Skylark")},
        .destination = {1, 1, STR("447700900123")},
        .esm_class = 0x40,
        .protocol_id = 1,
        .priority = 2,
        .registered_delivery = 0x11,
        .data_coding = 8,
        .short_message = STR("hi"),
        .tlvs = STR("\x02\x04\0\x01\x2a"),
    };
    BUF_CLEANUP struct buf out;
    struct smpp_pdu read;

    buf_init(&out, 1000);
    assert_int_equal(smpp_encode(&pdu, &out), 0);
    assert_int_equal(out.n, sizeof bytes - 1);
    assert_memory_equal(out.p, bytes, out.n);
    assert_int_equal(smpp_decode((struct str){bytes, sizeof bytes - 1}, &read), 0);
    assert_same(&pdu, &read);
    assert_true(read.has_body);
    assert_ptr_equal(read.source.digits.p, bytes + 22); /* a view, not a copy */
}

/* PDUs that node-smpp 0.5.1 wrote (fuzz/corpus/smpp): read and written again they are the same
 * bytes. */
static void a_peers_pdus_come_back_the_same(void **state)
{
    static const char *const names[] = {
        "alert",
        "bind_refused",
        "bind_transceiver",
        "bind_transceiver_resp",
        "data_sm",
        "bind_transmitter",
        "cancel",
        "deliver_inbound",
        "deliver_receipt",
        "deliver_resp",
        "enquire_link",
        "enquire_link_resp",
        "generic_nack",
        "outbind",
        "query",
        "query_resp",
        "replace",
        "submit_255",
        "submit_name",
        "submit_payload",
        "submit_resp",
        "submit_resp_tlv",
        "submit_sar",
        "submit_throttled",
        "submit_udh",
        "submit_vendor",
        "unbind",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        BUF_CLEANUP struct buf out;
        char path[512], bytes[2048];
        struct smpp_pdu pdu;
        snprintf(path, sizeof path, "%s/fuzz/corpus/smpp/%s", getenv("SKYLARK_SOURCE"), names[i]);
        FILE *f = fopen(path, "re");
        assert_non_null(f);
        size_t n = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        buf_init(&out, SMPP_PDU_MAX);
        assert_int_equal(smpp_decode((struct str){bytes, n}, &pdu), 0);
        assert_int_equal(smpp_encode(&pdu, &out), 0);
        if (!str_eq(buf_str(&out), (struct str){bytes, n}))
            fail_msg("%s is written otherwise", names[i]);
    }
}

static void unknown_commands_cannot_be_written(void **state)
{
    const struct smpp_pdu pdu = {.command = 0x0a};
    BUF_CLEANUP struct buf out;

    buf_init(&out, 100);
    assert_int_equal(smpp_encode(&pdu, &out), -ENOTSUP);
    assert_int_equal(out.n, 0);
}

static void a_full_buffer_is_told(void **state)
{
    const struct smpp_pdu pdu = {.command = SMPP_ENQUIRE_LINK, .sequence = 1};
    BUF_CLEANUP struct buf out;

    buf_init(&out, SMPP_HEADER_SIZE + 15);
    assert_int_equal(smpp_encode(&pdu, &out), 0);
    assert_int_equal(smpp_encode(&pdu, &out), -ENOMEM);
    assert_int_equal(out.n, SMPP_HEADER_SIZE);
}

static void refusals_are_written_without_a_body(void **state)
{
    const struct smpp_pdu pdu = {
        .command = SMPP_SUBMIT_SM | SMPP_RESPONSE,
        .status = 0x58,
        .sequence = 9,
        .message_id = STR("x"),
        .tlvs = STR("\x02\x04\0\x01\x2a"),
    };
    BUF_CLEANUP struct buf out;

    buf_init(&out, 1000);
    assert_int_equal(smpp_encode(&pdu, &out), 0);
    assert_int_equal(out.n, SMPP_HEADER_SIZE);
    assert_memory_equal(out.p, "\0\0\0\x10\x80\0\0\x04\0\0\0\x58\0\0\0\x09", out.n);
}

static void broken_parameters_are_not_written(void **state)
{
    struct smpp_pdu pdu = {.command = SMPP_SUBMIT_SM, .tlvs = STR("\x02\x04\0\x02\x2a")};
    BUF_CLEANUP struct buf out;

    buf_init(&out, 1000);
    assert_int_equal(smpp_encode(&pdu, &out), -EINVAL);
    pdu.tlvs = STR("\x02\x04\0\x01\x2a\0");
    assert_int_equal(smpp_encode(&pdu, &out), -EINVAL);
    assert_int_equal(out.n, 0);
}

static void a_pdu_has_a_greatest_size(void **state)
{
    BUF_CLEANUP struct buf tlvs, out;
    static const char zeros[UINT16_MAX];
    /* 65536 bytes of body: 17 of mandatory fields, 4 of the parameter's head. */
    struct str value = {zeros, 65536 - 17 - 4};
    struct smpp_pdu pdu = {.command = SMPP_SUBMIT_SM};

    buf_init(&out, 2 * (size_t)SMPP_PDU_MAX);
    buf_init(&tlvs, SMPP_PDU_MAX);
    smpp_tlv_put(&tlvs, SMPP_TAG_MESSAGE_PAYLOAD, value);
    pdu.tlvs = buf_str(&tlvs);
    both_ways(&pdu);
    pdu.service_type = STR("x");
    assert_int_equal(smpp_encode(&pdu, &out), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_those_of_the_facts),
        cmocka_unit_test(every_command_goes_both_ways),
        cmocka_unit_test(too_long_fields_and_nuls_are_refused),
        cmocka_unit_test(submit_sm_is_as_specified),
        cmocka_unit_test(a_peers_pdus_come_back_the_same),
        cmocka_unit_test(unknown_commands_cannot_be_written),
        cmocka_unit_test(a_full_buffer_is_told),
        cmocka_unit_test(refusals_are_written_without_a_body),
        cmocka_unit_test(broken_parameters_are_not_written),
        cmocka_unit_test(a_pdu_has_a_greatest_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
