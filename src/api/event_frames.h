/* Notices as the event stream tells them, read and written once for all streams that stand at the
 * same place. A worker has one; what it holds is good for a moment, until it is cleared. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "store/store.h"

enum { EVENT_FRAMES_MAX = 64 };

struct event_frames {
    struct arena arena;
    struct buf text; /* the frames that were asked for so far */
    bool filled;
    int64_t account, from;
    enum mode mode;
    struct notice_record *notices; /* the next ones behind `from`, oldest first */
    size_t count;                  /* fewer than EVENT_FRAMES_MAX: there are no more */
    struct {
        size_t at, size; /* in `text`; size 0: not yet */
    } places[EVENT_FRAMES_MAX];
};

void event_frames_init(struct event_frames *f);
void event_frames_done(struct event_frames *f);
void event_frames_clear(struct event_frames *f);
/* Those of an account and mode behind `from`; 0, or the store's negative errno. */
int event_frames_read(struct event_frames *f, struct store_reader *r, int64_t account,
                      enum mode mode, int64_t from);
/* The index-th as it goes out, until the next call. 0, -ENOENT when its message is gone, or another
 * negative errno. */
int event_frame(struct event_frames *f, struct store_reader *r, const struct id_cipher *ids,
                size_t index, struct str *ret);
