#include "api/scribe.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct scribe {
    struct mailbox letters;
    atomic_int waiting; /* letters, with the one that is taken */
    void (*take)(struct letter *letter);
    pthread_t thread;
    bool stopped; /* of the thread that stops it */
};

static void *scribe_main(void *argument)
{
    struct scribe *s = argument;
    struct letter *l, *next;

    pthread_setname_np(pthread_self(), "scribe");
    while ((l = mailbox_wait(&s->letters, -1)))
        for (; l; l = next) {
            next = l->next; /* when it is taken it is another's */
            s->take(l);
            atomic_fetch_sub(&s->waiting, 1);
        }
    return NULL;
}

int scribe_start(struct scribe **ret, void (*take)(struct letter *letter))
{
    struct scribe *s = calloc(1, sizeof *s);

    *ret = NULL;
    if (!s)
        return -ENOMEM;
    s->take = take;
    mailbox_init(&s->letters, NULL, NULL);
    int failed = -pthread_create(&s->thread, NULL, scribe_main, s);
    if (failed) {
        mailbox_done(&s->letters);
        free(s);
        return failed;
    }
    *ret = s;
    return 0;
}

int scribe_post(struct scribe *s, struct letter *letter)
{
    int failed = atomic_fetch_add(&s->waiting, 1) < SCRIBE_MAX ? 0 : -EAGAIN;

    if (!failed)
        failed = mailbox_post(&s->letters, letter);
    if (failed)
        atomic_fetch_sub(&s->waiting, 1);
    return failed;
}

void scribe_stop(struct scribe *s)
{
    if (s->stopped)
        return;
    s->stopped = true;
    mailbox_close(&s->letters);
    pthread_join(s->thread, NULL);
}

void scribe_free(struct scribe *s)
{
    if (!s)
        return;
    scribe_stop(s);
    mailbox_done(&s->letters);
    free(s);
}
