#include "messaging/errand.h"

/* On the writer's thread. */
static void go_home(struct write_job *job, int result)
{
    struct errand *e = (struct errand *)job;

    e->result = result;
    if (result == 0 && e->durable)
        e->durable(e);
    mailbox_post(e->home, &e->job.letter);
}

void errand_init(struct errand *e, struct mailbox *home,
                 int (*apply)(struct write_job *job, struct store *s),
                 void (*back)(struct errand *e))
{
    *e = (struct errand){.job = {.apply = apply, .done = go_home}, .home = home, .back = back};
}

void errand_owe(struct errand *e, struct writer *w)
{
    int refused = writer_post_owed(w, &e->job);
    if (refused)
        go_home(&e->job, refused); /* the program is stopping; the store's word stands */
}

void errand_try(struct errand *e, struct writer *w)
{
    int refused = writer_post(w, &e->job);
    if (refused)
        go_home(&e->job, refused);
}

void errands_back(struct letter *first)
{
    while (first) {
        struct errand *e = (struct errand *)first;
        first = first->next;
        e->back(e);
    }
}
