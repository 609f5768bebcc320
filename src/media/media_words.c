#include "media/media_words.h"

#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>

enum { SHOWN_MAX = 200, SAID_MAX = 60 };

/* ---- the URL ---- */

/* Scheme, then host and what follows. */
static void split(struct str url, struct str *ret_scheme, struct str *ret_rest)
{
    const char *mark = url.n ? memmem(url.p, url.n, "://", 3) : NULL;
    size_t n = mark ? (size_t)(mark - url.p) + 3 : 0;

    *ret_scheme = (struct str){url.p, n};
    *ret_rest = str_skip(url, n);
}

static struct str without_user(struct str rest)
{
    size_t end = 0;

    while (end < rest.n && rest.p[end] != '/')
        end++;
    const char *at = end ? memrchr(rest.p, '@', end) : NULL;
    return at ? str_skip(rest, (size_t)(at - rest.p) + 1) : rest;
}

static struct str without_query(struct str rest)
{
    for (size_t i = 0; i < rest.n; i++)
        if (rest.p[i] == '?' || rest.p[i] == '#')
            return (struct str){rest.p, i};
    return rest;
}

void media_url_shown(struct str url, char out[MEDIA_URL_SHOWN])
{
    struct str scheme, rest;

    split(url, &scheme, &rest);
    rest = without_user(without_query(rest));
    struct str shown = utf8_shown(rest, SHOWN_MAX - scheme.n);
    str_format(out, MEDIA_URL_SHOWN, "%.*s%.*s%s", STR_FMT(scheme), STR_FMT(shown),
               shown.n < rest.n ? "…" : "");
}

/* ---- the sentence ---- */

void media_detail(char out[MEDIA_DETAIL_SIZE], unsigned number, unsigned of, struct str url,
                  const char *why)
{
    char shown[MEDIA_URL_SHOWN];
    struct str reason = str_of(why);

    media_url_shown(url, shown);
    if (reason.n && reason.p[reason.n - 1] == '.')
        reason.n--;
    char first = reason.n ? (char)tolower((unsigned char)reason.p[0]) : ' ';
    reason = str_skip(reason, 1);
    str_format(out, MEDIA_DETAIL_SIZE, "Media %u of %u (%s): %c%.*s.", number, of, shown, first,
               STR_FMT(reason));
}

/* ---- whys ---- */

void media_why_status(char out[MEDIA_WHY_SIZE], unsigned status)
{
    if (status >= 300 && status < 400)
        str_format(out, MEDIA_WHY_SIZE,
                   "the server answered %u: it redirects, and redirects are not followed; give the "
                   "address it leads to",
                   status);
    else
        str_format(out, MEDIA_WHY_SIZE, "the server answered %u", status);
}

void media_why_large(char out[MEDIA_WHY_SIZE], int64_t size, bool alone, int64_t max)
{
    if (alone)
        str_format(out, MEDIA_WHY_SIZE,
                   "it has at least %" PRId64 " bytes, and the media of a message may have %" PRId64
                   " together",
                   size, max);
    else
        str_format(out, MEDIA_WHY_SIZE,
                   "with it the media of the message have at least %" PRId64
                   " bytes, and they may have %" PRId64 " together",
                   size, max);
}

/* "image/jpeg", as the header has it. */
static struct str said_of(struct str content_type)
{
    return utf8_shown(media_type_said(content_type), SAID_MAX);
}

void media_why_type(char out[MEDIA_WHY_SIZE], const struct sniffed *s, struct str content_type)
{
    struct str said = said_of(content_type);
    const char *is = media_type_of(s->kind);

    switch (s->verdict) {
    case SNIFF_KNOWN:
    case SNIFF_UNKNOWN:
        str_format(out, MEDIA_WHY_SIZE,
                   "its content is of no type that can be sent; the server calls it %.*s",
                   STR_FMT(said.n ? said : STR("nothing")));
        break;
    case SNIFF_PAGE:
        str_format(out, MEDIA_WHY_SIZE, "it is a web page, not a media file");
        break;
    case SNIFF_CONTRADICTED:
        str_format(out, MEDIA_WHY_SIZE, "its content is %s, but the server calls it %.*s", is,
                   STR_FMT(said));
        break;
    case SNIFF_NOT_SAID:
        str_format(out, MEDIA_WHY_SIZE,
                   "its content looks like text, but the server does not call it %s", is);
        break;
    }
}

void media_why_kind(char out[MEDIA_WHY_SIZE], enum media_kind kind)
{
    str_format(out, MEDIA_WHY_SIZE, "the carrier does not take %s", media_type_of(kind));
}
