#include "messaging/segment.h"

#include "base/gsm0338.h"
#include "base/test_random.h"
#include "base/utf8.h"
#include "messaging/words.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static size_t from_hex(const char *hex, char *out)
{
    size_t n = 0;
    unsigned byte;

    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[n++] = (char)byte;
    return n;
}

static void vectors_hold(void **state)
{
    static char line[4096], hex[4096], text[2048];
    char path[512];
    unsigned rows = 0;

    snprintf(path, sizeof path, "%s/tests/data/segment_test_vectors.csv", getenv("SKYLARK_SOURCE"));
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f)); /* the headings */
    while (fgets(line, sizeof line, f)) {
        struct str rest = str_trim(str_of(line));
        struct str name = str_cut(&rest, ',');
        struct str bytes = str_cut(&rest, ',');
        struct str wanted_encoding = str_cut(&rest, ',');
        uint64_t wanted;
        enum encoding encoding;
        unsigned segments;

        assert_true(str_to_u64(str_cut(&rest, ','), &wanted));
        snprintf(hex, sizeof hex, "%.*s", STR_FMT(bytes));
        struct str s = {text, from_hex(hex, text)};
        assert_int_equal(segment_count(s, &encoding, &segments), 0);
        if (!str_is(wanted_encoding, encoding_word(encoding)) || segments != wanted)
            fail_msg("%.*s: %s, %u segments", STR_FMT(name), encoding_word(encoding), segments);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 30);
}

static void empty_text_is_one_empty_part(void **state)
{
    struct segment_splitter s;
    struct str part = STR("x");

    segment_split(&s, STR(""), SEGMENT_SEPTETS, SEGMENT_GSM7_PART);
    assert_true(segment_next(&s, &part));
    assert_int_equal(part.n, 0);
    assert_false(segment_next(&s, &part));
}

static void bad_text_is_refused(void **state)
{
    enum encoding encoding;
    unsigned segments;

    assert_int_equal(segment_count(STR("abc\xff"), &encoding, &segments), -EILSEQ);
    assert_int_equal(segment_count(STR("\xed\xa0\x80"), &encoding, &segments), -EILSEQ);
}

/* `wanted`: the parts, a bar between. */
static void check_cut(const char *text, enum segment_unit unit, unsigned room, const char *wanted)
{
    struct segment_splitter s;
    struct str rest = str_of(wanted), part;

    for (segment_split(&s, str_of(text), unit, room); segment_next(&s, &part);) {
        struct str should = str_cut(&rest, '|');
        if (!str_eq(part, should))
            fail_msg("'%.*s' instead of '%.*s'", STR_FMT(part), STR_FMT(should));
    }
    assert_null(rest.p);
}

static void parts_are_cut_to_any_room(void **state)
{
    check_cut("abcdefg", SEGMENT_SEPTETS, 3, "abc|def|g");
    check_cut("ab€€c", SEGMENT_SEPTETS, 3, "ab|€|€c");
    check_cut("ab€€c", SEGMENT_UTF16, 3, "ab€|€c");
    check_cut("ab😀😀c", SEGMENT_UTF16, 3, "ab|😀|😀c");
    check_cut("aéÿé", SEGMENT_CHARACTERS, 2, "aé|ÿé");
}

static void a_character_can_be_put_back(void **state)
{
    struct segment_splitter s;
    struct str part;

    segment_split(&s, STR("abc"), SEGMENT_SEPTETS, 3);
    assert_true(segment_next(&s, &part));
    segment_put_back(&s, &part);
    assert_true(str_is(part, "ab"));
    assert_true(segment_next(&s, &part));
    assert_true(str_is(part, "c"));
    assert_false(segment_next(&s, &part));
}

/* ---- properties over random texts ---- */

static uint32_t draw(uint32_t below)
{
    static uint64_t seed = 42; /* the same texts in every run */

    return test_random(&seed) % below;
}

/* Mostly of one flavour, so that all encodings and all kinds of cut come up. */
static int32_t random_point(uint32_t flavour)
{
    static const int32_t gsm[] = {'a', 'Z', '{', '}', '\\', 0x20ac, 0xe9, 0x394, '@', '\n', '~'};
    int32_t point;

    if (flavour == 0)
        return gsm[draw(sizeof gsm / sizeof *gsm)];
    if (flavour == 1)
        return draw(2) ? 0x1f600 + (int32_t)draw(60) : 0x41f;
    do
        point = (int32_t)draw(0x110000);
    while (point >= 0xd800 && point <= 0xdfff);
    return point;
}

static unsigned units_of(struct str part, enum encoding encoding)
{
    unsigned units = 0, bytes;

    while (part.n > 0) {
        int32_t point = utf8_decode(part, &bytes);
        assert_true(point >= 0); /* no part begins or ends inside a character */
        units += encoding == ENCODING_GSM7 ? gsm_septets(point) : point > 0xffff ? 2 : 1;
        part = str_skip(part, bytes);
    }
    return units;
}

static void check_parts(struct str text)
{
    enum encoding encoding;
    unsigned segments, seen = 0;
    struct segment_splitter s;
    struct str part;
    const char *expected = text.p;

    assert_int_equal(segment_count(text, &encoding, &segments), 0);
    unsigned room =
        encoding == ENCODING_GSM7 ? (segments == 1 ? 160 : 153) : (segments == 1 ? 70 : 67);
    segment_split(&s, text, encoding == ENCODING_GSM7 ? SEGMENT_SEPTETS : SEGMENT_UTF16, room);
    while (segment_next(&s, &part)) {
        unsigned units = units_of(part, encoding);
        assert_ptr_equal(part.p, expected); /* each begins where the last one ended */
        assert_true(units <= room);
        seen++;
        /* full but for at most one unit that a pair did not fit into */
        assert_true(seen == segments || units + 1 >= room);
        expected += part.n;
    }
    assert_ptr_equal(expected, text.p + text.n);
    assert_int_equal(seen, segments);
}

static void random_texts_rejoin(void **state)
{
    static char bytes[2000 * 4];

    for (unsigned round = 0; round < 20000; round++) {
        uint32_t length = draw(draw(20) ? 330 : 1600), flavour = draw(3);
        size_t n = 0;
        for (uint32_t i = 0; i < length; i++)
            n += utf8_encode(random_point(flavour), bytes + n);
        check_parts((struct str){bytes, n});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_hold),
        cmocka_unit_test(empty_text_is_one_empty_part),
        cmocka_unit_test(bad_text_is_refused),
        cmocka_unit_test(parts_are_cut_to_any_room),
        cmocka_unit_test(a_character_can_be_put_back),
        cmocka_unit_test(random_texts_rejoin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
