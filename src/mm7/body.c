#include "mm7/body.h"

#include "base/base64.h"

#include <errno.h>
#include <unistd.h>

/* Base64 goes out in lines of 76 characters, each of 57 bytes. */
enum { LINE_BYTES = 57, LINE_CHARS = 76, LINE_SIZE = LINE_CHARS + 2, LINES_AT_ONCE = 128 };

int64_t mm7_base64_length(int64_t size)
{
    int64_t rest = size % LINE_BYTES;

    return size / LINE_BYTES * LINE_SIZE + (rest ? BASE64_SIZE(rest) + 2 : 0);
}

/* All of n bytes; -EIO when the file has become shorter. */
static int read_whole(int fd, void *out, size_t n, int64_t at)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(fd, (char *)out + done, n - done, at + (int64_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        done += (size_t)got;
    }
    return 0;
}

static size_t encode_line(const uint8_t *bytes, size_t n, char *out)
{
    base64_encode(bytes, n, out);
    memcpy(out + BASE64_SIZE(n), "\r\n", 2);
    return BASE64_SIZE(n) + 2;
}

/* As many whole lines as fit, from a place that is the start of one. */
static ssize_t read_lines(int fd, const struct mm7_piece *piece, int64_t line, char *out,
                          size_t room)
{
    uint8_t bytes[LINES_AT_ONCE * LINE_BYTES];
    size_t lines = room / LINE_SIZE < LINES_AT_ONCE ? room / LINE_SIZE : LINES_AT_ONCE;
    int64_t left = piece->file_size - line * LINE_BYTES;
    size_t n = (int64_t)(lines * LINE_BYTES) < left ? lines * LINE_BYTES : (size_t)left;
    int code = read_whole(fd, bytes, n, line * LINE_BYTES);
    size_t done = 0;

    if (code)
        return code;
    for (size_t i = 0; i < n; i += LINE_BYTES)
        done += encode_line(bytes + i, n - i < LINE_BYTES ? n - i : LINE_BYTES, out + done);
    return (ssize_t)done;
}

/* The rest of a line that was begun, or what there is room for of one. */
static ssize_t read_in_line(int fd, const struct mm7_piece *piece, int64_t offset, char *out,
                            size_t room)
{
    char line[LINE_SIZE];
    size_t column = (size_t)(offset % LINE_SIZE);
    ssize_t n = read_lines(fd, piece, offset / LINE_SIZE, line, sizeof line);

    if (n < 0)
        return n;
    size_t size = (size_t)n - column < room ? (size_t)n - column : room;
    memcpy(out, line + column, size);
    return (ssize_t)size;
}

static ssize_t read_base64(int fd, const struct mm7_piece *piece, int64_t offset, char *out,
                           size_t room)
{
    if (offset % LINE_SIZE == 0 && room >= LINE_SIZE)
        return read_lines(fd, piece, offset / LINE_SIZE, out, room);
    return read_in_line(fd, piece, offset, out, room);
}

/* ---- pieces ---- */

static void put_down(struct mm7_body *b)
{
    if (b->fd >= 0)
        close(b->fd);
    b->fd = -1;
}

static ssize_t read_file(struct mm7_body *b, const struct mm7_piece *piece, char *out, size_t room)
{
    size_t n =
        piece->length - b->offset < (int64_t)room ? (size_t)(piece->length - b->offset) : room;

    if (b->fd < 0)
        b->fd = b->opener.open(b->opener.context, piece->file);
    if (b->fd < 0)
        return b->fd;
    if (!b->binary)
        return read_base64(b->fd, piece, b->offset, out, room);
    int code = read_whole(b->fd, out, n, b->offset);
    return code ? code : (ssize_t)n;
}

static ssize_t read_head(const struct mm7_body *b, const struct mm7_piece *piece, char *out,
                         size_t room)
{
    size_t left = piece->size - (size_t)b->offset, n = left < room ? left : room;

    memcpy(out, b->heads.p + piece->start + b->offset, n);
    return (ssize_t)n;
}

ssize_t mm7_body_read(void *body, char *out, size_t room)
{
    struct mm7_body *b = body;
    size_t done = 0;

    while (done < room && b->at < b->piece_count) {
        const struct mm7_piece *piece = &b->pieces[b->at];
        ssize_t n = 0;
        if (b->offset < piece->length)
            n = piece->is_file ? read_file(b, piece, out + done, room - done)
                               : read_head(b, piece, out + done, room - done);
        if (n < 0)
            return n;
        b->offset += n;
        done += (size_t)n;
        if (b->offset == piece->length) {
            put_down(b);
            b->at++;
            b->offset = 0;
        }
    }
    return (ssize_t)done;
}

int mm7_body_rewind(void *body)
{
    struct mm7_body *b = body;

    put_down(b);
    b->at = 0;
    b->offset = 0;
    return 0;
}

void mm7_body_done(struct mm7_body *b)
{
    put_down(b);
    buf_done(&b->heads);
}
