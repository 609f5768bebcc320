#include "net/loop_internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Signals do not use uv_async_t: a loop that is woken by one spins until the thread that raised it
 * has come back from the kernel, which takes a while where that thread was put aside for the loop's
 * own. With many signals from a less urgent thread it was a quarter of the loop's time. */
struct loop {
    uv_loop_t uv;
    uv_poll_t poll; /* of the next */
    int wake;
    atomic_bool woken; /* and has not looked yet: nobody else needs to wake it */
    atomic_bool stopping;
    pthread_t thread;
    bool running;
    char name[16];
    struct loop_signal *signals;
    struct loop_guest *guests;
};

struct loop_signal {
    atomic_bool raised;
    loop_callback *callback;
    void *context;
    struct loop *loop;
    struct loop_signal *next;
};

struct loop_timer {
    uv_timer_t uv;
    loop_callback *callback;
    void *context;
    struct loop *loop;
    struct loop_guest guest;
};

uv_loop_t *loop_uv(struct loop *l)
{
    return &l->uv;
}

void loop_guest_enter(struct loop *l, struct loop_guest *g)
{
    g->previous = NULL;
    g->next = l->guests;
    if (g->next)
        g->next->previous = g;
    l->guests = g;
}

void loop_guest_leave(struct loop *l, struct loop_guest *g)
{
    *(g->previous ? &g->previous->next : &l->guests) = g->next;
    if (g->next)
        g->next->previous = g->previous;
}

static void wake(struct loop *l)
{
    if (!atomic_exchange(&l->woken, true))
        (void)!write(l->wake, &(uint64_t){1}, sizeof(uint64_t));
}

/* What is raised from here on wakes it again. */
static void on_wake(uv_poll_t *poll, int failed, int events)
{
    struct loop *l = poll->data;
    uint64_t times;

    (void)!read(l->wake, &times, sizeof times);
    atomic_store(&l->woken, false);
    for (struct loop_signal *s = l->signals; s; s = s->next) {
        if (atomic_exchange(&s->raised, false))
            s->callback(s->context);
    }
    if (atomic_load(&l->stopping))
        uv_stop(&l->uv);
}

/* Errors of libuv are negative errnos here. */
static int watch_wake(struct loop *l)
{
    int failed = uv_poll_init(&l->uv, &l->poll, l->wake);

    if (failed)
        return failed;
    l->poll.data = l;
    return uv_poll_start(&l->poll, UV_READABLE, on_wake);
}

static int open_wake(struct loop *l)
{
    l->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (l->wake < 0)
        return -errno;
    int failed = watch_wake(l);
    if (failed)
        close(l->wake);
    return failed;
}

int loop_new(struct loop **ret)
{
    struct loop *l = calloc(1, sizeof *l);

    *ret = NULL;
    if (!l)
        return -ENOMEM;
    int failed = uv_loop_init(&l->uv);
    if (!failed) {
        failed = open_wake(l);
        if (failed)
            uv_loop_close(&l->uv);
    }
    if (failed) {
        free(l);
        return failed;
    }
    *ret = l;
    return 0;
}

struct loop_signal *loop_signal_new(struct loop *l, loop_callback *callback, void *context)
{
    struct loop_signal *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->callback = callback;
    s->context = context;
    s->loop = l;
    s->next = l->signals;
    l->signals = s;
    return s;
}

void loop_signal_raise(struct loop_signal *s)
{
    if (!atomic_exchange(&s->raised, true))
        wake(s->loop);
}

static void on_timer(uv_timer_t *timer)
{
    struct loop_timer *t = timer->data;
    t->callback(t->context);
}

static void show_timer_out(struct loop_guest *g)
{
    loop_timer_free(LOOP_GUEST_OF(g, struct loop_timer));
}

struct loop_timer *loop_timer_new(struct loop *l, loop_callback *callback, void *context)
{
    struct loop_timer *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    uv_timer_init(&l->uv, &t->uv);
    t->uv.data = t;
    t->callback = callback;
    t->context = context;
    t->loop = l;
    t->guest.show_out = show_timer_out;
    loop_guest_enter(l, &t->guest);
    return t;
}

void loop_timer_start(struct loop_timer *t, uint64_t delay_ms, uint64_t repeat_ms)
{
    uv_timer_start(&t->uv, on_timer, delay_ms, repeat_ms);
}

void loop_timer_stop(struct loop_timer *t)
{
    uv_timer_stop(&t->uv);
}

static void on_timer_closed(uv_handle_t *timer)
{
    free(timer->data);
}

void loop_timer_free(struct loop_timer *t)
{
    if (!t)
        return;
    loop_guest_leave(t->loop, &t->guest);
    uv_close((uv_handle_t *)&t->uv, on_timer_closed);
}

static void *loop_main(void *argument)
{
    struct loop *l = argument;
    sigset_t broken_pipe;

    pthread_setname_np(pthread_self(), l->name);
    /* libuv writes to sockets that the peer may have closed. */
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, NULL);
    uv_run(&l->uv, UV_RUN_DEFAULT);
    return NULL;
}

int loop_start(struct loop *l, const char *thread_name)
{
    snprintf(l->name, sizeof l->name, "%s", thread_name);
    atomic_store(&l->stopping, false);
    int failed = -pthread_create(&l->thread, NULL, loop_main, l);
    l->running = !failed;
    return failed;
}

void loop_stop(struct loop *l)
{
    if (!l->running)
        return;
    atomic_store(&l->stopping, true);
    wake(l);
    pthread_join(l->thread, NULL);
    l->running = false;
}

void loop_free(struct loop *l)
{
    loop_stop(l);
    uv_close((uv_handle_t *)&l->poll, NULL);
    while (l->guests)
        l->guests->show_out(l->guests);
    uv_run(&l->uv, UV_RUN_DEFAULT);
    uv_loop_close(&l->uv);
    close(l->wake);
    while (l->signals) {
        struct loop_signal *next = l->signals->next;
        free(l->signals);
        l->signals = next;
    }
    free(l);
}
