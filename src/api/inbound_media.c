/* Media that a test brings inside its request, in base64, as if a handset had sent them. A file is
 * what live carriers bring as one: never empty, and neither text nor layout, which are no files
 * there. Its type is what the sender says, as there. */
#include "api/call.h"
#include "base/base64.h"
#include "json/scan.h"

/* An item of the array. */
struct item {
    struct str type, data;
    bool has_type, has_data;
};

static const struct json_field fields[] = {
    JSON_FIELD(struct item, type, JSON_TEXT, "contentType", NULL),
    JSON_FIELD(struct item, data, JSON_TEXT, "data", NULL),
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

/* What is read, and where the reading stands. */
struct reading {
    struct arena *arena;
    struct problem *problem;
    size_t index, bytes;
};

/* `member`: "data"; NULL: the item itself. */
static bool fault(const struct reading *r, enum problem_code code, const char *member,
                  const char *what)
{
    char *field =
        arena_printf(r->arena, "media[%zu]%s%s", r->index, member ? "." : "", member ? member : "");

    return problem_set(r->problem, code, field,
                       arena_printf(r->arena, "The field '%s' %s", field ? field : "media", what));
}

static bool decode_item(const struct reading *r, const struct json_value *value, struct item *ret)
{
    struct json_error error;

    if (value->type != JSON_TYPE_OBJECT)
        return fault(r, PROBLEM_INVALID_PARAMETER, NULL,
                     "must be an object with contentType and data.");
    enum json_result result = json_decode(value->raw, fields, FIELD_COUNT, ret, r->arena, &error);
    if (result == JSON_NO_MEMORY)
        return body_too_many_values(r->problem);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (!*(const bool *)((const char *)ret + fields[i].set_offset))
            return fault(r, PROBLEM_MISSING_REQUIRED_FIELD, fields[i].name, "is required.");
    return result != JSON_WRONG_TYPE ||
           fault(r, PROBLEM_INVALID_PARAMETER, error.field, "must be a string.");
}

static bool read_type(const struct reading *r, struct str said, char out[MEDIA_TYPE_MAX + 1])
{
    if (!arrival_media_type(said, out))
        return fault(r, PROBLEM_INVALID_PARAMETER, "contentType",
                     "is no media type; write one such as image/png.");
    if (strcmp(out, "text/plain") == 0)
        return fault(r, PROBLEM_INVALID_PARAMETER, "contentType",
                     "is that of a text, which arrives in 'text' and not as a file; put it there.");
    if (str_starts(str_of(out), STR("application/smil")))
        return fault(r, PROBLEM_INVALID_PARAMETER, "contentType",
                     "is that of a layout, which does not arrive; leave this file out.");
    return true;
}

static bool read_content(struct reading *r, struct str data, struct str *ret)
{
    size_t room = data.n / 4 * 3, n;
    char *bytes = arena_bytes(r->arena, room + 1);

    if (!bytes)
        return body_too_many_values(r->problem);
    if (data.n == 0)
        return fault(r, PROBLEM_INVALID_PARAMETER, "data", "is empty; give the file in base64.");
    if (!base64_decode(data, bytes, room, &n))
        return fault(r, PROBLEM_INVALID_PARAMETER, "data",
                     "is not base64; write it with + and /, with = at the end where it belongs, "
                     "without line breaks, and without 'data:…,' in front.");
    r->bytes += n;
    *ret = (struct str){bytes, n};
    return r->bytes <= INBOUND_MEDIA_BYTES ||
           fault(r, PROBLEM_REQUEST_TOO_LARGE, "data",
                 arena_printf(r->arena,
                              "makes %zu bytes of media; at most %d are allowed together. Give "
                              "smaller files.",
                              r->bytes, INBOUND_MEDIA_BYTES));
}

static bool check_count(size_t count, struct arena *a, struct problem *p)
{
    if (count == 0)
        return problem_set(p, PROBLEM_INVALID_PARAMETER, "media",
                           "The field 'media' is empty; give 1 to 10 files, or leave it out.");
    return count <= MEDIA_MAX ||
           problem_set(p, PROBLEM_TOO_MANY_MEDIA, "media",
                       arena_printf(a, "%zu media files were given; at most %d are allowed.", count,
                                    MEDIA_MAX));
}

bool inbound_media_read(struct str array, struct arena *a, struct inbound_media *ret,
                        struct problem *p)
{
    struct reading r = {.arena = a, .problem = p};
    struct json_value values[MEDIA_MAX];

    if (json_scan_items(array, a, values, MEDIA_MAX, &ret->count) < 0)
        return body_too_many_values(p);
    if (!check_count(ret->count, a, p))
        return false;
    for (; r.index < ret->count; r.index++) {
        struct item item = {0};
        if (!decode_item(&r, &values[r.index], &item) ||
            !read_type(&r, item.type, ret->files[r.index].record.type) ||
            !read_content(&r, item.data, &ret->contents[r.index]))
            return false;
    }
    return true;
}
