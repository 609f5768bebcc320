/* The letters between the engine and the loop of MMS. */
#include "carriers/mm7_wire_internal.h"

#include <errno.h>
#include <stdlib.h>

void mm7_wire_post(struct mm7_wire *w, struct mm7_letter *l)
{
    mailbox_post(&w->there, &l->letter);
}

void mm7_wire_return(struct mm7_wire *w, struct mm7_letter *l)
{
    mailbox_post(&w->back, &l->letter);
}

static void raise_there(void *wire)
{
    loop_signal_raise(((struct mm7_wire *)wire)->there_signal);
}

static void raise_back(void *wire)
{
    loop_signal_raise(((struct mm7_wire *)wire)->back_signal);
}

static void on_there(void *wire)
{
    struct mm7_wire *w = wire;
    struct letter *next;

    for (struct letter *l = mailbox_take(&w->there); l; l = next) {
        struct mm7_letter *letter = (struct mm7_letter *)l;
        next = l->next;
        letter->there(letter);
    }
    store_reader_rest(w->reader);
}

static void on_back(void *wire)
{
    struct mm7_wire *w = wire;
    struct letter *next;

    for (struct letter *l = mailbox_take(&w->back); l; l = next) {
        struct mm7_letter *letter = (struct mm7_letter *)l;
        next = l->next;
        letter->back(letter);
    }
}

static int open_parts(struct mm7_wire *w)
{
    const struct mm7_wire_options *o = &w->options;

    id_cipher_init(&w->ids, store_secret(o->store));
    w->there_signal = loop_signal_new(o->loop, on_there, w);
    w->back_signal = loop_signal_new(o->engine, on_back, w);
    if (!w->there_signal || !w->back_signal)
        return -ENOMEM;
    return store_reader_open(o->store, &w->reader);
}

int mm7_wire_new(struct mm7_wire **ret, const struct mm7_wire_options *options)
{
    struct mm7_wire *w = calloc(1, sizeof *w);

    *ret = NULL;
    if (!w)
        return -ENOMEM;
    w->options = *options;
    mailbox_init(&w->there, raise_there, w);
    mailbox_init(&w->back, raise_back, w);
    int failed = open_parts(w);
    if (failed)
        mm7_wire_free(w);
    else
        *ret = w;
    return failed;
}

void mm7_wire_free(struct mm7_wire *w)
{
    if (!w)
        return;
    while (w->outlets)
        mm7_outlet_free(w->outlets);
    if (w->reader)
        store_reader_close(w->reader);
    mailbox_done(&w->there);
    mailbox_done(&w->back);
    free(w);
}
