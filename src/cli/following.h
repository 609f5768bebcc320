/* A stream of the API, followed until SIGINT or SIGTERM. When the server goes away it is waited
 * for, and the stream goes on behind the last event that was done with. */
#pragma once

#include "cli/client.h"
#include "net/sse.h"

struct following {
    struct client *client;
    void (*path)(void *context, struct buf *out); /* asked before each connection */
    sse_callback *take;
    void *context;
    const char *last;   /* id of the event that was done with; "": none, or they have no ids */
    int64_t silence_ms; /* after which the server is taken for gone */

    unsigned connections; /* so many there were; the rest is the following's own */
    struct sse sse;
    bool too_long;  /* the stream had something that is no event */
    bool enough;    /* no more events were wanted */
    bool connected; /* this time */
    bool lost;      /* it was told that the connection is lost */
    int64_t wait_ms;
};

/* Until it is told to stop, or no more events are wanted, or something is wrong that will not pass;
 * an exit code, and the user has been told. */
int following_run(struct following *f);

/* Whether it was told to stop. A second signal ends the program at once. */
bool following_is_stopped(void *context);
/* Waits, but not when it was told to stop. */
void following_rest(int64_t ms);
