#include "store/terms.h"

#include "base/siphash.h"

enum { HASHED_BIT = 59, DIGITS_MAX = 16 };

/* "+" and digits, as a number; -1 for anything else. */
static int64_t phone_number(struct str text)
{
    int64_t value = 0;

    if (text.n < 2 || text.n > 1 + DIGITS_MAX || text.p[0] != '+' || text.p[1] == '0')
        return -1;
    for (size_t i = 1; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return -1;
        value = value * 10 + (text.p[i] - '0');
    }
    return value;
}

static int64_t hashed(struct str text, const uint8_t secret[16])
{
    const int64_t bit = INT64_C(1) << HASHED_BIT;
    uint8_t out[SIPHASH_SIZE];
    struct siphash h;
    int64_t value;

    siphash_init(&h, secret);
    siphash_text(&h, text);
    siphash_done(&h, out);
    memcpy(&value, out, sizeof value);
    return bit | (value & (bit - 1));
}

int64_t term_of(enum term_kind kind, struct str text, const uint8_t secret[16])
{
    int64_t value = kind == TERM_TAG ? -1 : phone_number(text);

    return (int64_t)kind << TERM_KIND_SHIFT | (value < 0 ? hashed(text, secret) : value);
}

bool terms_have(const int64_t *terms, size_t n, int64_t term)
{
    size_t i = 0;

    while (i < n && terms[i] != term)
        i++;
    return i < n;
}

/* The tags, one per line, each once; how many. */
static size_t tag_terms(struct str tags, const uint8_t secret[16], int64_t *ret)
{
    size_t count = 0, start = 0;

    for (size_t i = 0; i <= tags.n && count < TERM_TAGS_MAX; i++)
        if (i == tags.n || tags.p[i] == '\n') {
            int64_t term = term_of(TERM_TAG, (struct str){tags.p + start, i - start}, secret);
            if (!terms_have(ret, count, term))
                ret[count++] = term;
            start = i + 1;
        }
    return count;
}

size_t message_terms(const struct message *m, const uint8_t secret[16], int64_t ret[TERMS_MAX])
{
    size_t n = 0;

    ret[n++] = term_alone(TERM_ANY);
    if (m->direction == DIRECTION_INBOUND)
        ret[n++] = term_alone(TERM_INBOUND);
    ret[n++] = term_of(TERM_TO, m->to, secret);
    ret[n++] = term_of(TERM_FROM, m->from, secret);
    if (m->tags.n)
        n += tag_terms(m->tags, secret, &ret[n]);
    return n;
}
