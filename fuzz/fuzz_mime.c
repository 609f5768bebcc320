/* A Content-Type on the first line, and behind it a body: parts stay inside what was given or the
 * arena, within the limits, and what we decode is never longer than its coded form. */
#include "mm7/mime.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every byte, for the address sanitizer. */
static void touch(struct str view)
{
    size_t zeros = 0;

    for (size_t i = 0; i < view.n; i++)
        zeros += view.p[i] == 0;
    assert(zeros <= view.n);
}

static void check_part(const struct mm7_part *part, size_t body_size)
{
    const struct str views[] = {part->type, part->charset,  part->name,
                                part->id,   part->location, part->bytes};

    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        touch(views[i]);
    assert(part->type.n > 0);
    assert(!str_starts(part->type, STR("multipart/")));
    assert(part->depth >= 1 && part->depth <= MIME_DEPTH_MAX);
    assert(part->bytes.n <= body_size);
}

static void check_body(struct arena *a, struct str type_text, struct str body)
{
    struct mm7_part parts[MIME_PARTS_MAX];
    size_t count = MIME_PARTS_MAX;
    struct mime_type type;
    const char *why = NULL;

    if (mime_type_read(&type, a, type_text))
        return;
    int code = mime_read(&type, a, body, parts, &count, &why);
    assert(code == 0 || code == -EBADMSG || code == -E2BIG || code == -ENOMEM);
    assert(code == 0 || (why && *why));
    assert(count <= MIME_PARTS_MAX);
    for (size_t i = 0; !code && i < count; i++)
        check_part(&parts[i], body.n);
}

static void check_head(struct arena *a, struct str bytes)
{
    struct str rest = bytes;
    struct str head = mime_cut_head(&rest);

    assert(head.n + rest.n <= bytes.n);
    touch(mime_field(a, head, "Content-Type"));
    touch(mime_decode_base64(a, rest));
    touch(mime_decode_quoted(a, rest));
    struct str id = mime_id(bytes);
    assert(id.n <= bytes.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + !size); /* it ends where the sanitizer sees it */
    struct str rest = {copy, size};
    struct arena a;

    if (size)
        memcpy(copy, data, size);
    arena_init(&a, 4 << 20);
    struct str type = str_cut(&rest, '\n');
    check_body(&a, type, rest.p ? rest : STR(""));
    check_head(&a, rest.p ? rest : STR(""));
    arena_done(&a);
    free(copy);
    return 0;
}
