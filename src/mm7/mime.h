/* MIME (RFC 2045, 2046, 2387) as MMSCs write it: parts of a multipart, nested or not, flat and in
 * their order. Lenient: boundaries with blanks behind them, a missing last boundary, bare line
 * feeds, Content-IDs with or without <>. */
#pragma once

#include "base/arena.h"

enum { MIME_PARTS_MAX = 128, MIME_DEPTH_MAX = 4, MIME_HEAD_MAX = 8 << 10, MIME_FIELDS_MAX = 64 };

/* One part that is not a multipart itself. Views of the body that was read, or of the arena. */
struct mm7_part {
    struct str type;     /* "image/jpeg", in small letters; "text/plain" when it does not say */
    struct str charset;  /* in small letters; "" = it does not say */
    struct str name;     /* name or filename, as written; not fit for a path */
    struct str id;       /* without <>; "" = none */
    struct str location; /* Content-Location; "" = none */
    unsigned depth;      /* of multiparts around it: 1 in the outermost */
    struct str bytes;    /* decoded */
};

/* A Content-Type, taken apart. */
struct mime_type {
    struct str type; /* in small letters; "" when there is none */
    struct str boundary, start, charset, name;
};

/* Small letters and unquoted values lie in the arena. -ENOMEM. */
int mime_type_read(struct mime_type *ret, struct arena *a, struct str text);
bool mime_type_is_multipart(const struct mime_type *t);

/* A Content-ID or the reference to one: without blanks, "cid:" and <>. */
struct str mime_id(struct str text);

/* The parts of a multipart's body. *count is the room in parts, then how many there are. -EBADMSG:
 * no boundary, or it never comes; -E2BIG: more parts, depth or headers than there may be, or than
 * fit; -ENOMEM. Then *ret_why is a sentence. What cannot be decoded (bytes that are not base64) is
 * passed over, as mail programs do. */
int mime_read(const struct mime_type *type, struct arena *a, struct str body,
              struct mm7_part parts[], size_t *count, const char **ret_why);

/* A field of the head of a mail or part, unfolded into the arena when it has to be; "" = none. */
struct str mime_field(struct arena *a, struct str head, const char *name);
/* A parameter of a field's value: of `attachment; filename="a b.jpg"` that is the name; "" = none.
 */
struct str mime_parameter(struct arena *a, struct str value, const char *name);
/* Cuts a head off: returns it and leaves what comes behind the empty line in *bytes. */
struct str mime_cut_head(struct str *bytes);

/* Decoding into the arena; the result's p is NULL when the arena is full. */
struct str mime_decode_base64(struct arena *a, struct str text);
struct str mime_decode_quoted(struct arena *a, struct str text);
