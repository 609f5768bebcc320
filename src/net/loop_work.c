#include "net/loop_work.h"

#include "net/loop_internal.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Owned by the loop's thread, but for `work` and `context`, which the pool's reads. */
struct work {
    uv_work_t uv;
    struct loop *loop;
    struct loop_guest guest;
    void (*work)(void *context);
    void (*done)(void *context);
    void *context;
    bool dropped; /* the loop ends: nobody is told */
};

static void on_work(uv_work_t *uv)
{
    struct work *w = uv->data;
    w->work(w->context);
}

static void on_done(uv_work_t *uv, int cancelled)
{
    struct work *w = uv->data;
    struct work kept = *w;

    if (!w->dropped)
        loop_guest_leave(w->loop, &w->guest);
    free(w);
    if (!kept.dropped)
        kept.done(kept.context);
}

static void show_out(struct loop_guest *g)
{
    struct work *w = LOOP_GUEST_OF(g, struct work);

    loop_guest_leave(w->loop, g);
    w->dropped = true;
    uv_cancel((uv_req_t *)&w->uv);
}

int loop_work(struct loop *l, void (*work)(void *context), void (*done)(void *context),
              void *context)
{
    struct work *w = calloc(1, sizeof *w);

    if (!w)
        return -ENOMEM;
    *w = (struct work){.loop = l, .work = work, .done = done, .context = context};
    w->uv.data = w;
    int failed = uv_queue_work(loop_uv(l), &w->uv, on_work, on_done);
    if (failed) {
        free(w);
        return failed;
    }
    w->guest.show_out = show_out;
    loop_guest_enter(l, &w->guest);
    return 0;
}
