/* A chunked body, decoded in place as it comes: the data moves together at the front, the sizes and
 * line ends between vanish. Pure; fuzzed. */
#pragma once

#include "base/str.h"

enum chunk_state { CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_DATA, CHUNK_DATA_END, CHUNK_TRAILER };

struct http_chunks {
    enum chunk_state state;
    uint64_t left;   /* of the present chunk */
    unsigned digits; /* of its size, so far */
    size_t line;     /* length of the present trailer line or extension */
    size_t in, out;  /* consumed and kept bytes, from the front of the body */
    size_t trailer;  /* bytes of all its lines */
    bool carriage;   /* the last byte was a CR that a LF must follow */
    bool spaces; /* behind the size came spaces: only a semicolon or the line's end may follow */
};

/* Goes on with bytes[0, n), the same memory as before with more behind: 1 the body is whole, 0 more
 * is needed, -1 it is malformed. */
int http_chunks_step(struct http_chunks *c, char *bytes, size_t n);
