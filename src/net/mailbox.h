/* A mailbox: the only thing that two threads share. Many may post, one takes.
 * Letters are linked through their first member, so posting allocates nothing. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct letter {
    struct letter *next;
};

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct letter *first, **last;
    bool closed;
    void (*wake)(void *context); /* called after a post into an empty box, outside the lock */
    void *wake_context;
};

void mailbox_init(struct mailbox *m, void (*wake)(void *), void *context);
void mailbox_done(struct mailbox *m);

/* 0, or -ESHUTDOWN when the box is closed. A box has no size: whoever posts bounds what waits. */
int mailbox_post(struct mailbox *m, struct letter *l);
/* From hold to release this thread's posts wake each taker once, at the release, however many
 * letters it gets: for whoever posts many at a time. The boxes must live until then. */
void mailbox_hold_wakes(void);
void mailbox_release_wakes(void);
/* Takes everything that waits, oldest first; NULL when nothing does. */
struct letter *mailbox_take(struct mailbox *m);
/* The same, but waits for a letter up to timeout_us (negative: for ever). NULL also when the box
 * is closed and empty; mailbox_is_closed tells the two apart. */
struct letter *mailbox_wait(struct mailbox *m, int64_t timeout_us);
/* No more posts; what is inside can still be taken. Wakes the taker. */
void mailbox_close(struct mailbox *m);
bool mailbox_is_closed(struct mailbox *m);
