#include "media/sniff.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define BYTES(literal) ((struct str){(literal), sizeof(literal) - 1})

struct sample {
    struct str head;
    const char *said;
    enum sniff_verdict verdict;
    enum media_kind kind;
};

static const struct sample samples[] = {
    {{"\xff\xd8\xff\xe0\0\x10JFIF", 10}, "image/jpeg", SNIFF_KNOWN, MEDIA_JPEG},
    {{"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16}, "image/png", SNIFF_KNOWN, MEDIA_PNG},
    {{"GIF89a\1\0\1\0", 10}, "image/gif", SNIFF_KNOWN, MEDIA_GIF},
    {{"GIF87a\1\0\1\0", 10}, "image/gif", SNIFF_KNOWN, MEDIA_GIF},
    {{"RIFF\x24\0\0\0WEBPVP8 ", 16}, "image/webp", SNIFF_KNOWN, MEDIA_WEBP},
    {{"\0\0\0\x18"
      "ftypmp42\0\0\0\0isom",
      20},
     "video/mp4",
     SNIFF_KNOWN,
     MEDIA_MP4},
    {{"\0\0\0\x20"
      "ftypisom\0\0\2\0isom",
      20},
     "video/mp4",
     SNIFF_KNOWN,
     MEDIA_MP4},
    {{"\0\0\0\x18"
      "ftyp3gp4\0\0\2\0",
      16},
     "video/3gpp",
     SNIFF_KNOWN,
     MEDIA_3GP},
    {{"#!AMR\n\x3c\x91", 8}, "audio/amr", SNIFF_KNOWN, MEDIA_AMR},
    {{"ID3\3\0\0\0\0\0\x23", 10}, "audio/mpeg", SNIFF_KNOWN, MEDIA_MP3},
    {{"\xff\xfb\x90\x64\0\0", 6}, "audio/mpeg", SNIFF_KNOWN, MEDIA_MP3},
    {{"BEGIN:VCARD\r\nVERSION:3.0\r\n", 26}, "text/vcard", SNIFF_KNOWN, MEDIA_VCARD},
    {{"begin:vcard\r\n", 13}, "text/x-vcard; charset=utf-8", SNIFF_KNOWN, MEDIA_VCARD},
    {{"BEGIN:VCARD\r\n", 13}, "text/plain", SNIFF_KNOWN, MEDIA_VCARD},
    {{"Grüße\tund\r\nmehr\n", 18}, "text/plain; charset=utf-8", SNIFF_KNOWN, MEDIA_TEXT},
    {{"\xef\xbb\xbfhello", 8}, "Text/Plain", SNIFF_KNOWN, MEDIA_TEXT},

    /* One picture may be called another, a film sound, and any file just a file. */
    {{"\xff\xd8\xff\xe0", 4}, "image/png", SNIFF_KNOWN, MEDIA_JPEG},
    {{"\xff\xd8\xff\xe0", 4}, "IMAGE/JPEG; q=1", SNIFF_KNOWN, MEDIA_JPEG},
    {{"\xff\xd8\xff\xe0", 4}, "", SNIFF_KNOWN, MEDIA_JPEG},
    {{"\xff\xd8\xff\xe0", 4}, "application/octet-stream", SNIFF_KNOWN, MEDIA_JPEG},
    {{"\xff\xd8\xff\xe0", 4}, "binary/octet-stream", SNIFF_KNOWN, MEDIA_JPEG},
    {{"\0\0\0\x18"
      "ftyp3gp4\0\0\2\0",
      16},
     "audio/3gpp",
     SNIFF_KNOWN,
     MEDIA_3GP},

    /* Header and content are of two classes. */
    {{"\xff\xd8\xff\xe0", 4}, "video/mp4", SNIFF_CONTRADICTED, MEDIA_JPEG},
    {{"\xff\xd8\xff\xe0", 4}, "text/html", SNIFF_CONTRADICTED, MEDIA_JPEG},
    {{"\xff\xd8\xff\xe0", 4}, "application/pdf", SNIFF_CONTRADICTED, MEDIA_JPEG},
    {{"#!AMR\n", 6}, "image/gif", SNIFF_CONTRADICTED, MEDIA_AMR},
    {{"\0\0\0\x18"
      "ftypmp42",
      12},
     "image/gif",
     SNIFF_CONTRADICTED,
     MEDIA_MP4},
    {{"just text", 9}, "image/jpeg", SNIFF_CONTRADICTED, MEDIA_TEXT},
    {{"just text", 9}, "text/vcard", SNIFF_CONTRADICTED, MEDIA_TEXT},
    {{"{\"a\":1}", 7}, "application/json", SNIFF_CONTRADICTED, MEDIA_TEXT},

    /* Text has no mark: the server must say it. */
    {{"just text", 9}, "", SNIFF_NOT_SAID, MEDIA_TEXT},
    {{"BEGIN:VCARD\r\n", 13}, "application/octet-stream", SNIFF_NOT_SAID, MEDIA_VCARD},

    /* Web pages are never text. */
    {{"<!DOCTYPE html><title>404</title>", 33}, "text/plain", SNIFF_PAGE, MEDIA_TEXT},
    {{" \r\n<HTML lang=en>", 17}, "text/plain", SNIFF_PAGE, MEDIA_TEXT},
    {{"not found", 9}, "text/html; charset=utf-8", SNIFF_PAGE, MEDIA_TEXT},
    {{"<html>", 6}, "image/jpeg", SNIFF_PAGE, MEDIA_TEXT},

    /* None of the kinds. */
    {{"%PDF-1.7\n%\xe2\xe3\xcf\xd3", 14}, "application/pdf", SNIFF_UNKNOWN, MEDIA_TEXT},
    {{"PK\3\4", 4}, "application/zip", SNIFF_UNKNOWN, MEDIA_TEXT},
    {{"\0\0\0\x18"
      "ftypheic",
      12},
     "image/heic",
     SNIFF_UNKNOWN,
     MEDIA_TEXT},
    {{"\0\0\0\x14"
      "ftypqt  ",
      12},
     "video/quicktime",
     SNIFF_UNKNOWN,
     MEDIA_TEXT},
    {{"\0\0\0\x18"
      "ftypM4A ",
      12},
     "audio/mp4",
     SNIFF_UNKNOWN,
     MEDIA_TEXT},
    {{"\0\0\0\x18"
      "ftyp3g2a",
      12},
     "video/3gpp2",
     SNIFF_UNKNOWN,
     MEDIA_TEXT},
    {{"RIFF\x24\0\0\0WAVEfmt ", 16}, "audio/wav", SNIFF_UNKNOWN, MEDIA_TEXT},
    {{"\xff\xf1\x50\x80", 4}, "audio/aac", SNIFF_UNKNOWN, MEDIA_TEXT},
    {{"\xff\xfe"
      "h\0i\0",
      6},
     "text/plain",
     SNIFF_UNKNOWN,
     MEDIA_TEXT},
    {{"\xff\xfb\xf0\x64", 4}, "audio/mpeg", SNIFF_UNKNOWN, MEDIA_TEXT},
    {{"\xff\xfb\x9c\x64", 4}, "audio/mpeg", SNIFF_UNKNOWN, MEDIA_TEXT},
    {{"a\0b", 3}, "text/plain", SNIFF_UNKNOWN, MEDIA_TEXT},
    {{"a\x1b[31m", 6}, "text/plain", SNIFF_UNKNOWN, MEDIA_TEXT},
    {{"Gr\xfc\xdf"
      "e",
      5},
     "text/plain",
     SNIFF_UNKNOWN,
     MEDIA_TEXT},
    {{"#!AMR-WB\n\x04", 10}, "audio/amr-wb", SNIFF_UNKNOWN, MEDIA_TEXT},
};

static void test_samples(void **state)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *want = &samples[i];
        struct sniffed s = sniff(want->head, str_of(want->said));

        if (s.verdict != want->verdict || (s.verdict != SNIFF_UNKNOWN && s.kind != want->kind))
            fail_msg("sample %zu (%s): verdict %d, kind %d", i, want->said, s.verdict, s.kind);
    }
}

/* A file that is cut short is no file of its kind. */
static void test_every_mark_counts_to_its_last_byte(void **state)
{
    for (size_t i = 0; i < 11; i++) {
        struct str head = samples[i].head;
        size_t least = head.n;

        while (least > 0) {
            struct sniffed s = sniff((struct str){head.p, least - 1}, STR(""));
            if (s.verdict != SNIFF_KNOWN)
                break;
            assert_int_equal(s.kind, samples[i].kind);
            least--;
        }
        assert_true(least >= 3);
    }
}

/* The character at the edge may be cut in two, what is behind is not looked at. */
static void test_the_edge(void **state)
{
    char text[SNIFF_BYTES + 10];

    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'a', sizeof text);
        for (size_t i = shift; i + 4 <= sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x98\x80", 4);
        struct sniffed s = sniff((struct str){text, sizeof text}, STR("text/plain"));
        assert_int_equal(s.verdict, SNIFF_KNOWN);
    }
    memset(text, 'a', sizeof text);
    text[SNIFF_BYTES] = '\0';
    assert_int_equal(sniff((struct str){text, sizeof text}, STR("text/plain")).verdict,
                     SNIFF_KNOWN);
    text[SNIFF_BYTES - 1] = '\0';
    assert_int_equal(sniff((struct str){text, sizeof text}, STR("text/plain")).verdict,
                     SNIFF_UNKNOWN);
    /* A short text has no edge: its last character must be whole. */
    assert_int_equal(sniff(BYTES("ab\xf0\x9f"), STR("text/plain")).verdict, SNIFF_UNKNOWN);
}

static void test_types(void **state)
{
    enum media_kind kind;

#define X(name, bit, word)                                                                         \
    assert_true(strlen(media_type_of(MEDIA_##name)) <= MEDIA_TYPE_MAX);                            \
    assert_true(media_kind_of(media_type_of(MEDIA_##name), &kind) && kind == MEDIA_##name);
    MEDIA_KINDS(X)
#undef X
    assert_false(media_kind_of("image/tiff", &kind));
    assert_string_equal(media_type_of(MEDIA_JPEG), "image/jpeg");
    assert_string_equal(media_type_of(MEDIA_3GP), "video/3gpp");
    assert_true(str_is(media_type_said(STR(" text/plain ; charset=utf-8")), "text/plain"));
    assert_true(str_is(media_type_said(STR("")), ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_every_mark_counts_to_its_last_byte),
        cmocka_unit_test(test_the_edge),
        cmocka_unit_test(test_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
