/* Requests as they come from the network: a head, and behind it a body in chunks. Views lie inside
 * the input, a decoded body is never longer than its coded form, and where the input is split makes
 * no difference. */
#include "net/http_chunks.h"
#include "net/http_head.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool inside(struct str view, struct str whole)
{
    return view.p >= whole.p && view.p + view.n <= whole.p + whole.n;
}

static bool is_slash(struct str path)
{
    return path.n == 1 && path.p[0] == '/'; /* stands for the missing path of an absolute form */
}

static void check_views(const struct http_head *h, struct str bytes)
{
    assert(h->method.n > 0 && inside(h->method, bytes));
    assert(inside(h->path, bytes) || is_slash(h->path));
    assert(!h->query.p || inside(h->query, bytes));
    assert(h->field_count <= HTTP_FIELDS_MAX);
    assert(!(h->chunked && h->has_length));
    for (size_t i = 0; i < h->field_count; i++) {
        struct str name = h->fields[i].name, value = h->fields[i].value;
        assert(name.n > 0 && inside(name, bytes) && inside(value, bytes));
        assert(!memchr(value.p, '\n', value.n) && !memchr(value.p, '\r', value.n));
        assert(!memchr(name.p, ':', name.n));
    }
}

/* The size is the same when the head comes in two pieces. */
static void check_size(struct str bytes, size_t split, size_t expected)
{
    size_t scanned = 0;
    size_t first = http_head_size((struct str){bytes.p, split}, &scanned);

    assert(first == (expected && split >= expected ? expected : 0));
    if (!first)
        assert(http_head_size(bytes, &scanned) == expected);
}

static size_t fuzz_head(struct str bytes)
{
    size_t scanned = 0, size = http_head_size(bytes, &scanned);
    struct http_head h;

    assert(size <= bytes.n);
    for (size_t split = 0; split <= bytes.n; split += 1 + bytes.n / 64)
        check_size(bytes, split, size);
    if (size && !http_head_parse((struct str){bytes.p, size}, &h))
        check_views(&h, (struct str){bytes.p, size});
    return size;
}

struct decoded {
    int code;
    struct http_chunks state;
    char *bytes;
};

static struct decoded decode(struct str coded, size_t split)
{
    struct decoded d = {.bytes = malloc(coded.n + 1)};

    memcpy(d.bytes, coded.p, coded.n);
    d.code = http_chunks_step(&d.state, d.bytes, split);
    assert(d.state.in <= split && d.state.out <= d.state.in);
    if (d.code == 0) {
        assert(d.state.in == split);
        d.code = http_chunks_step(&d.state, d.bytes, coded.n);
    }
    assert(d.state.in <= coded.n && d.state.out <= d.state.in);
    return d;
}

static void fuzz_chunks(struct str coded)
{
    struct decoded whole = decode(coded, coded.n);

    for (size_t split = 0; split < coded.n; split += 1 + coded.n / 64) {
        struct decoded halves = decode(coded, split);
        assert(halves.code == whole.code);
        assert(halves.state.in == whole.state.in && halves.state.out == whole.state.out);
        assert(memcmp(halves.bytes, whole.bytes, whole.state.out) == 0);
        free(halves.bytes);
    }
    free(whole.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};

    if (size == 0)
        return 0;
    fuzz_chunks(str_skip(bytes, fuzz_head(bytes)));
    return 0;
}
