#include "json/scan_internal.h"

#include "base/utf8.h"

#include <errno.h>

/* Length of what needs no second look: printable ASCII but for the quote and the backslash. */
static size_t plain_run(const char *p, const char *end)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones * 0x80;
    const char *at = p;

    /* Eight at a stride. A borrow runs only out of a byte that ends the run anyway. */
    for (; end - at >= 8; at += 8) {
        uint64_t x;
        memcpy(&x, at, 8);
        uint64_t quote = (x ^ ones * '"') - ones, backslash = (x ^ ones * '\\') - ones;
        if ((x | (x - ones * 0x20) | quote | backslash) & tops)
            break;
    }
    while (at < end && *at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' && *at != '\\')
        at++;
    return (size_t)(at - p);
}

static const char bad_escape[] = "invalid escape";
static const char half_pair[] = "half of a surrogate pair";

/* Four hex digits. */
static int scan_hex(struct json_scan *s, const char *from, uint32_t *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++) {
        int digit = s->next < s->end ? hex_value(*s->next) : -1;
        if (digit < 0)
            return json_fault_from(s, bad_escape, from);
        *ret = *ret << 4 | (uint32_t)digit;
        s->next++;
    }
    return 0;
}

/* Behind \u: one code point, which may take a second \u. */
static int scan_point(struct json_scan *s, const char *from, uint32_t *ret)
{
    uint32_t low;
    int r = scan_hex(s, from, ret);

    if (r < 0 || *ret < 0xd800 || *ret > 0xdfff)
        return r;
    if (*ret > 0xdbff || s->end - s->next < 2 || memcmp(s->next, "\\u", 2) != 0)
        return json_fault_between(s, half_pair, from, s->next);
    s->next += 2;
    r = scan_hex(s, from, &low);
    if (r < 0)
        return r;
    if (low < 0xdc00 || low > 0xdfff)
        return json_fault_between(s, half_pair, from, s->next);
    *ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
    return 0;
}

/* At a backslash. `from` is where its string begins, for messages. */
static int scan_escape(struct json_scan *s, const char *from, uint32_t *ret)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";

    s->next++;
    char c = s->next < s->end ? *s->next : '\0';
    const char *letter = c ? strchr(letters, c) : NULL;
    if (!letter && c != 'u')
        return json_fault_from(s, bad_escape, from);
    s->next++;
    if (c == 'u')
        return scan_point(s, from, ret);
    *ret = (unsigned char)meanings[letter - letters];
    return 0;
}

/* At a byte that plain_run left, and that is neither a quote nor a backslash. */
static int scan_character(struct json_scan *s, const char *from)
{
    struct str rest = {s->next, (size_t)(s->end - s->next)};
    unsigned bytes;

    if ((unsigned char)*s->next < 0x20)
        return json_fault_between(s, "a control character, which must be written as an escape,",
                                  from, s->next);
    if (utf8_decode(rest, &bytes) < 0)
        return json_fault_from(s, "invalid UTF-8", from);
    s->next += bytes;
    return 0;
}

int json_scan_string(struct json_scan *s, struct json_value *ret)
{
    const char *from = s->next++;
    uint32_t point;
    int r = 0;

    ret->type = JSON_TYPE_STRING;
    ret->escaped = false;
    while (r == 0) {
        s->next += plain_run(s->next, s->end);
        if (s->next == s->end)
            return json_fault(s, "'\"' expected");
        if (*s->next == '"')
            break;
        if (*s->next == '\\') {
            ret->escaped = true;
            r = scan_escape(s, from, &point);
        } else {
            r = scan_character(s, from);
        }
    }
    if (r == 0)
        s->next++;
    ret->raw = (struct str){from, (size_t)(s->next - from)};
    return r;
}

int json_value_text(const struct json_value *v, struct arena *a, struct str *ret)
{
    struct json_scan s;

    *ret = (struct str){v->raw.p + 1, v->raw.n - 2};
    if (!v->escaped)
        return 0;
    /* No escape is shorter than what it stands for. */
    char *text = arena_bytes(a, ret->n);
    if (!text)
        return -ENOMEM;
    json_scan_init(&s, *ret, a);
    char *to = text;
    while (s.next < s.end) {
        uint32_t point = 0;
        if (*s.next != '\\') {
            *to++ = *s.next++;
            continue;
        }
        scan_escape(&s, s.next, &point); /* was scanned before: cannot fail */
        to += utf8_encode((int32_t)point, to);
    }
    *ret = (struct str){text, (size_t)(to - text)};
    return 0;
}
