#include "mm7/mime.h"

#include <errno.h>

/* One reading, on the stack of mime_read. */
struct reading {
    struct arena *arena;
    struct mm7_part *parts;
    size_t count, room;
    size_t seen; /* parts of all kinds, multiparts among them */
    const char *why;
};

static int fault(struct reading *r, int code, const char *why)
{
    r->why = why;
    return code;
}

/* ---- boundaries ---- */

struct delimiter {
    size_t start, end; /* "--boundary" and its line end */
    bool last;         /* "--boundary--" */
};

/* Whether the bytes behind a boundary let it be one: blanks up to the end of the line. */
static bool ends_line(struct str body, size_t at, size_t *ret_end)
{
    while (at < body.n && (body.p[at] == ' ' || body.p[at] == '\t' || body.p[at] == '\r'))
        at++;
    if (at < body.n && body.p[at] != '\n')
        return false;
    *ret_end = at < body.n ? at + 1 : at;
    return true;
}

/* Whether the boundary that ends at `behind` is one, and of which kind. */
static bool judge(struct str body, size_t start, size_t behind, struct delimiter *ret)
{
    ret->start = start;
    ret->last = false;
    if (ends_line(body, behind, &ret->end))
        return true;
    ret->last = str_starts(str_skip(body, behind), STR("--"));
    return ret->last && ends_line(body, behind + 2, &ret->end);
}

/* The next one from `at` on, which is the start of a line; false when none comes. The mark is
 * "\n--boundary". */
static bool find_delimiter(struct str body, size_t at, struct str mark, struct delimiter *ret)
{
    struct str here = str_skip(body, at), bare = str_skip(mark, 1);

    if (str_starts(here, bare) && judge(body, at, at + bare.n, ret))
        return true;
    while (at < body.n) {
        const char *found = memmem(body.p + at, body.n - at, mark.p, mark.n);
        if (!found)
            return false;
        at = (size_t)(found - body.p) + 1;
        if (judge(body, at, at + bare.n, ret))
            return true;
    }
    return false;
}

/* ---- parts ---- */

static bool decode(struct arena *a, struct str encoding, struct str raw, struct str *ret)
{
    if (str_eq_nocase(encoding, STR("base64")))
        *ret = mime_decode_base64(a, raw);
    else if (str_eq_nocase(encoding, STR("quoted-printable")))
        *ret = mime_decode_quoted(a, raw);
    else
        *ret = raw;
    return ret->p || raw.n == 0;
}

static int add_leaf(struct reading *r, const struct mime_type *type, struct str head,
                    struct str raw, unsigned depth)
{
    struct arena *a = r->arena;
    struct mm7_part part = {.type = type->type.n ? type->type : STR("text/plain"),
                            .charset = type->charset,
                            .name = type->name,
                            .depth = depth};

    if (r->count == r->room)
        return fault(r, -E2BIG, "it has more parts than are taken");
    if (part.name.n == 0)
        part.name = mime_parameter(a, mime_field(a, head, "Content-Disposition"), "filename");
    part.id = mime_id(mime_field(a, head, "Content-ID"));
    part.location = mime_field(a, head, "Content-Location");
    if (!decode(a, mime_field(a, head, "Content-Transfer-Encoding"), raw, &part.bytes) || a->failed)
        return fault(r, -ENOMEM, "memory is short");
    r->parts[r->count++] = part;
    return 0;
}

static int check_head(struct reading *r, struct str head)
{
    size_t lines = 0;

    if (head.n > MIME_HEAD_MAX)
        return fault(r, -E2BIG, "a part's head is larger than 8 KiB");
    for (size_t i = 0; i < head.n; i++)
        lines += head.p[i] == '\n';
    return lines > MIME_FIELDS_MAX ? fault(r, -E2BIG, "a part's head has more than 64 lines") : 0;
}

static int read_multipart(struct reading *r, const struct mime_type *type, struct str body,
                          unsigned depth);

static int read_part(struct reading *r, struct str part, unsigned depth)
{
    struct str head = mime_cut_head(&part);
    struct mime_type type;
    int code = check_head(r, head);

    if (code)
        return code;
    if (r->seen++ == MIME_PARTS_MAX)
        return fault(r, -E2BIG, "it has more than 128 parts");
    if (mime_type_read(&type, r->arena, mime_field(r->arena, head, "Content-Type")))
        return fault(r, -ENOMEM, "memory is short");
    if (!mime_type_is_multipart(&type))
        return add_leaf(r, &type, head, part, depth);
    if (depth == MIME_DEPTH_MAX)
        return fault(r, -E2BIG, "its parts are nested more than 4 deep");
    return read_multipart(r, &type, part, depth + 1); /* depth is bounded just above */
}

/* A part's bytes end before the line end that belongs to the boundary behind it. */
static struct str between(struct str body, size_t start, size_t end)
{
    if (end > start && body.p[end - 1] == '\n')
        end--;
    if (end > start && body.p[end - 1] == '\r')
        end--;
    return (struct str){body.p + start, end - start};
}

/* The preamble before the first boundary and the epilogue behind the last are passed over. */
static int read_multipart(struct reading *r, const struct mime_type *type, struct str body,
                          unsigned depth)
{
    struct delimiter here, next;
    int code = 0;

    if (type->boundary.n == 0)
        return fault(r, -EBADMSG, "the Content-Type of a multipart has no boundary");
    struct str mark = str_of(arena_printf(r->arena, "\n--%.*s", STR_FMT(type->boundary)));
    if (!mark.p)
        return fault(r, -ENOMEM, "memory is short");
    if (!find_delimiter(body, 0, mark, &here))
        return fault(r, -EBADMSG, "the boundary of its Content-Type is not in the body");
    while (!code && !here.last) {
        bool found = find_delimiter(body, here.end, mark, &next);
        if (!found && here.end == body.n)
            break;
        struct str part = found ? between(body, here.end, next.start)
                                : (struct str){body.p + here.end, body.n - here.end};
        code = read_part(r, part, depth);
        if (!found)
            break;
        here = next;
    }
    return code;
}

int mime_read(const struct mime_type *type, struct arena *a, struct str body,
              struct mm7_part parts[], size_t *count, const char **ret_why)
{
    struct reading r = {.arena = a, .parts = parts, .room = *count};
    int code = read_multipart(&r, type, body, 1);

    if (!code)
        *count = r.count;
    else
        *ret_why = r.why;
    return code;
}
