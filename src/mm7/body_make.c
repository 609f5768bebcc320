/* From a message to the pieces of its body. */
#include "base/random.h"
#include "mm7/body.h"
#include "mm7/smil.h"

#include <errno.h>
#include <stdio.h>

enum { HEADS_MAX = 1 << 20, HEADS_USUAL = 4 << 10, LINE_MAX_8BIT = 998 };

#define SOAP_ID    "soap"
#define CONTENT_ID "mms"
#define SMIL_ID    "smil"

/* 128 bits of chance: no file can hold it but by looking. */
enum { BOUNDARY_BYTES = 16, BOUNDARY_SIZE = 2 * BOUNDARY_BYTES + 3 };

static void make_boundary(const char *front, char out[BOUNDARY_SIZE])
{
    static const char hex[] = "0123456789abcdef";
    uint8_t chance[BOUNDARY_BYTES];

    random_secret(chance, sizeof chance);
    out[0] = front[0];
    out[1] = '_'; /* never in base64 */
    for (size_t i = 0; i < BOUNDARY_BYTES; i++) {
        out[2 + 2 * i] = hex[chance[i] >> 4];
        out[3 + 2 * i] = hex[chance[i] & 15];
    }
    out[BOUNDARY_SIZE - 1] = '\0';
}

/* ---- pieces ---- */

/* Everything that was written since the last piece becomes one. */
static void end_heads(struct mm7_body *b)
{
    size_t start = 0;

    for (size_t i = 0; i < b->piece_count; i++)
        start += b->pieces[i].size;
    b->pieces[b->piece_count++] = (struct mm7_piece){
        .start = start, .size = b->heads.n - start, .length = (int64_t)(b->heads.n - start)};
}

static void add_file_piece(struct mm7_body *b, size_t file, const struct mm7_file *f)
{
    end_heads(b);
    b->pieces[b->piece_count++] =
        (struct mm7_piece){.is_file = true,
                           .file = file,
                           .file_size = f->size,
                           .length = b->binary ? f->size : mm7_base64_length(f->size)};
}

/* ---- parts ---- */

static void open_part(struct buf *out, const char *boundary)
{
    buf_printf(out, "\r\n--%s\r\n", boundary);
}

static void open_soap(struct buf *out, const char *boundary)
{
    buf_printf(out,
               "--%s\r\n"
               "Content-Type: text/xml; charset=utf-8\r\n"
               "Content-Transfer-Encoding: 8bit\r\n"
               "Content-ID: <" SOAP_ID ">\r\n\r\n",
               boundary);
}

static void open_content(struct buf *out, const char *boundary, const char *inner)
{
    open_part(out, boundary);
    buf_printf(out,
               "Content-Type: multipart/related; type=\"application/smil\"; start=\"<" SMIL_ID
               ">\"; boundary=\"%s\"\r\nContent-ID: <" CONTENT_ID ">\r\n",
               inner);
}

static void add_smil(struct buf *out, const char *boundary, const struct mm7_message *m)
{
    struct str types[MM7_FILES_MAX];

    for (size_t i = 0; i < m->file_count; i++)
        types[i] = m->files[i].type;
    open_part(out, boundary);
    buf_text(out, "Content-Type: application/smil; charset=utf-8\r\n"
                  "Content-Transfer-Encoding: 8bit\r\n"
                  "Content-ID: <" SMIL_ID ">\r\n"
                  "Content-Location: smil.xml\r\n\r\n");
    smil_write(out, m->text.n > 0, types, m->file_count);
}

/* 8bit has lines of at most 998 bytes. */
static bool has_long_line(struct str text)
{
    while (text.n > 0)
        if (str_cut(&text, '\n').n > LINE_MAX_8BIT)
            return true;
    return false;
}

static void add_text(struct buf *out, const char *boundary, struct str text)
{
    if (text.n == 0)
        return;
    open_part(out, boundary);
    buf_printf(out,
               "Content-Type: text/plain; charset=utf-8; name=\"" SMIL_TEXT_NAME "\"\r\n"
               "Content-Transfer-Encoding: %s\r\n"
               "Content-ID: <" SMIL_TEXT_NAME ">\r\n"
               "Content-Location: " SMIL_TEXT_NAME "\r\n\r\n",
               has_long_line(text) ? "binary" : "8bit");
    buf_add(out, text);
}

static void add_file(struct mm7_body *b, const char *boundary, size_t file,
                     const struct mm7_file *f)
{
    char name[SMIL_NAME_SIZE];

    smil_name(file + 1, f->type, name);
    open_part(&b->heads, boundary);
    buf_printf(&b->heads,
               "Content-Type: %.*s; name=\"%s\"\r\n"
               "Content-Transfer-Encoding: %s\r\n"
               "Content-ID: <%s>\r\n"
               "Content-Location: %s\r\n\r\n",
               STR_FMT(f->type), name, b->binary ? "binary" : "base64", name, name);
    add_file_piece(b, file, f);
}

/* ---- the whole ---- */

/* A type goes into a head as it is. */
static bool type_good(struct str type)
{
    size_t slashes = 0;

    for (size_t i = 0; i < type.n; i++) {
        char c = type.p[i];
        if (c <= ' ' || c >= 0x7f || strchr("()<>@,;:\\\"[]?=", c))
            return false;
        slashes += c == '/';
    }
    return slashes == 1 && type.p[0] != '/' && type.p[type.n - 1] != '/';
}

static bool files_good(const struct mm7_message *m)
{
    if (m->file_count > MM7_FILES_MAX)
        return false;
    for (size_t i = 0; i < m->file_count; i++)
        if (m->files[i].size < 0 || !type_good(m->files[i].type))
            return false;
    return true;
}

static int write_all(struct mm7_body *b, const struct mm7_dialect *d, const struct mm7_message *m)
{
    struct mm7_submit submit = m->submit;
    char outer[BOUNDARY_SIZE], inner[BOUNDARY_SIZE];

    make_boundary("m", outer);
    make_boundary("c", inner);
    str_format(b->content_type, sizeof b->content_type,
               "multipart/related; type=\"text/xml\"; start=\"<" SOAP_ID ">\"; boundary=\"%s\"",
               outer);
    submit.content = STR(CONTENT_ID);
    open_soap(&b->heads, outer);
    int code = mm7_write_submit(&b->heads, d, &submit);
    if (code)
        return code;
    open_content(&b->heads, outer, inner);
    add_smil(&b->heads, inner, m);
    add_text(&b->heads, inner, m->text);
    for (size_t i = 0; i < m->file_count; i++)
        add_file(b, inner, i, &m->files[i]);
    buf_printf(&b->heads, "\r\n--%s--\r\n\r\n--%s--\r\n", inner, outer);
    end_heads(b);
    return b->heads.failed ? -ENOMEM : 0;
}

int mm7_body_init(struct mm7_body *ret, const struct mm7_dialect *d, const struct mm7_message *m)
{
    if (!files_good(m))
        return -EINVAL;
    *ret = (struct mm7_body){.binary = m->binary, .opener = m->opener, .fd = -1};
    buf_init(&ret->heads, HEADS_MAX);
    buf_reserve(&ret->heads, HEADS_USUAL);
    int code = write_all(ret, d, m);
    if (code) {
        mm7_body_done(ret);
        return code;
    }
    for (size_t i = 0; i < ret->piece_count; i++)
        ret->length += ret->pieces[i].length;
    return 0;
}
