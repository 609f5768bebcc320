/* GET /v1/messages/{messageId}/media/{mediaNumber}: a media file of a message, sent from its file
 * piece by piece as the client takes it. */
#include "api/call.h"
#include "net/digest.h"

#include <errno.h>
#include <unistd.h>

enum { PIECE = 64 << 10 };

/* A file on its way out; in its request's arena. */
struct download {
    int fd;
};

static void over(struct http_request *r)
{
    close(((struct download *)r->continuation)->fd);
}

static void more(struct http_request *r)
{
    const struct download *d = r->continuation;
    char *at = buf_reserve(&r->out, PIECE);
    ssize_t n = at ? read(d->fd, at, PIECE) : -1;

    if (n > 0)
        r->out.n += (size_t)n;
}

static const struct http_stream_ops ops = {.over = over, .more = more};

/* ---- what may go wrong ---- */

static size_t count_lines(struct str lines)
{
    size_t n = 0;

    for (; lines.n; n++)
        str_cut(&lines, '\n');
    return n;
}

static void answer_none(struct call *c, const char *message)
{
    answer_simple_problem(c, PROBLEM_MEDIA_NOT_FOUND, NULL, message);
}

/* The number in the path; 0: the message has no such file, and that is answered. */
static unsigned read_number(struct call *c, const struct message *m)
{
    size_t count = count_lines(m->media);
    uint64_t number = 0;

    if (str_to_u64(c->second, &number) && number >= 1 && number <= count)
        return (unsigned)number;
    answer_none(c, count == 0 ? "This message has no media."
                              : arena_printf(&c->http->arena,
                                             "This message has %zu media file%s; their numbers "
                                             "begin with 1.",
                                             count, count == 1 ? "" : "s"));
    return 0;
}

static void answer_unfetched(struct call *c, const struct message *m, unsigned number)
{
    bool waits = m->status == STATUS_QUEUED || m->status == STATUS_SCHEDULED;

    answer_none(c, arena_printf(&c->http->arena,
                                waits ? "Media file %u of this message is not fetched yet; try "
                                        "again in a few seconds."
                                      : "Media file %u of this message is not here: it is not "
                                        "fetched yet, or could not be, which the message's events "
                                        "would say.",
                                number));
}

/* ---- the answer ---- */

/* How files of a type are called, and whether a browser may show them. */
static const struct {
    const char *type, *ending;
    bool shown;
} types[] = {
    {"image/jpeg", "jpg", true},    {"image/png", "png", true},   {"image/gif", "gif", true},
    {"image/webp", "webp", true},   {"video/mp4", "mp4", false},  {"video/3gpp", "3gp", false},
    {"audio/amr", "amr", false},    {"audio/mpeg", "mp3", false}, {"text/vcard", "vcf", false},
    {"text/x-vcard", "vcf", false}, {"text/plain", "txt", false},
};

/* A type that we do not know by name says nothing, so nobody acts on it. */
static const char *set_type(struct call *c, const struct media_record *r)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, r->type) == 0) {
            c->http->content_type = types[i].type;
            return types[i].shown
                       ? "inline"
                       : arena_printf(&c->http->arena, "attachment; filename=\"media-%u.%s\"",
                                      r->number, types[i].ending);
        }
    c->http->content_type = "application/octet-stream";
    return arena_printf(&c->http->arena, "attachment; filename=\"media-%u.bin\"", r->number);
}

static const char *tag_of(struct call *c, const struct media_record *r)
{
    char hex[2 * MEDIA_HASH_SIZE + 1];

    digest_hex(r->hash, sizeof r->hash, hex);
    return arena_printf(&c->http->arena, "\"%s\"", hex);
}

static void set_headers(struct call *c, const struct media_record *r, const char *tag)
{
    http_request_add_header(c->http, "Content-Disposition", set_type(c, r));
    http_request_add_header(c->http, "X-Content-Type-Options", "nosniff");
    http_request_add_header(c->http, "Content-Security-Policy", "default-src 'none'; sandbox");
    http_request_add_header(c->http, "Cache-Control", "private, max-age=31536000, immutable");
    http_request_add_header(c->http, "ETag", tag);
}

/* Whether the client has it already. */
static bool is_known(struct call *c, const char *tag)
{
    struct str known = http_head_field(&c->http->head, "If-None-Match");

    if (!known.p || !tag)
        return false;
    return str_is(known, "*") || memmem(known.p, known.n, tag, strlen(tag));
}

static void send_file(struct call *c, int fd, int64_t size)
{
    struct download *d = arena_alloc(&c->http->arena, sizeof *d);

    if (!d) {
        close(fd);
        answer_store_trouble(c, -ENOMEM);
        return;
    }
    d->fd = fd;
    c->http->continuation = d;
    c->http->status = 200;
    buf_clear(&c->http->out);
    http_stream_begin_sized(c->http, &ops, size);
}

static void answer_media(struct call *c, const struct media_record *r)
{
    const char *tag = tag_of(c, r);
    int fd = store_media_open(c->api->options.store, r);

    if (fd == -ENOENT) {
        answer_none(c, "The content of this media file is not kept any more.");
    } else if (fd < 0) {
        answer_store_trouble(c, fd);
    } else if (is_known(c, tag)) {
        close(fd);
        set_headers(c, r, tag);
        c->http->status = 304;
    } else {
        set_headers(c, r, tag);
        send_file(c, fd, r->size);
    }
}

void messages_media(struct call *c)
{
    struct message m;
    struct media_record r;

    if (!message_find(c, &m))
        return;
    unsigned number = read_number(c, &m);
    if (number == 0)
        return;
    int failed = store_media_get(c->worker->reader, m.id, number, &r);
    if (failed == -ENOENT)
        answer_unfetched(c, &m, number);
    else if (failed)
        answer_store_trouble(c, failed);
    else
        answer_media(c, &r);
}
