#include "messaging/arrival_media.h"

#include <unistd.h>

/* ---- types ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* As RFC 6838 has them. */
static bool is_type_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("!#$&-^_.+", c));
}

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!is_type_char(lower(name.p[i])))
            return false;
    return name.n > 0;
}

bool arrival_media_type(struct str said, char out[MEDIA_TYPE_MAX + 1])
{
    struct str type = str_trim(str_cut(&said, ';')), rest = type, front = str_cut(&rest, '/');

    if (!is_name(front) || !is_name(rest) || type.n > MEDIA_TYPE_MAX)
        return false;
    for (size_t i = 0; i < type.n; i++)
        out[i] = lower(type.p[i]);
    out[type.n] = '\0';
    if (strcmp(out, "image/jpg") == 0)
        str_format(out, MEDIA_TYPE_MAX + 1, "image/jpeg");
    return true;
}

/* ---- files ---- */

int arrival_media_keep(const struct store *s, const struct str *contents,
                       struct arrival_media *media, size_t count)
{
    int failed = count ? store_media_room(s) : 0;

    for (size_t i = 0; i < count && !failed; i++) {
        failed = store_media_write(s, contents[i], &media[i].record, media[i].path);
        if (failed)
            arrival_media_drop(media, i);
    }
    return failed;
}

void arrival_media_drop(const struct arrival_media *media, size_t count)
{
    for (size_t i = 0; i < count; i++)
        unlink(media[i].path);
}

/* ---- the message ---- */

struct str arrival_media_types(const struct arrival_media *media, size_t count, struct arena *a)
{
    char *lines = arena_bytes(a, count * (MEDIA_TYPE_MAX + 1) + 1), *at = lines;

    if (!lines)
        return (struct str){NULL, 0};
    for (size_t i = 0; i < count; i++) {
        if (i)
            *at++ = '\n';
        at = mempcpy(at, media[i].record.type, strlen(media[i].record.type));
    }
    return (struct str){lines, (size_t)(at - lines)};
}

int arrival_media_put(struct store *s, int64_t message, const struct arrival_media *media,
                      size_t count, bool loose)
{
    int put = 0;

    for (size_t i = 0; i < count && put >= 0; i++) {
        struct media_record record = media[i].record;
        record.message = message;
        record.number = (unsigned)i + 1;
        record.loose = loose;
        put = store_media_put(s, &record, media[i].path);
    }
    return put < 0 ? put : 0;
}
