#include "cli/following.h"

#include <signal.h>
#include <unistd.h>

enum { EVENT_MAX = 8 << 20, BACKOFF_MIN_MS = 500, BACKOFF_MAX_MS = 10000, STEP_MS = 50 };

/* ---- being told to stop ---- */

static volatile sig_atomic_t told_to_stop;

static void on_signal(int number)
{
    told_to_stop = 1;
}

/* A second Ctrl-C ends it at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool following_is_stopped(void *context)
{
    return told_to_stop;
}

void following_rest(int64_t ms)
{
    for (; ms > 0 && !told_to_stop; ms -= STEP_MS)
        usleep(STEP_MS * 1000);
}

/* ---- the stream ---- */

static bool take_bytes(void *context, struct str bytes)
{
    struct following *f = context;

    if (!f->connected) {
        f->connections++;
        if (f->lost)
            talk("Connected again.");
    }
    f->connected = true;
    f->lost = false;
    f->wait_ms = BACKOFF_MIN_MS;
    enum sse_result r = sse_feed(&f->sse, bytes);
    f->too_long = r == SSE_TOO_LONG;
    f->enough = r == SSE_ENOUGH;
    return r == SSE_MORE;
}

static enum http_outcome follow(struct following *f, struct http_reply *reply)
{
    struct buf path BUF_CLEANUP;

    buf_init(&path, 1 << 16);
    f->path(f->context, &path);
    buf_add_char(&path, '\0');
    f->connected = f->too_long = false;
    sse_init(&f->sse, EVENT_MAX, f->take, f->context);
    enum http_outcome outcome =
        client_follow(f->client, path.p, f->last,
                      &(struct http_follow){.call.timeout_ms = f->silence_ms,
                                            .take = take_bytes,
                                            .stopped = following_is_stopped,
                                            .context = f},
                      reply);
    sse_done(&f->sse);
    return outcome;
}

/* Whether it makes sense to try again. It was reached and trusted before it began, so all that can
 * happen to a connection may pass; a key that is refused stays refused. */
static bool is_passing(enum http_outcome outcome, unsigned status)
{
    return outcome != HTTP_ANSWERED || status == 200 || status == 429 || status >= 500;
}

static void tell_lost(struct following *f, enum http_outcome outcome,
                      const struct http_reply *reply)
{
    if (f->lost)
        return;
    f->lost = true;
    if (outcome != HTTP_ANSWERED)
        talk("The connection to %s is lost (%s); trying to come back.", f->client->url, reply->why);
    else if (reply->status == 200)
        talk("The server at %s ended the connection; trying to come back.", f->client->url);
    else
        talk("The server at %s answered %u; trying again.", f->client->url, reply->status);
}

int following_run(struct following *f)
{
    f->wait_ms = BACKOFF_MIN_MS;
    catch_signals();
    for (;;) {
        struct http_reply reply HTTP_REPLY_CLEANUP = {.status = 0};
        enum http_outcome outcome = follow(f, &reply);
        if (told_to_stop || f->enough)
            return CLI_OK;
        if (f->too_long) {
            talk("The server at %s told of an event that is larger than 8 MiB.", f->client->url);
            return CLI_FAILED;
        }
        if (!is_passing(outcome, reply.status))
            return client_tell(f->client, outcome, &reply);
        tell_lost(f, outcome, &reply);
        following_rest(f->wait_ms);
        f->wait_ms = f->wait_ms * 2 < BACKOFF_MAX_MS ? f->wait_ms * 2 : BACKOFF_MAX_MS;
        client_look_again(f->client);
    }
}
