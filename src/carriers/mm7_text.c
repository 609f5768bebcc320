#include "carriers/mm7_text.h"

#include "base/utf8.h"

/* ---- alphabets ---- */

enum alphabet { ALPHABET_UTF8, ALPHABET_WINDOWS, ALPHABET_UTF16, ALPHABET_STRANGE };

/* Letters and digits as they are in ASCII, and nothing that switches to others. */
static bool is_plain(struct str bytes)
{
    for (size_t i = 0; i < bytes.n; i++) {
        unsigned char c = (unsigned char)bytes.p[i];
        if (c >= 0x7f || (c < 0x20 && c != '\n' && c != '\r' && c != '\t'))
            return false;
    }
    return true;
}

/* Who says Latin 1 means Windows 1252, which has letters where the other has control characters.
 * Most others are ASCII as far as that goes; UTF-7 and HZ are not, although they look like it. */
static enum alphabet alphabet_of(const struct mm7_part *p)
{
    static const struct {
        const char *charset;
        enum alphabet alphabet;
    } known[] = {
        {"", ALPHABET_UTF8},
        {"utf-8", ALPHABET_UTF8},
        {"utf8", ALPHABET_UTF8},
        {"us-ascii", ALPHABET_UTF8},
        {"ascii", ALPHABET_UTF8},
        {"iso-8859-1", ALPHABET_WINDOWS},
        {"latin1", ALPHABET_WINDOWS},
        {"windows-1252", ALPHABET_WINDOWS},
        {"cp1252", ALPHABET_WINDOWS},
        {"utf-16", ALPHABET_UTF16},
        {"utf-16be", ALPHABET_UTF16},
        {"utf-16le", ALPHABET_UTF16},
        {"iso-10646-ucs-2", ALPHABET_UTF16},
        {"ucs-2", ALPHABET_UTF16},
        {"utf-7", ALPHABET_STRANGE},
        {"hz-gb-2312", ALPHABET_STRANGE},
    };
    enum alphabet found = is_plain(p->bytes) ? ALPHABET_UTF8 : ALPHABET_STRANGE;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_is(p->charset, known[i].charset))
            found = known[i].alphabet;
    return found == ALPHABET_UTF8 && !utf8_valid(p->bytes) ? ALPHABET_STRANGE : found;
}

bool mm7_text_is(const struct mm7_part *p)
{
    return str_is(p->type, "text/plain") && alphabet_of(p) != ALPHABET_STRANGE;
}

/* ---- where characters go ---- */

/* Counts when it has no room; writes when it has. */
struct sink {
    char *p;
    size_t n, max;
    bool full;
    bool line;     /* newlines and tabs are blanks */
    bool returned; /* the last character was a carriage return */
};

static bool is_control(int32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0);
}

static void put_shown(struct sink *s, int32_t point)
{
    char bytes[UTF8_MAX];
    unsigned n = utf8_encode(point, bytes);

    s->full = s->full || n > s->max - s->n;
    if (s->full)
        return;
    if (s->p)
        memcpy(s->p + s->n, bytes, n);
    s->n += n;
}

/* A carriage return is a newline, also together with one. */
static void put(struct sink *s, int32_t point)
{
    bool second = s->returned && point == '\n';

    s->returned = point == '\r';
    if (second)
        return;
    if (s->returned)
        point = '\n';
    if (is_control(point) && (s->line || (point != '\n' && point != '\t')))
        point = ' ';
    put_shown(s, point);
}

/* ---- the alphabets' letters ---- */

static void put_utf8(struct sink *s, struct str text)
{
    const struct str mark = STR("\xef\xbb\xbf");
    unsigned bytes;

    if (str_starts(text, mark))
        text = str_skip(text, mark.n);
    for (int32_t point; text.n && !s->full; text = str_skip(text, bytes)) {
        point = utf8_decode(text, &bytes);
        if (point < 0) { /* not in a text that was checked */
            point = UTF8_REPLACEMENT;
            bytes = 1;
        }
        put(s, point);
    }
}

static void put_windows(struct sink *s, struct str bytes)
{
    /* From 0x80 on; 0: there is no such letter. */
    static const uint16_t letters[32] = {
        0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
        0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178,
    };

    for (size_t i = 0; i < bytes.n && !s->full; i++) {
        unsigned char byte = (unsigned char)bytes.p[i];
        put(s, byte >= 0x80 && byte < 0xa0 ? letters[byte - 0x80] : byte);
    }
}

static unsigned unit_at(struct str bytes, size_t i, bool little)
{
    unsigned first = (unsigned char)bytes.p[i], second = (unsigned char)bytes.p[i + 1];
    return little ? second << 8 | first : first << 8 | second;
}

/* Big end first, unless the charset or a mark in front says otherwise. */
static void put_utf16(struct sink *s, struct str bytes, bool little)
{
    size_t i = 0;

    if (bytes.n >= 2 && unit_at(bytes, 0, little) == 0xfffe)
        little = !little;
    if (bytes.n >= 2 && unit_at(bytes, 0, little) == 0xfeff)
        i = 2;
    for (; i + 1 < bytes.n && !s->full; i += 2) {
        unsigned unit = unit_at(bytes, i, little);
        unsigned next = i + 3 < bytes.n ? unit_at(bytes, i + 2, little) : 0;
        int32_t point = (int32_t)unit;
        if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
            point = (int32_t)(0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00));
            i += 2;
        } else if (unit >= 0xd800 && unit < 0xe000) {
            point = UTF8_REPLACEMENT;
        }
        put(s, point);
    }
}

static void put_text(struct sink *s, const struct mm7_part *p)
{
    s->returned = false;
    switch (alphabet_of(p)) {
    case ALPHABET_UTF8:
        put_utf8(s, p->bytes);
        break;
    case ALPHABET_WINDOWS:
        put_windows(s, p->bytes);
        break;
    case ALPHABET_UTF16:
        put_utf16(s, p->bytes, str_is(p->charset, "utf-16le"));
        break;
    case ALPHABET_STRANGE:
        break;
    }
}

/* ---- whole texts ---- */

static void put_all(struct sink *s, const struct mm7_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!mm7_text_is(&parts[i]) || !parts[i].bytes.n)
            continue;
        if (s->n)
            put_shown(s, '\n');
        put_text(s, &parts[i]);
    }
}

struct str mm7_text_join(struct arena *a, const struct mm7_part *parts, size_t count)
{
    struct sink measure = {.max = MM7_TEXT_MAX};

    put_all(&measure, parts, count);
    struct sink text = {.p = arena_bytes(a, measure.n + !measure.n), .max = measure.n};
    if (text.p)
        put_all(&text, parts, count);
    return (struct str){text.p, text.n};
}

struct str mm7_text_front(struct str text)
{
    if (text.n <= MM7_TEXT_SHOWN)
        return text;
    text.n = MM7_TEXT_SHOWN;
    while (text.n && ((unsigned char)text.p[text.n] & 0xc0) == 0x80)
        text.n--;
    return text;
}

struct str mm7_text_line(struct arena *a, struct str text, size_t max)
{
    struct sink line = {.p = arena_bytes(a, max), .max = max, .line = true};

    if (line.p)
        put_utf8(&line, text);
    return (struct str){line.p, line.n};
}
