/* Server-sent events: wherever the bytes are cut, the same events come out, and no line end is in
 * an id or a type. */
#include "base/siphash.h"
#include "net/sse.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool take(void *context, const struct sse_event *e)
{
    assert(e->type.n > 0 && e->type.n <= SSE_WORD_MAX && e->id.n <= SSE_WORD_MAX);
    assert(!memchr(e->type.p, '\n', e->type.n) && !memchr(e->type.p, '\r', e->type.n));
    assert(!memchr(e->id.p, '\n', e->id.n) && !memchr(e->id.p, '\r', e->id.n));
    assert(e->data.n == 0 || !memchr(e->data.p, '\r', e->data.n));
    siphash_text(context, e->id);
    siphash_text(context, e->type);
    siphash_text(context, e->data);
    return true;
}

static void hear(struct str bytes, size_t piece, uint8_t out[SIPHASH_SIZE])
{
    static const uint8_t key[SIPHASH_KEY_SIZE];
    struct siphash hash;
    struct sse s SSE_CLEANUP;

    siphash_init(&hash, key);
    sse_init(&s, 4096, take, &hash);
    while (bytes.n) {
        size_t n = piece < bytes.n ? piece : bytes.n;
        if (sse_feed(&s, (struct str){bytes.p, n}) != SSE_MORE)
            break;
        bytes = str_skip(bytes, n);
    }
    siphash_done(&hash, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};
    uint8_t whole[SIPHASH_SIZE], cut[SIPHASH_SIZE];

    hear(bytes, size, whole);
    for (size_t piece = 1; piece < size; piece += 1 + size / 16) {
        hear(bytes, piece, cut);
        assert(memcmp(whole, cut, sizeof whole) == 0);
    }
    return 0;
}
