#include "net/mailbox.h"

#include "base/clock.h"

#include <errno.h>
#include <time.h>

enum { HELD_MAX = 64 };

void mailbox_init(struct mailbox *m, void (*wake)(void *), void *context)
{
    pthread_condattr_t attributes;

    *m = (struct mailbox){.wake = wake, .wake_context = context};
    m->last = &m->first;
    pthread_mutex_init(&m->lock, NULL);
    /* Time-outs must not jump with the hour. */
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&m->filled, &attributes);
    pthread_condattr_destroy(&attributes);
}

void mailbox_done(struct mailbox *m)
{
    pthread_cond_destroy(&m->filled);
    pthread_mutex_destroy(&m->lock);
}

/* This thread's wakes between hold and release. */
static _Thread_local struct {
    bool on;
    size_t count;
    struct mailbox *boxes[HELD_MAX];
} held;

static void wake_taker(struct mailbox *m)
{
    if (!m->wake)
        return;
    if (!held.on || held.count == HELD_MAX) {
        m->wake(m->wake_context);
        return;
    }
    for (size_t i = 0; i < held.count; i++)
        if (held.boxes[i] == m)
            return;
    held.boxes[held.count++] = m;
}

void mailbox_hold_wakes(void)
{
    held.on = true;
}

void mailbox_release_wakes(void)
{
    held.on = false;
    for (size_t i = 0; i < held.count; i++)
        held.boxes[i]->wake(held.boxes[i]->wake_context);
    held.count = 0;
}

int mailbox_post(struct mailbox *m, struct letter *l)
{
    pthread_mutex_lock(&m->lock);
    bool closed = m->closed, was_empty = !m->first;
    if (!closed) {
        l->next = NULL;
        *m->last = l;
        m->last = &l->next;
    }
    pthread_mutex_unlock(&m->lock);
    /* The taker empties the whole box at once, so only the first letter needs to call it. It is
     * called when the lock is free: it may run at once, in the place of this thread. */
    if (!closed && was_empty) {
        pthread_cond_signal(&m->filled);
        wake_taker(m);
    }
    return closed ? -ESHUTDOWN : 0;
}

static struct letter *take_all(struct mailbox *m)
{
    struct letter *first = m->first;

    m->first = NULL;
    m->last = &m->first;
    return first;
}

struct letter *mailbox_take(struct mailbox *m)
{
    pthread_mutex_lock(&m->lock);
    struct letter *first = take_all(m);
    pthread_mutex_unlock(&m->lock);
    return first;
}

static struct timespec deadline_in(int64_t timeout_us)
{
    int64_t now = clock_monotonic_us(), at;

    if (__builtin_add_overflow(now, timeout_us, &at))
        at = INT64_MAX;
    return (struct timespec){.tv_sec = at / 1000000, .tv_nsec = at % 1000000 * 1000};
}

struct letter *mailbox_wait(struct mailbox *m, int64_t timeout_us)
{
    struct timespec deadline = deadline_in(timeout_us < 0 ? 0 : timeout_us);
    int r = 0;

    pthread_mutex_lock(&m->lock);
    while (!m->first && !m->closed && r != ETIMEDOUT) {
        if (timeout_us < 0)
            pthread_cond_wait(&m->filled, &m->lock);
        else
            r = pthread_cond_timedwait(&m->filled, &m->lock, &deadline);
    }
    struct letter *first = take_all(m);
    pthread_mutex_unlock(&m->lock);
    return first;
}

void mailbox_close(struct mailbox *m)
{
    pthread_mutex_lock(&m->lock);
    m->closed = true;
    pthread_cond_broadcast(&m->filled);
    pthread_mutex_unlock(&m->lock);
    wake_taker(m);
}

bool mailbox_is_closed(struct mailbox *m)
{
    pthread_mutex_lock(&m->lock);
    bool closed = m->closed;
    pthread_mutex_unlock(&m->lock);
    return closed;
}
