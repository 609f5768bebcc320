/* Server-sent events, read: bytes in, in pieces of any size; whole events out. No socket and no
 * clock. Lines may end in LF, CR or both. */
#pragma once

#include "base/buf.h"

enum { SSE_WORD_MAX = 256 }; /* of an id or a type; longer ones are not taken */

struct sse_event {
    struct str id;   /* the last that was named, by this event or an earlier one; or "" */
    struct str type; /* "message" unless it has another */
    struct str data; /* its lines, with LF between them */
};

/* False: no more events are wanted. */
typedef bool sse_callback(void *context, const struct sse_event *event);

struct sse {
    sse_callback *take;
    void *context;
    struct buf line, data;
    char id[SSE_WORD_MAX + 1], type[SSE_WORD_MAX + 1];
    bool begun;    /* a line has come: a byte order mark may only stand before it */
    bool after_cr; /* an LF that comes next belongs to the line that is over */
    bool has_data;
};

/* `max` is the ceiling of a line and of an event's data. */
void sse_init(struct sse *s, size_t max, sse_callback *take, void *context);
void sse_done(struct sse *s);
#define SSE_CLEANUP __attribute__((cleanup(sse_done)))

enum sse_result { SSE_MORE, SSE_ENOUGH, SSE_TOO_LONG };

/* Whatever was not SSE_MORE stays so: what comes next is not looked at. */
enum sse_result sse_feed(struct sse *s, struct str bytes);
