/* The streams of events that a worker has open: each told what its account and mode has new. All on
 * the worker's thread. */
#pragma once

#include "api/call.h"

struct event_streams;

struct event_streams *event_streams_new(void);
void event_streams_free(struct event_streams *s);
/* Makes the call's answer a stream of the notices of these kinds behind `position`; or answers that
 * there are too many. */
void event_stream_begin(struct call *c, int64_t position, uint32_t kinds);
/* For worker_tell. True: there is more. */
bool event_streams_tell(struct api_worker *w);
