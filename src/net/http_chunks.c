#include "net/http_chunks.h"

enum { LINE_MAX_BYTES = 1024, TRAILER_MAX_BYTES = 8192 };

/* After the size line: data, or for the last chunk the trailer. */
static void open_chunk(struct http_chunks *c)
{
    c->state = c->left ? CHUNK_DATA : CHUNK_TRAILER;
    c->digits = 0;
    c->line = 0;
}

static int size_byte(struct http_chunks *c, char byte)
{
    int digit = hex_value(byte);

    if (digit >= 0) {
        c->left = c->left << 4 | (uint64_t)digit;
        return ++c->digits > 8 ? -1 : 0;
    }
    if (c->digits == 0)
        return -1;
    if (byte == '\r') {
        c->carriage = true;
        c->state = CHUNK_EXTENSION;
        return 0;
    }
    c->state = CHUNK_EXTENSION;
    c->spaces = byte == ' ' || byte == '\t';
    return byte == ';' || c->spaces ? 0 : -1;
}

/* Bytes up to CRLF; 1 at its end. A CR or LF alone is malformed. */
static int line_byte(struct http_chunks *c, char byte)
{
    if (c->carriage) {
        c->carriage = false;
        return byte == '\n' ? 1 : -1;
    }
    if (byte == '\r')
        c->carriage = true;
    else if (byte == '\n' || ++c->line > LINE_MAX_BYTES)
        return -1;
    return 0;
}

static int extension_byte(struct http_chunks *c, char byte)
{
    if (c->spaces && byte != ' ' && byte != '\t') {
        c->spaces = false;
        if (byte != ';' && byte != '\r')
            return -1;
    }
    int end = line_byte(c, byte);

    if (end > 0)
        open_chunk(c);
    return end < 0 ? -1 : 0;
}

static int data_end_byte(struct http_chunks *c, char byte)
{
    int end = line_byte(c, byte);

    if (end > 0) {
        c->state = CHUNK_SIZE;
        c->left = 0;
    }
    return end < 0 || c->line > 0 ? -1 : 0;
}

/* 1 at the empty line behind the trailer fields, which are passed over. */
static int trailer_byte(struct http_chunks *c, char byte)
{
    int end = line_byte(c, byte);

    if (++c->trailer > TRAILER_MAX_BYTES)
        return -1;
    if (end <= 0)
        return end;
    if (c->line == 0)
        return 1;
    c->line = 0;
    return 0;
}

static void move_data(struct http_chunks *c, char *bytes, size_t n)
{
    size_t piece = n - c->in;

    if (piece > c->left)
        piece = (size_t)c->left;
    memmove(bytes + c->out, bytes + c->in, piece);
    c->in += piece;
    c->out += piece;
    c->left -= piece;
    if (c->left == 0) {
        c->state = CHUNK_DATA_END;
        c->line = 0;
    }
}

int http_chunks_step(struct http_chunks *c, char *bytes, size_t n)
{
    int result = 0;

    while (c->in < n && result == 0) {
        switch (c->state) {
        case CHUNK_DATA:
            move_data(c, bytes, n);
            break;
        case CHUNK_SIZE:
            result = size_byte(c, bytes[c->in++]);
            break;
        case CHUNK_EXTENSION:
            result = extension_byte(c, bytes[c->in++]);
            break;
        case CHUNK_DATA_END:
            result = data_end_byte(c, bytes[c->in++]);
            break;
        case CHUNK_TRAILER:
            result = trailer_byte(c, bytes[c->in++]);
            break;
        }
    }
    return result;
}
