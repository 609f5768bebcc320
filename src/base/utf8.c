#include "base/utf8.h"

/* What a lead byte promises: how many bytes, and the range of the second one. That range alone
 * keeps out overlong forms, surrogates and everything above U+10FFFF (Unicode, table 3-7). */
struct lead {
    unsigned bytes;
    unsigned char least, most;
};

static struct lead lead_of(unsigned char byte)
{
    if (byte >= 0xc2 && byte <= 0xdf)
        return (struct lead){2, 0x80, 0xbf};
    if (byte >= 0xe0 && byte <= 0xef)
        return (struct lead){3, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf};
    if (byte >= 0xf0 && byte <= 0xf4)
        return (struct lead){4, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf};
    return (struct lead){0, 0, 0};
}

int32_t utf8_decode(struct str s, unsigned *ret_bytes)
{
    const unsigned char *p = (const unsigned char *)s.p;

    if (s.n == 0)
        return -1;
    if (p[0] < 0x80) {
        *ret_bytes = 1;
        return p[0];
    }
    struct lead lead = lead_of(p[0]);
    if (lead.bytes == 0 || s.n < lead.bytes || p[1] < lead.least || p[1] > lead.most)
        return -1;
    int32_t point = p[0] & (0x7f >> lead.bytes);
    for (unsigned i = 1; i < lead.bytes; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return -1;
        point = (point << 6) | (p[i] & 0x3f);
    }
    *ret_bytes = lead.bytes;
    return point;
}

unsigned utf8_encode(int32_t point, char out[UTF8_MAX])
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

/* Length of the plain ASCII that s begins with, eight bytes at a stride. */
static size_t ascii_run(struct str s)
{
    size_t at = 0;

    for (; s.n - at >= 8; at += 8) {
        uint64_t eight;
        memcpy(&eight, s.p + at, 8);
        if (eight & 0x8080808080808080u)
            break;
    }
    while (at < s.n && (unsigned char)s.p[at] < 0x80)
        at++;
    return at;
}

bool utf8_valid(struct str s)
{
    for (;;) {
        unsigned bytes;
        s = str_skip(s, ascii_run(s));
        if (s.n == 0)
            return true;
        if (utf8_decode(s, &bytes) < 0)
            return false;
        s = str_skip(s, bytes);
    }
}

size_t utf8_length(struct str s)
{
    size_t count = 0;

    for (size_t i = 0; i < s.n; i++)
        count += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return count;
}

struct str utf8_shown(struct str s, size_t max)
{
    unsigned bytes = 1;
    size_t n = 0;

    for (int32_t point; n < s.n; n += bytes) {
        point = utf8_decode(str_skip(s, n), &bytes);
        if (point < 0x20 || (point >= 0x7f && point < 0xa0) || n + bytes > max)
            break;
    }
    return (struct str){s.p, n};
}
