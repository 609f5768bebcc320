/* A million random texts: made into parts, read back part by part as a receiver would, joined. So
 * no part is too long, none is cut inside a pair, and nothing is lost, in any alphabet and in any
 * way of sending long texts. */
#include "base/test_random.h"
#include "base/utf8.h"
#include "carriers/smpp_submit.h"
#include "messaging/segment.h"
#include "smpp/udh.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A sanitizer takes fifty times as long. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) ||                           \
    defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { TEXTS = 20000 };
#else
enum { TEXTS = 1000000 };
#endif

enum { OCTETS_MAX = 140, POINTS_MAX = 1600, ESM_UDHI = 0x40 };

static struct smpp_submission made;
static struct buf joined;

static uint32_t draw(uint32_t below)
{
    static uint64_t seed = 42; /* the same texts in every run */

    return test_random(&seed) % below;
}

/* ---- texts ---- */

/* Each flavour is for some alphabet, rich in what is hard to cut there. */
static int32_t random_point(uint32_t flavour)
{
    static const int32_t gsm[] = {'a', 'Z', '{',  '\\', 0x20ac, 0xe9, 0x394,
                                  '@', '~', '\n', '\r', '\f',   ' ',  0xe0};
    int32_t point;

    switch (flavour) {
    case 0:
        return gsm[draw(sizeof gsm / sizeof *gsm)];
    case 1:
        return draw(8) ? 'a' : draw(2) ? '\r' : '}';
    case 2:
        return draw(40) ? ' ' + (int32_t)draw(95) : '\r';
    case 3:
        return (int32_t)draw(0x100);
    case 4:
        return draw(2) ? 0x1f600 + (int32_t)draw(60) : 0x41f;
    default:
        do
            point = (int32_t)draw(0x110000);
        while (point >= 0xd800 && point <= 0xdfff);
        return point;
    }
}

/* Mostly short; some of several parts, some of the greatest length. */
static uint32_t random_length(void)
{
    uint32_t kind = draw(20);

    return kind < 12 ? draw(60) : kind < 19 ? draw(350) : draw(POINTS_MAX + 1);
}

static struct str random_text(void)
{
    static char bytes[POINTS_MAX * UTF8_MAX];
    uint32_t length = random_length(), flavour = draw(6);
    size_t n = 0;

    for (uint32_t i = 0; i < length; i++)
        n += utf8_encode(random_point(flavour), bytes + n);
    return (struct str){bytes, n};
}

/* ---- one part ---- */

/* What a handset's network carries: packed, and with the header that the SMSC puts before a part
 * whose number is in parameters. */
static size_t octets_on_air(const struct smpp_manner *manner, const struct smpp_pdu *pdu,
                            size_t header, size_t text)
{
    bool unpacked = manner->alphabet == SMPP_GSM && pdu->data_coding == 0;

    if (manner->long_text == SMPP_LONG_SAR && made.count > 1)
        header = UDH_SIZE;
    if (!unpacked)
        return header + text;
    return header + (udh_fill(header) + 7 * text + 7) / 8;
}

static void check_place(const struct smpp_manner *manner, const struct smpp_pdu *pdu, unsigned i,
                        struct udh_parts parts)
{
    uint32_t number = 0, total = 0, reference = 0;

    if (manner->long_text == SMPP_LONG_SAR && made.count > 1) {
        assert_true(smpp_tlv_number(pdu, SMPP_TAG_SAR_REFERENCE, &reference));
        assert_true(smpp_tlv_number(pdu, SMPP_TAG_SAR_TOTAL, &total));
        assert_true(smpp_tlv_number(pdu, SMPP_TAG_SAR_NUMBER, &number));
        assert_int_equal(parts.total, 0);
        parts = (struct udh_parts){(uint16_t)reference, (uint8_t)total, (uint8_t)number};
    }
    assert_int_equal(parts.total, made.count > 1 ? made.count : 0);
    assert_int_equal(parts.number, made.count > 1 ? i + 1 : 0);
}

static void read_part(const struct smpp_manner *manner, unsigned i)
{
    const struct smpp_pdu *pdu = &made.pdus[i];
    struct str octets = pdu->short_message;
    struct udh_parts parts = {0};
    int alphabet = smpp_text_alphabet(pdu->data_coding, manner->alphabet);

    bool payload = smpp_tlv_find(pdu, SMPP_TAG_MESSAGE_PAYLOAD, &octets);
    size_t whole = octets.n;
    if (pdu->esm_class & ESM_UDHI)
        assert_true(udh_take(&octets, &parts));
    size_t header = whole - octets.n;
    assert_true(payload || octets_on_air(manner, pdu, header, octets.n) <= OCTETS_MAX);
    check_place(manner, pdu, i, parts);
    /* A pair that was cut in two would leave U+FFFD at the end of one part or the other. */
    smpp_text_decode((enum smpp_alphabet)alphabet, octets, udh_fill(header), &joined);
}

/* ---- all of them ---- */

static void check_count(const struct smpp_manner *manner, struct str text)
{
    enum encoding encoding;
    unsigned segments;

    if (manner->alphabet != SMPP_GSM ||
        (manner->long_text != SMPP_LONG_UDH8 && manner->long_text != SMPP_LONG_SAR))
        return;
    /* what was sent is what was counted, and paid for */
    assert_int_equal(segment_count(text, &encoding, &segments), 0);
    assert_int_equal(made.count, segments);
}

static void check_text(const struct smpp_manner *manner, struct str text)
{
    struct message m = {.kind = KIND_SMS,
                        .from = STR("+15551234567"),
                        .to = STR("+447700900123"),
                        .number_type = NUMBER_LOCAL,
                        .text = text,
                        .created_us = 1};

    assert_int_equal(smpp_submit_make(&made, manner, &m, (uint16_t)draw(0x10000)), 0);
    check_count(manner, text);
    buf_clear(&joined);
    for (unsigned i = 0; i < made.count; i++)
        read_part(manner, i);
    if (!str_eq(buf_str(&joined), text))
        fail_msg("alphabet %d, way %d: '%.*s' came back as '%.*s'", (int)manner->alphabet,
                 (int)manner->long_text, STR_FMT(text), STR_FMT(buf_str(&joined)));
}

static void a_million_texts_come_back_as_they_were(void **state)
{
    unsigned several = 0;

    for (unsigned i = 0; i < TEXTS; i++) {
        struct smpp_manner manner = {
            .alphabet = (enum smpp_alphabet)(i % (SMPP_UCS2 + 1)),
            .long_text = (enum smpp_long_text)(i / (SMPP_UCS2 + 1) % (SMPP_LONG_PAYLOAD + 1)),
            .data_coding = -1,
            .service_type = ""};
        check_text(&manner, random_text());
        several += made.count > 1;
    }
    assert_true(several > TEXTS / 10);
}

static int set_up(void **state)
{
    buf_init(&joined, (size_t)16 * POINTS_MAX * UTF8_MAX);
    return 0;
}

static int tear_down(void **state)
{
    smpp_submission_done(&made);
    buf_done(&joined);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_texts_come_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
