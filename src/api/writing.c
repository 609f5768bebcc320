/* Calls that write: the request is suspended, its job goes to the writer (past the scribe, when
 * there are files to be written first), and when it is durable, refused or lost, the worker
 * answers. */
#include "api/call.h"
#include "api/scribe.h"
#include "base/log.h"

#include <errno.h>

static void answer_queue_full(struct call *c)
{
    answer_problem(c, &(struct problem){.code = PROBLEM_QUEUE_FULL,
                                        .message = "Too many requests are waiting; nothing was "
                                                   "accepted. Try again in 1 second.",
                                        .retry_after_s = 1});
}

static const struct problem not_stored = {
    .code = PROBLEM_SERVICE_UNAVAILABLE,
    .message = "The request could not be stored; nothing was accepted. Try again in 5 seconds.",
    .retry_after_s = 5,
};

void *writing_new(struct call *c, size_t size)
{
    struct writing *w = arena_alloc(&c->http->arena, size);

    if (!w) {
        answer_queue_full(c);
        return NULL;
    }
    w->call = *c;
    w->account = c->key->account;
    w->mode = c->key->mode;
    return w;
}

/* ---- on the writer's thread ---- */

static int apply_unlogged(struct writing *w, struct store *s)
{
    if (w->has_once) {
        int r = once_find(w, s);
        if (r != -ENOENT)
            return r;
    }
    if (w->refusal.code != PROBLEM_NONE) {
        w->problem = w->refusal;
        return 0;
    }
    int r = w->ops->apply(w, s);
    if (r < 0 || !w->has_once || w->problem.code != PROBLEM_NONE)
        return r;
    return once_keep(w, s);
}

static int apply(struct write_job *job, struct store *s)
{
    struct writing *w = (struct writing *)job;

    log_begin_request(w->call.http->id);
    int r = apply_unlogged(w, s);
    log_end_request();
    return r;
}

static void done(struct write_job *job, int result)
{
    struct writing *w = (struct writing *)job;

    w->result = result;
    if (result == 0 && !w->replayed && w->problem.code == PROBLEM_NONE && w->ops->written)
        w->ops->written(w);
    http_request_resume(w->call.http);
}

/* ---- on the worker's thread ---- */

static void answer(struct writing *w)
{
    if (w->has_once && !w->once.message) { /* rendered when it was kept */
        w->call.http->status = w->status;
        return;
    }
    struct json_writer out = answer_json(&w->call, w->status);
    w->ops->render(w, &out);
}

static void finish(struct http_request *r)
{
    struct writing *w = r->continuation;

    if (w->prepared && w->ops->over)
        w->ops->over(w, w->result == 0 && !w->replayed && w->problem.code == PROBLEM_NONE);
    if (w->result == -EAGAIN)
        answer_queue_full(&w->call);
    else if (w->result < 0)
        answer_problem(&w->call, &not_stored);
    else if (w->problem.code != PROBLEM_NONE)
        answer_problem(&w->call, &w->problem);
    else if (w->replayed)
        once_answer(w);
    else
        answer(w);
}

/* ---- on the way to the writer ---- */

static void give_back(struct writing *w, int failed)
{
    w->result = failed;
    http_request_resume(w->call.http);
}

static void post(struct writing *w)
{
    int failed = writer_post(w->call.api->options.writer, &w->job);

    if (failed)
        give_back(w, failed);
}

void writing_prepare(struct letter *writing)
{
    struct writing *w = (struct writing *)writing;

    log_begin_request(w->call.http->id);
    int failed = w->ops->prepare(w);
    if (failed)
        log_error("api", "what came with a request cannot be kept: %s", strerror(-failed));
    log_end_request();
    w->prepared = !failed;
    if (failed)
        w->refusal = not_stored; /* unless it repeats what was stored before */
    post(w);
}

void writing_start(struct writing *w, const struct writing_ops *ops, unsigned weight)
{
    struct http_request *r = w->call.http;

    w->ops = ops;
    w->status = ops->status;
    w->job.apply = apply;
    w->job.done = done;
    w->job.weight = weight;
    w->call.key = NULL;
    r->continuation = w;
    http_request_suspend(r, finish);
    if (!ops->prepare || w->refusal.code != PROBLEM_NONE) {
        post(w);
        return;
    }
    int failed = scribe_post(w->call.api->scribe, &w->job.letter);
    if (failed)
        give_back(w, failed);
}
