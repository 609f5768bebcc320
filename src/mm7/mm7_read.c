/* A whole HTTP body: where SOAP is in it, and what else. */
#include "mm7/mm7.h"

#include <errno.h>

static bool holds_xml(struct str type)
{
    return str_is(type, "text/xml") || str_is(type, "application/xml") ||
           str_is(type, "application/soap+xml") || str_is(type, "application/xop+xml");
}

/* The part that `start` names, else the first that is XML, else the first. */
static size_t soap_place(const struct mime_type *type, const struct mm7_part *parts, size_t count)
{
    for (size_t i = 0; type->start.n > 0 && i < count; i++)
        if (str_eq(parts[i].id, type->start))
            return i;
    for (size_t i = 0; i < count; i++)
        if (holds_xml(parts[i].type))
            return i;
    return 0;
}

static int read_parts(struct mm7_part all[MIME_PARTS_MAX], size_t *count,
                      const struct mime_type *type, struct arena *a, struct str body,
                      char why[MM7_WHY_SIZE])
{
    const char *reason = "it has no parts";
    int code = mime_read(type, a, body, all, count, &reason);

    if (!code && *count == 0)
        code = -EBADMSG;
    if (code)
        str_format(why, MM7_WHY_SIZE, "The multipart body cannot be read: %s.", reason);
    return code;
}

/* All but the one of SOAP. */
static int hand_out(const struct mm7_part *all, size_t count, size_t soap, struct mm7_part parts[],
                    size_t *room, char why[MM7_WHY_SIZE])
{
    size_t n = 0;

    if (count - 1 > *room) {
        str_format(why, MM7_WHY_SIZE, "The multipart body has more than %zu parts.", *room);
        return -E2BIG;
    }
    for (size_t i = 0; i < count; i++)
        if (i != soap)
            parts[n++] = all[i];
    *room = n;
    return 0;
}

int mm7_read(struct mm7_heard *ret, struct arena *a, struct str content_type, struct str body,
             struct mm7_part parts[], size_t *count, char why[MM7_WHY_SIZE])
{
    struct mm7_part all[MIME_PARTS_MAX];
    size_t all_count = MIME_PARTS_MAX;
    struct mime_type type;
    struct mm7_heard heard;

    if (mime_type_read(&type, a, content_type)) {
        str_format(why, MM7_WHY_SIZE, "Memory is short.");
        return -ENOMEM;
    }
    if (!mime_type_is_multipart(&type)) {
        int code = mm7_read_soap(ret, a, body, why);
        if (!code)
            *count = 0;
        return code;
    }
    int code = read_parts(all, &all_count, &type, a, body, why);
    if (code)
        return code;
    size_t soap = soap_place(&type, all, all_count);
    code = mm7_read_soap(&heard, a, all[soap].bytes, why);
    if (!code)
        code = hand_out(all, all_count, soap, parts, count, why);
    if (!code)
        *ret = heard;
    return code;
}
