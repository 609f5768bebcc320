/* The body of a SubmitReq as it goes out: SOAP, SMIL, a text and files, as a multipart that is made
 * while it is read. Files are read where they lie, so a message of any size takes the few KB of its
 * heads; its length is known before. A file is open only while its bytes go out: so a body has one
 * descriptor at most, and none while it waits for an answer. Reading can begin again at any time.
 * One thread at a time. */
#pragma once

#include "mm7/mm7.h"

#include <sys/types.h>

enum { MM7_FILES_MAX = 16 };

struct mm7_file {
    int64_t size;
    struct str type; /* "image/jpeg" */
};

/* Opens one of the files, by its place among them: a descriptor that the body closes, or a negative
 * errno, with which reading ends. */
struct mm7_opener {
    int (*open)(void *context, size_t file);
    void *context;
};

struct mm7_message {
    struct mm7_submit submit; /* its `content` is set here */
    struct str text;          /* "" = none */
    const struct mm7_file *files;
    size_t file_count;
    struct mm7_opener opener; /* lives as long as the body */
    bool binary;              /* files travel as they are; else in base64 */
};

struct mm7_piece {
    size_t start, size; /* in the heads, unless it is a file */
    bool is_file;
    size_t file; /* its place among them */
    int64_t file_size;
    int64_t length; /* of what goes out */
};

struct mm7_body {
    struct buf heads; /* all that is not a file, piece behind piece */
    struct mm7_piece pieces[2 * MM7_FILES_MAX + 1];
    size_t piece_count;
    bool binary;
    int64_t length;         /* Content-Length */
    char content_type[160]; /* of the HTTP request */
    size_t at;              /* the piece that is read next, and where in it */
    int64_t offset;
    struct mm7_opener opener;
    int fd; /* of that piece; -1: it is not open */
};

/* 0; -EINVAL: no recipient, too many files, or a type that is none; -ENOMEM. */
int mm7_body_init(struct mm7_body *ret, const struct mm7_dialect *d, const struct mm7_message *m);
void mm7_body_done(struct mm7_body *b);

/* These fit struct loop_http_source, with the body as context. -EIO when a file is shorter than it
 * was said to be; what the opener said when one cannot be opened. */
ssize_t mm7_body_read(void *body, char *out, size_t room);
int mm7_body_rewind(void *body);

/* What so many bytes take in base64, in lines of 76 characters with their ends. */
int64_t mm7_base64_length(int64_t size);
