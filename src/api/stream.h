/* What all kinds of streams have in common: who listens, their ring on a worker, the seats of their
 * account, and keys that go off. All on the worker's thread. */
#pragma once

#include "api/call.h"

/* Begins the struct of each kind, which lives in its request's arena. */
struct stream {
    struct http_request *http;
    struct api_worker *worker;
    struct stream_ring *ring;
    struct key_record key; /* as it was looked at last */
    int64_t off_us;        /* when it goes off; 0 = never */
    uint64_t generation;   /* of keys when it was looked at */
    struct stream *next, *previous;
};

/* A worker's streams of one kind, those of one account and mode side by side, so that what is new
 * is read and written once for all of them. Zeroed: none. */
struct stream_ring {
    struct stream *turn; /* whose it is; the others follow in a ring */
    size_t count;
    uint64_t generation; /* of keys */
};

/* The handler's struct of `size` bytes, zeroed, with its stream filled in and its seat taken; the
 * answer's head is set. NULL: it is answered why not. */
void *stream_new(struct call *c, struct stream_ring *ring, size_t size);
/* From now on it is in the ring, until it is over; what is in the answer's body goes out with the
 * head. */
void stream_begin(struct stream *s);

/* The next one, whose turn it is. There is one. */
struct stream *stream_turn(struct stream_ring *ring);
/* The generation of keys; once in each round, before stream_is_off. */
uint64_t stream_see_generation(struct api_worker *w, struct stream_ring *ring);
/* Its key is off, or its account: then it has been ended. */
bool stream_ends(struct stream *s, uint64_t generation, int64_t now_us);
/* Whether the client has taken enough of what it was told to be told more. */
bool stream_has_room(const struct stream *s);

/* Whether the caller asks for one: Accept names text/event-stream. The answer, whichever it is,
 * says that it depends on that. */
bool stream_wanted(struct call *c);
