/* What real peers send beside the book, and what no peer may do to us. */
#include "smpp/pdu.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* A PDU under construction: header first, its length made right by `draft_read`. */
struct draft {
    struct buf bytes;
};

static void draft_begin(struct draft *d, uint32_t command, uint32_t status, uint32_t sequence)
{
    const uint32_t words[] = {0, command, status, sequence};

    buf_init(&d->bytes, 1 << 20);
    for (size_t i = 0; i < 4; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            buf_add_char(&d->bytes, (char)(words[i] >> shift));
}

/* Exactly as many bytes as there are, so that the address sanitizer sees the end. */
static int draft_read(struct draft *d, struct smpp_pdu *ret)
{
    d->bytes.p[1] = (char)(d->bytes.n >> 16);
    d->bytes.p[2] = (char)(d->bytes.n >> 8);
    d->bytes.p[3] = (char)d->bytes.n;
    d->bytes.p = realloc(d->bytes.p, d->bytes.n);
    d->bytes.size = d->bytes.n;
    assert_non_null(d->bytes.p);
    return smpp_decode(buf_str(&d->bytes), ret);
}

static void draft_done(struct draft *d)
{
    buf_done(&d->bytes);
}

#define DRAFT __attribute__((cleanup(draft_done))) struct draft

static void begin_deliver(struct draft *d)
{
    draft_begin(d, SMPP_DELIVER_SM, 0, 1);
    buf_add(&d->bytes, STR("\0\1\1"
                           "447700900123\0"
                           "\0\0"
                           "12345\0"
                           "\4\0\0\0\0\0\0\0\0"));
}

/* ---- longer than the book has it ---- */

static void ids_may_be_longer(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, SMPP_SUBMIT_SM | SMPP_RESPONSE, 0, 1);
    for (int i = 0; i < 80; i++)
        buf_add_char(&d.bytes, 'x');
    buf_add_char(&d.bytes, '\0');
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_int_equal(pdu.message_id.n, 80);
}

static void passwords_may_be_longer(void **state)
{
    struct smpp_pdu bind = {.command = SMPP_BIND_TRANSCEIVER,
                            .system_id = STR("acme"),
                            .password = STR("correct horse battery")};
    struct buf out BUF_CLEANUP;
    struct smpp_pdu read;
    char longest[65];

    buf_init(&out, 1024);
    assert_int_equal(smpp_encode(&bind, &out), 0);
    assert_int_equal(smpp_decode(buf_str(&out), &read), 0);
    assert_true(str_eq(read.password, bind.password));
    memset(longest, 'x', sizeof longest);
    bind.password = (struct str){longest, sizeof longest};
    assert_int_equal(smpp_encode(&bind, &out), -EINVAL);
}

/* ---- frames ---- */

static void frames_wait_for_their_bytes(void **state)
{
    static const char bytes[] = "\0\0\0\x11\0\0\0\x15\0\0\0\0\0\0\0\x01xmore";
    size_t length = 1;

    for (size_t n = 0; n < 17; n++) {
        assert_int_equal(smpp_frame((struct str){bytes, n}, &length), 0);
        assert_int_equal(length, 0);
    }
    assert_int_equal(smpp_frame((struct str){bytes, 17}, &length), 0);
    assert_int_equal(length, 17);
    assert_int_equal(smpp_frame((struct str){bytes, 21}, &length), 0);
    assert_int_equal(length, 17);
}

static void frames_with_senseless_lengths_are_broken(void **state)
{
    size_t length;

    assert_int_equal(smpp_frame(STR("\0\0\0\x0f"), &length), -EBADMSG);
    assert_int_equal(smpp_frame(STR("\0\0\0\0"), &length), -EBADMSG);
    assert_int_equal(smpp_frame(STR("\0\1\0\x11"), &length), -EBADMSG);
    assert_int_equal(smpp_frame(STR("\xff\xff\xff\xff"), &length), -EBADMSG);
    assert_int_equal(smpp_frame(STR("GET / HTTP/1.1\r\n\r\n"), &length), -EBADMSG);
    assert_int_equal(smpp_frame(STR("\0\1\0\x10"), &length), 0);
    assert_int_equal(length, 0);
}

static void a_pdu_is_as_long_as_it_says(void **state)
{
    static const char bytes[] = "\0\0\0\x10\0\0\0\x15\0\0\0\0\0\0\0\x01x";
    struct smpp_pdu pdu;

    assert_int_equal(smpp_decode((struct str){bytes, 16}, &pdu), 0);
    assert_int_equal(smpp_decode((struct str){bytes, 17}, &pdu), -EBADMSG);
    assert_int_equal(pdu.command, SMPP_ENQUIRE_LINK);
    assert_int_equal(smpp_decode((struct str){bytes, 15}, &pdu), -EBADMSG);
    assert_int_equal(pdu.command, 0);
}

static void unknown_commands_are_told_by_their_header(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, 0x00010200, 3, 42);
    buf_text(&d.bytes, "whatever");
    assert_int_equal(draft_read(&d, &pdu), -ENOTSUP);
    assert_int_equal(pdu.command, 0x00010200);
    assert_int_equal(pdu.status, 3);
    assert_int_equal(pdu.sequence, 42);
    assert_false(pdu.has_body);
}

/* ---- responses ---- */

static void refusals_come_without_a_body(void **state)
{
    static const uint32_t commands[] = {SMPP_SUBMIT_SM, SMPP_BIND_TRANSCEIVER, SMPP_QUERY_SM};

    for (size_t i = 0; i < 3; i++) {
        DRAFT d;
        struct smpp_pdu pdu;
        draft_begin(&d, commands[i] | SMPP_RESPONSE, 0x0e, 5);
        assert_int_equal(draft_read(&d, &pdu), 0);
        assert_int_equal(pdu.status, 0x0e);
        assert_int_equal(pdu.sequence, 5);
        assert_false(pdu.has_body);
        assert_int_equal(pdu.message_id.n, 0);
    }
}

static void refusals_come_with_a_body(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;
    struct str why;

    draft_begin(&d, SMPP_SUBMIT_SM | SMPP_RESPONSE, 0x45, 5);
    buf_add(&d.bytes, STR("\0\0\x1d\0\x0aNo credit\0"));
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_true(pdu.has_body);
    assert_true(smpp_tlv_text(&pdu, SMPP_TAG_ADDITIONAL_STATUS, &why));
    assert_true(str_is(why, "No credit"));
}

static void of_a_refusal_with_a_broken_body_the_status_counts(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, SMPP_SUBMIT_SM | SMPP_RESPONSE, 0x58, 5);
    buf_add(&d.bytes, STR("no NUL"));
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_int_equal(pdu.status, 0x58);
    assert_false(pdu.has_body);
    assert_int_equal(pdu.message_id.n, 0);
}

static void a_broken_success_is_broken(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, SMPP_SUBMIT_SM | SMPP_RESPONSE, 0, 5);
    buf_add(&d.bytes, STR("no NUL"));
    assert_int_equal(draft_read(&d, &pdu), -EBADMSG);
    assert_int_equal(pdu.command, SMPP_SUBMIT_SM | SMPP_RESPONSE);
    assert_int_equal(pdu.sequence, 5);
    assert_null(pdu.message_id.p);
}

static void success_comes_without_a_body(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, SMPP_DELIVER_SM | SMPP_RESPONSE, 0, 5);
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_false(pdu.has_body);
}

static void success_comes_with_an_empty_message_id(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, SMPP_SUBMIT_SM | SMPP_RESPONSE, 0, 5);
    buf_add_char(&d.bytes, 0);
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_true(pdu.has_body);
    assert_int_equal(pdu.message_id.n, 0);
}

static void requests_come_with_a_body(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, SMPP_DELIVER_SM, 0x58, 5);
    assert_int_equal(draft_read(&d, &pdu), -EBADMSG);
}

static void submit_sm_resp_comes_with_parameters(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;
    uint32_t congestion;

    draft_begin(&d, SMPP_SUBMIT_SM | SMPP_RESPONSE, 0, 5);
    buf_add(&d.bytes, STR("A001\0\x04\x28\0\1\x5b"));
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_true(str_is(pdu.message_id, "A001"));
    assert_true(smpp_tlv_number(&pdu, SMPP_TAG_CONGESTION_STATE, &congestion));
    assert_int_equal(congestion, 91);
}

static void vendors_have_statuses_of_their_own(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, SMPP_SUBMIT_SM | SMPP_RESPONSE, 0x4ff, 5);
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_int_equal(pdu.status, 0x4ff);
}

static void sequence_numbers_may_be_anything(void **state)
{
    static const uint32_t numbers[] = {0, 0x7fffffff, 0x80000000, 0xffffffff};

    for (size_t i = 0; i < 4; i++) {
        DRAFT d;
        struct smpp_pdu pdu;
        draft_begin(&d, SMPP_ENQUIRE_LINK, 0, numbers[i]);
        assert_int_equal(draft_read(&d, &pdu), 0);
        assert_int_equal(pdu.sequence, numbers[i]);
    }
}

/* ---- bodies ---- */

static void short_messages_of_254_and_255_bytes_are_read(void **state)
{
    for (size_t n = 254; n <= 255; n++) {
        DRAFT d;
        struct smpp_pdu pdu;
        begin_deliver(&d);
        buf_add_char(&d.bytes, (char)n);
        for (size_t i = 0; i < n; i++)
            buf_add_char(&d.bytes, (char)i);
        assert_int_equal(draft_read(&d, &pdu), 0);
        assert_int_equal(pdu.short_message.n, n);
        assert_int_equal((uint8_t)pdu.short_message.p[n - 1], n - 1);
    }
}

static void a_short_message_over_the_end_is_broken(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    begin_deliver(&d);
    buf_add(&d.bytes, STR("\xff"
                          "abc"));
    assert_int_equal(draft_read(&d, &pdu), -EBADMSG);
    assert_int_equal(pdu.command, SMPP_DELIVER_SM);
    assert_int_equal(pdu.sequence, 1);
    assert_null(pdu.source.digits.p);
}

static void payloads_over_1024_bytes_are_read(void **state)
{
    static const size_t sizes[] = {1024, 1025, 40000, 65000};
    static const char letters[65000];

    for (size_t i = 0; i < 4; i++) {
        DRAFT d;
        struct smpp_pdu pdu;
        struct str payload;
        begin_deliver(&d);
        buf_add_char(&d.bytes, 0);
        smpp_tlv_put(&d.bytes, SMPP_TAG_MESSAGE_PAYLOAD, (struct str){letters, sizes[i]});
        assert_int_equal(draft_read(&d, &pdu), 0);
        assert_true(smpp_tlv_find(&pdu, SMPP_TAG_MESSAGE_PAYLOAD, &payload));
        assert_int_equal(payload.n, sizes[i]);
    }
}

static void unknown_parameters_are_kept_and_passed_over(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;
    struct str value;
    uint32_t number;

    begin_deliver(&d);
    buf_add(&d.bytes, STR("\0\x14\x03\0\3xyz\x14\x04\0\0\x04\x27\0\1\2"));
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_true(smpp_tlv_number(&pdu, SMPP_TAG_MESSAGE_STATE, &number));
    assert_int_equal(number, 2);
    assert_true(smpp_tlv_find(&pdu, 0x1403, &value));
    assert_true(str_is(value, "xyz"));
    assert_true(smpp_tlv_find(&pdu, 0x1404, &value));
    assert_int_equal(value.n, 0);
    assert_int_equal(pdu.tlvs.n, 16);
}

static void a_parameter_over_the_end_is_broken(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    begin_deliver(&d);
    buf_add(&d.bytes, STR("\0\x04\x27\0\1\2\x00\x1e\0\x05"
                          "A001"));
    assert_int_equal(draft_read(&d, &pdu), -EBADMSG);
}

static void less_than_a_parameter_at_the_end_is_ignored(void **state)
{
    for (size_t n = 1; n <= 3; n++) {
        DRAFT d;
        struct smpp_pdu pdu;
        begin_deliver(&d);
        buf_add(&d.bytes, STR("\0\x04\x27\0\1\2"));
        buf_add(&d.bytes, (struct str){"\0\0\0", n});
        assert_int_equal(draft_read(&d, &pdu), 0);
        assert_int_equal(pdu.tlvs.n, 5);
    }
}

/* A NUL one byte beyond the field's maximum is too late, even though the PDU goes on. */
static void texts_end_within_their_field(void **state)
{
    for (size_t digits = 20; digits <= 21; digits++) {
        DRAFT d;
        struct smpp_pdu pdu;
        draft_begin(&d, SMPP_QUERY_SM, 0, 1);
        buf_add(&d.bytes, STR("id\0\1\1"));
        for (size_t i = 0; i < digits; i++)
            buf_add_char(&d.bytes, '4');
        buf_add(&d.bytes, STR("\0\0\0\0\0"));
        assert_int_equal(draft_read(&d, &pdu), digits == 20 ? 0 : -EBADMSG);
        assert_int_equal(pdu.source.digits.n, digits == 20 ? 20 : 0);
    }
}

/* Every shorter form of a good request is either broken or, cut between parameters, whole. */
static void cut_pdus_are_broken(void **state)
{
    for (size_t cut = 1; cut < 100; cut++) {
        DRAFT d;
        struct smpp_pdu pdu;
        begin_deliver(&d);
        buf_add(&d.bytes, STR("\5hello"));
        size_t mandatory = d.bytes.n;
        buf_add(&d.bytes, STR("\x00\x1e\0\x05"
                              "A001\0\x04\x27\0\1\2"));
        if (cut > d.bytes.n - SMPP_HEADER_SIZE)
            break;
        d.bytes.n -= cut;
        int r = draft_read(&d, &pdu);
        size_t behind = d.bytes.n < mandatory ? 4 : (d.bytes.n - mandatory) % 9;
        assert_int_equal(r, behind < 4 ? 0 : -EBADMSG);
    }
}

static void what_is_not_of_the_command_is_empty(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    memset(&pdu, 0xee, sizeof pdu);
    draft_begin(&d, SMPP_SUBMIT_SM | SMPP_RESPONSE, 0, 5);
    buf_add(&d.bytes, STR("A001\0"));
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_null(pdu.password.p);
    assert_int_equal(pdu.short_message.n, 0);
    assert_int_equal(pdu.esm_class, 0);
    assert_int_equal(pdu.tlvs.n, 0);
}

static void submit_multi_is_known_and_not_read(void **state)
{
    DRAFT d;
    struct smpp_pdu pdu;

    draft_begin(&d, SMPP_SUBMIT_MULTI, 0, 5);
    buf_text(&d.bytes, "\1\2\3");
    assert_int_equal(draft_read(&d, &pdu), 0);
    assert_true(str_is(pdu.opaque, "\1\2\3"));
}

/* ---- random bytes ---- */

static uint32_t random_number(void)
{
    static uint64_t seed = 0x9e3779b97f4a7c15; /* the same in every run */

    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* A good deliver_sm with a few bytes changed and its end cut or not, or nothing but chance. */
static void draft_random(struct draft *d)
{
    if (random_number() % 4 == 0) {
        draft_begin(d, random_number() & 0x8000000f, random_number() % 2, 1);
        for (uint32_t n = random_number() % 80; n > 0; n--)
            buf_add_char(&d->bytes, (char)random_number());
        return;
    }
    begin_deliver(d);
    buf_add(&d->bytes, STR("\5hello\x00\x1e\0\x05"
                           "A001\0\x04\x27\0\1\2\x02\x04\0\2xy"));
    for (uint32_t n = random_number() % 4; n > 0; n--)
        d->bytes.p[4 + random_number() % (d->bytes.n - 4)] = (char)random_number();
    if (random_number() % 2)
        d->bytes.n -= random_number() % (d->bytes.n - SMPP_HEADER_SIZE);
}

/* Whatever can be read can be shown, and written so that it is read the same. */
static void random_bytes_do_no_harm(void **state)
{
    unsigned good = 0;

    for (int i = 0; i < 100000; i++) {
        DRAFT d;
        BUF_CLEANUP struct buf out;
        struct smpp_pdu pdu, again;
        buf_init(&out, 1 << 20);
        draft_random(&d);
        int r = draft_read(&d, &pdu);
        smpp_print(&pdu, &out);
        assert_false(out.failed);
        buf_clear(&out);
        if (r == 0) {
            good++;
            assert_int_equal(smpp_encode(&pdu, &out), 0);
            assert_int_equal(smpp_decode(buf_str(&out), &again), 0);
            assert_true(pdu.status != 0 || str_eq(pdu.tlvs, again.tlvs));
        }
    }
    assert_in_range(good, 1000, 99000); /* both ways were gone */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_may_be_longer),
        cmocka_unit_test(passwords_may_be_longer),
        cmocka_unit_test(frames_wait_for_their_bytes),
        cmocka_unit_test(frames_with_senseless_lengths_are_broken),
        cmocka_unit_test(a_pdu_is_as_long_as_it_says),
        cmocka_unit_test(unknown_commands_are_told_by_their_header),
        cmocka_unit_test(refusals_come_without_a_body),
        cmocka_unit_test(refusals_come_with_a_body),
        cmocka_unit_test(of_a_refusal_with_a_broken_body_the_status_counts),
        cmocka_unit_test(a_broken_success_is_broken),
        cmocka_unit_test(success_comes_without_a_body),
        cmocka_unit_test(success_comes_with_an_empty_message_id),
        cmocka_unit_test(requests_come_with_a_body),
        cmocka_unit_test(submit_sm_resp_comes_with_parameters),
        cmocka_unit_test(vendors_have_statuses_of_their_own),
        cmocka_unit_test(sequence_numbers_may_be_anything),
        cmocka_unit_test(short_messages_of_254_and_255_bytes_are_read),
        cmocka_unit_test(a_short_message_over_the_end_is_broken),
        cmocka_unit_test(payloads_over_1024_bytes_are_read),
        cmocka_unit_test(unknown_parameters_are_kept_and_passed_over),
        cmocka_unit_test(a_parameter_over_the_end_is_broken),
        cmocka_unit_test(less_than_a_parameter_at_the_end_is_ignored),
        cmocka_unit_test(texts_end_within_their_field),
        cmocka_unit_test(cut_pdus_are_broken),
        cmocka_unit_test(what_is_not_of_the_command_is_empty),
        cmocka_unit_test(submit_multi_is_known_and_not_read),
        cmocka_unit_test(random_bytes_do_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
