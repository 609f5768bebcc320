#include "api/event_frames.h"

#include "view/notice_json.h"
#include "view/public_id.h"

#include <errno.h>

enum { ARENA_MAX = 32 << 20, TEXT_MAX = 32 << 20, TEXT_KEPT = 256 << 10 };

void event_frames_init(struct event_frames *f)
{
    arena_init(&f->arena, ARENA_MAX);
    buf_init(&f->text, TEXT_MAX);
    f->filled = false;
}

void event_frames_done(struct event_frames *f)
{
    arena_done(&f->arena);
    buf_done(&f->text);
}

void event_frames_clear(struct event_frames *f)
{
    arena_reset(&f->arena);
    if (f->text.size > TEXT_KEPT)
        buf_done(&f->text);
    buf_clear(&f->text);
    f->filled = false;
}

int event_frames_read(struct event_frames *f, struct store_reader *r, int64_t account,
                      enum mode mode, int64_t from)
{
    struct notice_query query = {.forward = true, .from = from, .limit = EVENT_FRAMES_MAX};

    if (f->filled && f->account == account && f->mode == mode && f->from == from)
        return 0;
    event_frames_clear(f);
    int failed = store_notice_list(r, account, mode, &query, &f->arena, &f->notices, &f->count);
    if (failed)
        return failed;
    f->filled = true;
    f->account = account;
    f->mode = mode;
    f->from = from;
    for (size_t i = 0; i < f->count; i++)
        f->places[i].size = 0;
    return 0;
}

/* A client's metadata may have been written over several lines. Outside of strings, and inside
 * there are none, the end of a line is as good as a space. */
static void make_one_line(struct buf *b, size_t from)
{
    for (size_t i = from; i < b->n; i++)
        if (b->p[i] == '\n' || b->p[i] == '\r')
            b->p[i] = ' ';
}

static void write_frame(struct buf *b, const struct id_cipher *ids, const struct notice_record *n,
                        const struct message *m)
{
    char id[PUBLIC_ID_SIZE];
    struct json_writer w;

    public_id_format(ids, NOTICE_ID_PREFIX, n->id, id);
    buf_add(b, STR("id: "));
    buf_add(b, (struct str){id, sizeof id});
    buf_add(b, STR("\nevent: "));
    buf_text(b, notice_word(n->kind));
    buf_add(b, STR("\ndata: "));
    size_t data = b->n;
    json_writer_init(&w, b);
    notice_put(&w, ids, n, m);
    make_one_line(b, data);
    buf_add(b, STR("\n\n"));
}

static int make_frame(struct event_frames *f, struct store_reader *r, const struct id_cipher *ids,
                      size_t index)
{
    size_t at = f->text.n;
    struct message m;
    int failed = store_message_at(r, &f->notices[index], &f->arena, &m);

    if (failed)
        return failed;
    write_frame(&f->text, ids, &f->notices[index], &m);
    if (f->text.failed)
        return -ENOMEM;
    f->places[index].at = at;
    f->places[index].size = f->text.n - at;
    return 0;
}

int event_frame(struct event_frames *f, struct store_reader *r, const struct id_cipher *ids,
                size_t index, struct str *ret)
{
    int failed = f->places[index].size ? 0 : make_frame(f, r, ids, index);

    *ret = (struct str){f->text.p + f->places[index].at, f->places[index].size};
    return failed;
}
