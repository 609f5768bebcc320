#include "net/loop_internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct loop {
    uv_loop_t uv;
    uv_async_t stop;
    pthread_t thread;
    bool running;
    char name[16];
    struct loop_signal *signals;
    struct loop_guest *guests;
};

struct loop_signal {
    uv_async_t uv;
    loop_callback *callback;
    void *context;
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

static void on_stop(uv_async_t *async)
{
    uv_stop(async->loop);
}

int loop_new(struct loop **ret)
{
    struct loop *l = calloc(1, sizeof *l);

    *ret = NULL;
    if (!l)
        return -ENOMEM;
    int failed = uv_loop_init(&l->uv);
    if (failed) {
        free(l);
        return failed; /* libuv's errors are negative errnos here */
    }
    uv_async_init(&l->uv, &l->stop, on_stop);
    *ret = l;
    return 0;
}

static void on_signal(uv_async_t *async)
{
    struct loop_signal *s = async->data;
    s->callback(s->context);
}

struct loop_signal *loop_signal_new(struct loop *l, loop_callback *callback, void *context)
{
    struct loop_signal *s = calloc(1, sizeof *s);

    if (!s || uv_async_init(&l->uv, &s->uv, on_signal) < 0) {
        free(s);
        return NULL;
    }
    s->uv.data = s;
    s->callback = callback;
    s->context = context;
    s->next = l->signals;
    l->signals = s;
    return s;
}

void loop_signal_raise(struct loop_signal *s)
{
    uv_async_send(&s->uv);
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
    int failed = -pthread_create(&l->thread, NULL, loop_main, l);
    l->running = !failed;
    return failed;
}

void loop_stop(struct loop *l)
{
    if (!l->running)
        return;
    uv_async_send(&l->stop);
    pthread_join(l->thread, NULL);
    l->running = false;
}

void loop_free(struct loop *l)
{
    loop_stop(l);
    uv_close((uv_handle_t *)&l->stop, NULL);
    for (struct loop_signal *s = l->signals; s; s = s->next)
        uv_close((uv_handle_t *)&s->uv, NULL);
    while (l->guests)
        l->guests->show_out(l->guests);
    uv_run(&l->uv, UV_RUN_DEFAULT);
    uv_loop_close(&l->uv);
    while (l->signals) {
        struct loop_signal *next = l->signals->next;
        free(l->signals);
        l->signals = next;
    }
    free(l);
}
