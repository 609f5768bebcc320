/* Events from the stream of the API on to a receiver. One goes after the other, so that those of a
 * message stay in order; where it stopped is known by the id of the last one that was done with. */
#pragma once

#include "cli/client.h"
#include "cli/forward.h"
#include "net/sse.h"

struct listening {
    struct client client;
    struct forward forward; /* its address and secret are given, the rest is the listening's own */
    const char *types;      /* as given; NULL = all */
    char last[SSE_WORD_MAX + 1]; /* event that was done with; "": begin with the oldest there is */
    int64_t forwarded, refused;  /* how many the receiver took, and did not take */
};

/* Until SIGINT or SIGTERM, or something is wrong that will not pass; an exit code, and the user has
 * been told. When the server goes away it is waited for. */
int listening_run(struct listening *l);
