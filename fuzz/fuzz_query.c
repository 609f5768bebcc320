/* Query strings by a table: whatever is given, each known parameter is read at most once and only
 * as text without NUL; what is refused names a field that can be shown; and a string that was taken
 * is taken again when it is written anew. */
#include "api/call.h"
#include "base/utf8.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COUNT = 3 };

struct sample {
    struct page_query page;
    struct str values[COUNT];
};

static struct api api;

static void keep(struct str *at, struct str value)
{
    assert(!at->p && value.p);
    assert(utf8_valid(value) && !memchr(value.p, '\0', value.n));
    *at = value;
}

static bool read_first(struct call *c, struct str value, void *out, struct problem *p)
{
    keep(&((struct sample *)out)->values[0], value);
    return true;
}

static bool read_second(struct call *c, struct str value, void *out, struct problem *p)
{
    keep(&((struct sample *)out)->values[1], value);
    return value.n < 100 || problem_set(p, PROBLEM_INVALID_PARAMETER, "second", "Too long.");
}

static bool read_limit(struct call *c, struct str value, void *out, struct problem *p)
{
    keep(&((struct sample *)out)->values[2], value);
    return page_read_limit(c, value, out, p);
}

static const struct query_field fields[COUNT] = {
    {"first", read_first}, {"second", read_second}, {"limit", read_limit}};

static bool read_query(struct http_request *r, struct str query, struct sample *ret,
                       struct problem *p)
{
    struct call c = {.http = r, .api = &api};

    *ret = (struct sample){.page.limit = PAGE_LIMIT_DEFAULT};
    r->head.query = query;
    return query_read(&c, fields, COUNT, ret, p);
}

static void write_again(const struct sample *s, struct buf *out)
{
    for (size_t i = COUNT; i-- > 0;) {
        if (!s->values[i].p)
            continue;
        buf_printf(out, "&%s=", fields[i].name);
        for (size_t k = 0; k < s->values[i].n; k++)
            buf_printf(out, "%%%02x", (unsigned char)s->values[i].p[k]);
    }
    assert(!out->failed);
}

static void check_taken(struct http_request *r, const struct sample *s)
{
    struct buf out BUF_CLEANUP;
    struct problem p = {0};
    struct sample again;

    assert(s->page.limit >= 1 && s->page.limit <= PAGE_LIMIT_MAX);
    buf_init(&out, 64 << 20);
    write_again(s, &out);
    bool taken = read_query(r, buf_str(&out), &again, &p);
    assert(taken);
    assert(again.page.limit == s->page.limit);
    for (size_t i = 0; i < COUNT; i++)
        assert(str_eq(again.values[i], s->values[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_request r = {0};
    struct problem p = {0};
    struct sample s;

    arena_init(&r.arena, 64 << 20);
    if (read_query(&r, (struct str){(const char *)data, size}, &s, &p)) {
        check_taken(&r, &s);
    } else {
        assert(p.code == PROBLEM_INVALID_PARAMETER || p.code == PROBLEM_INVALID_LIMIT);
        assert(p.message && utf8_valid(str_of(p.message)));
        assert(!p.field || utf8_valid(str_of(p.field)));
    }
    arena_done(&r.arena);
    return 0;
}
