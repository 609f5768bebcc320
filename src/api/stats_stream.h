/* Live statistics of a worker: the answer to one call, and the streams that it has open, each told
 * once a second. All on the worker's thread. */
#pragma once

#include "api/call.h"

struct stats_streams;

struct stats_streams *stats_streams_new(struct store *store);
void stats_streams_free(struct stats_streams *s);
/* The statistics of the caller's account and mode, as its key sees them, onto `out`. 0, or a
 * negative errno. */
int stats_now(struct call *c, struct buf *out);
/* Makes the call's answer a stream, or answers why not. */
void stats_stream_begin(struct call *c);
/* For worker_tell. True: there is more. */
bool stats_streams_tell(struct api_worker *w);
