#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT_60 "Your parcel 4711 is here. Pick it up by Friday, bring your I"

_Static_assert(sizeof TEXT_60 == 60 + 1, "the size goal speaks of messages of 60 characters");

void load_recipient(const struct load *load, uint64_t serial, char out[16])
{
    snprintf(out, 16, "%.4s%07u", load->prefix ? load->prefix : "1212",
             (unsigned)(serial % 10000000));
}

static int load_send(struct load *load, const char *authorization, char *out, size_t size)
{
    char body[512], media[256] = "", to[16];
    load_recipient(load, load->serial, to);
    if (load->media)
        snprintf(media, sizeof media, ",\"mediaUrls\":[\"%s/%u.jpg\"]", load->media,
                 (unsigned)(load->serial % LOAD_IMAGES));
    int n = snprintf(body, sizeof body, "{\"to\":\"+%s\",\"text\":\"" TEXT_60 "\"%s}", to, media);
    return snprintf(out, size,
                    "POST /v1/send HTTP/1.1\r\nHost: localhost\r\n%s"
                    "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                    authorization, n, body);
}

static int load_get(struct load *load, const char *authorization, char *out, size_t size)
{
    const char *mark = load->cursor[0] ? (strchr(load->path, '?') ? "&cursor=" : "?cursor=") : "";
    return snprintf(out, size, "GET %s%s%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", load->path, mark,
                    load->cursor, authorization);
}

int load_next(struct load *load, char *out, size_t size)
{
    char authorization[256] = "";
    if (load->key)
        snprintf(authorization, sizeof authorization, "Authorization: Bearer %s\r\n", load->key);
    load->serial++;
    int n = load->kind == LOAD_SEND ? load_send(load, authorization, out, size)
                                    : load_get(load, authorization, out, size);
    return n > 0 && (size_t)n < size ? n : -EMSGSIZE;
}

bool load_turn_page(struct load *load, const char *body)
{
    char next[sizeof load->cursor];
    const char *field = strstr(body, "\"nextCursor\"");
    if (!field || sscanf(field, "\"nextCursor\" : \"%127[^\"]\"", next) != 1)
        return false;
    memcpy(load->cursor, next, sizeof next);
    return true;
}
