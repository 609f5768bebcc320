/* The head of an HTTP/1.1 request, parsed in place: views into the connection's buffer, nothing
 * copied. Strict, because what two programs read differently can be used against one of them: bare
 * line feeds, folded lines, two lengths, or a length beside chunks are refused. Pure; fuzzed. */
#pragma once

#include "base/str.h"

enum { HTTP_FIELDS_MAX = 64 };

struct http_field {
    struct str name, value;
};

struct http_head {
    struct str method;
    struct str path, query; /* as sent, not decoded */
    struct http_field fields[HTTP_FIELDS_MAX];
    size_t field_count;
    uint64_t content_length;
    bool has_host, has_length, chunked, keep_alive, expects_continue;
    bool old;    /* HTTP/1.0 */
    bool closes; /* "Connection: close" was said */
};

/* The size of the head in `bytes` up to and with its empty line, or 0 when that has not come yet.
 * *scanned remembers how far the last look went. */
size_t http_head_size(struct str bytes, size_t *scanned);

/* Of bytes without a whole head: whether none will come, because their lines end with LF alone. */
bool http_head_is_bare(struct str bytes);

/* NULL, or what is wrong with it. `bytes` is exactly one head. */
const char *http_head_parse(struct str bytes, struct http_head *ret);

/* The value of a field, or p == NULL. */
struct str http_head_field(const struct http_head *h, const char *name);
