#include "media/sniff.h"

#include "base/utf8.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- kinds ---- */

/* Handsets know vCards by the older of their two types. */
static const char *const types[] = {
    [MEDIA_JPEG] = "image/jpeg", [MEDIA_PNG] = "image/png",  [MEDIA_GIF] = "image/gif",
    [MEDIA_WEBP] = "image/webp", [MEDIA_MP4] = "video/mp4",  [MEDIA_3GP] = "video/3gpp",
    [MEDIA_AMR] = "audio/amr",   [MEDIA_MP3] = "audio/mpeg", [MEDIA_VCARD] = "text/x-vcard",
    [MEDIA_TEXT] = "text/plain",
};

const char *media_type_of(enum media_kind kind)
{
    return types[kind];
}

bool media_kind_of(const char *type, enum media_kind *ret)
{
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i], type) == 0) {
            *ret = (enum media_kind)i;
            return true;
        }
    return false;
}

/* ---- bytes ---- */

struct mark {
    enum media_kind kind;
    size_t at;
    struct str bytes;
};

static const struct mark marks[] = {
    {MEDIA_JPEG, 0, {"\xff\xd8\xff", 3}}, {MEDIA_PNG, 0, {"\x89PNG\r\n\x1a\n", 8}},
    {MEDIA_GIF, 0, {"GIF87a", 6}},        {MEDIA_GIF, 0, {"GIF89a", 6}},
    {MEDIA_AMR, 0, {"#!AMR\n", 6}},       {MEDIA_MP3, 0, {"ID3", 3}},
};

/* The first box of a file of the family of MPEG-4 names its brand. M4A, QuickTime and pictures are
 * of the family as well, and of no kind that messages carry. */
static const struct mark brands[] = {
    {MEDIA_MP4, 8, {"isom", 4}}, {MEDIA_MP4, 8, {"iso2", 4}}, {MEDIA_MP4, 8, {"iso3", 4}},
    {MEDIA_MP4, 8, {"iso4", 4}}, {MEDIA_MP4, 8, {"iso5", 4}}, {MEDIA_MP4, 8, {"iso6", 4}},
    {MEDIA_MP4, 8, {"mp41", 4}}, {MEDIA_MP4, 8, {"mp42", 4}}, {MEDIA_MP4, 8, {"avc1", 4}},
    {MEDIA_MP4, 8, {"M4V ", 4}}, {MEDIA_MP4, 8, {"MSNV", 4}}, {MEDIA_MP4, 8, {"dash", 4}},
    {MEDIA_3GP, 8, {"3gp", 3}},  {MEDIA_3GP, 8, {"3ge", 3}},  {MEDIA_3GP, 8, {"3gg", 3}},
    {MEDIA_3GP, 8, {"3gh", 3}},  {MEDIA_3GP, 8, {"3gr", 3}},  {MEDIA_3GP, 8, {"3gs", 3}},
};

static bool has_at(struct str head, size_t at, struct str bytes)
{
    return head.n >= at + bytes.n && memcmp(head.p + at, bytes.p, bytes.n) == 0;
}

static bool find_mark(const struct mark *table, size_t count, struct str head, enum media_kind *ret)
{
    for (size_t i = 0; i < count; i++)
        if (has_at(head, table[i].at, table[i].bytes)) {
            *ret = table[i].kind;
            return true;
        }
    return false;
}

/* The head of a frame of MPEG audio, layer III, with a bit rate and a sample rate that exist. */
static bool is_mp3_frame(struct str head)
{
    const unsigned char *p = (const unsigned char *)head.p;

    if (head.n < 4 || p[0] != 0xff || (p[1] & 0xe6) != 0xe2)
        return false;
    unsigned version = p[1] >> 3 & 3, bit_rate = p[2] >> 4, sample_rate = p[2] >> 2 & 3;
    return version != 1 && bit_rate != 0 && bit_rate != 15 && sample_rate != 3;
}

static bool find_binary(struct str head, enum media_kind *ret)
{
    if (find_mark(marks, COUNT(marks), head, ret))
        return true;
    if (has_at(head, 4, STR("ftyp")))
        return find_mark(brands, COUNT(brands), head, ret);
    if (has_at(head, 0, STR("RIFF")) && has_at(head, 8, STR("WEBP"))) {
        *ret = MEDIA_WEBP;
        return true;
    }
    *ret = MEDIA_MP3;
    return is_mp3_frame(head);
}

/* ---- texts ---- */

/* The last character may lie across the edge of what is looked at. */
static struct str whole_characters(struct str head)
{
    size_t n = head.n;

    if (n < SNIFF_BYTES)
        return head;
    while (n > head.n - UTF8_MAX && ((unsigned char)head.p[n - 1] & 0xc0) == 0x80)
        n--;
    return (unsigned char)head.p[n - 1] >= 0xc0 ? (struct str){head.p, n - 1} : head;
}

static bool is_text(struct str head)
{
    if (!utf8_valid(whole_characters(head)))
        return false;
    for (size_t i = 0; i < head.n; i++) {
        unsigned char c = (unsigned char)head.p[i];
        if (c == 0x7f || (c < 0x20 && c != '\t' && c != '\n' && c != '\r'))
            return false;
    }
    return true;
}

/* Behind the mark of UTF-8 and blanks. */
static struct str beginning(struct str head)
{
    if (has_at(head, 0, STR("\xef\xbb\xbf")))
        head = str_skip(head, 3);
    while (head.n && strchr(" \t\r\n", head.p[0]) && head.p[0])
        head = str_skip(head, 1);
    return head;
}

static bool begins_a_page(struct str head)
{
    static const struct str tags[] = {
        {"<!doctype", 9}, {"<html", 5}, {"<head", 5}, {"<body", 5}, {"<script", 7}};

    for (size_t i = 0; i < COUNT(tags); i++)
        if (str_starts_nocase(beginning(head), tags[i]))
            return true;
    return false;
}

/* ---- headers ---- */

struct str media_type_said(struct str content_type)
{
    return str_trim(str_cut(&content_type, ';'));
}

static bool says_page(struct str said)
{
    return str_eq_nocase(said, STR("text/html")) ||
           str_eq_nocase(said, STR("application/xhtml+xml"));
}

/* Whoever says no more than that it is a file. */
static bool says_nothing(struct str said)
{
    static const struct str words[] = {{"application/octet-stream", 24},
                                       {"binary/octet-stream", 19},
                                       {"application/force-download", 26},
                                       {"application/x-download", 22},
                                       {"application/download", 20}};

    for (size_t i = 0; i < COUNT(words); i++)
        if (str_eq_nocase(said, words[i]))
            return true;
    return said.n == 0;
}

static bool says_vcard(struct str said)
{
    return str_eq_nocase(said, STR("text/vcard")) || str_eq_nocase(said, STR("text/x-vcard")) ||
           str_eq_nocase(said, STR("text/directory"));
}

/* One picture may be called another; a picture may not be called a film. The containers of films
 * hold sound alone as well. */
static bool agrees(enum media_kind kind, struct str said)
{
    struct str type = str_of(types[kind]);
    struct str class = {type.p, (size_t)((const char *)memchr(type.p, '/', type.n) - type.p) + 1};

    if (says_nothing(said) || str_starts_nocase(said, class))
        return true;
    if (kind == MEDIA_MP4 || kind == MEDIA_3GP)
        return str_starts_nocase(said, STR("audio/")) ||
               str_eq_nocase(said, STR("application/mp4"));
    return false;
}

/* ---- both ---- */

static struct sniffed judge_text(struct str head, struct str said)
{
    bool card = str_starts_nocase(beginning(head), STR("BEGIN:VCARD"));
    struct sniffed s = {SNIFF_KNOWN, card ? MEDIA_VCARD : MEDIA_TEXT};

    if (begins_a_page(head) || says_page(said))
        s.verdict = SNIFF_PAGE;
    else if (!is_text(head))
        s.verdict = SNIFF_UNKNOWN;
    else if (says_nothing(said))
        s.verdict = SNIFF_NOT_SAID;
    else if (!str_starts_nocase(said, STR("text/")) || (says_vcard(said) && !card))
        s.verdict = SNIFF_CONTRADICTED;
    return s;
}

struct sniffed sniff(struct str head, struct str content_type)
{
    struct str said = media_type_said(content_type);
    enum media_kind kind;

    if (head.n > SNIFF_BYTES)
        head.n = SNIFF_BYTES;
    if (!find_binary(head, &kind))
        return judge_text(head, said);
    return (struct sniffed){agrees(kind, said) ? SNIFF_KNOWN : SNIFF_CONTRADICTED, kind};
}
