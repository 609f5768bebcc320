/* An MMSC's way out: its connections on the loop of MMS, and what goes over them. */
#include "carriers/mm7_wire_internal.h"

#include <errno.h>
#include <stdlib.h>

#define SENDING(l)        ((struct mm7_sending *)(l))
#define OUTLET(l, member) ((struct mm7_outlet *)((char *)(l)-offsetof(struct mm7_outlet, member)))

/* ---- on the loop's thread ---- */

struct loop_http *mm7_outlet_http(struct mm7_outlet *o, char why[LOOP_HTTP_WHY_SIZE])
{
    const struct config_mmsc *c = &o->settings->config;
    struct loop_http_options options = {.ca_file = c->tls_ca,
                                        .max_connections = (size_t)c->window,
                                        .connect_ms = c->connect_timeout_ms,
                                        .total_ms = c->response_timeout_ms,
                                        .http1 = true};

    str_format(why, LOOP_HTTP_WHY_SIZE, "memory is short");
    if (!o->http && loop_http_new(&o->http, o->wire->options.loop, &options, why) < 0)
        o->http = NULL;
    return o->http;
}

static void abort_there(struct mm7_letter *l)
{
    struct mm7_outlet *o = OUTLET(l, abort);

    while (o->flying)
        mm7_sending_abort(o->flying);
    mm7_wire_return(o->wire, l);
}

static void close_there(struct mm7_letter *l)
{
    struct mm7_outlet *o = OUTLET(l, close);

    if (o->http)
        loop_http_free(o->http);
    o->http = NULL;
    mm7_wire_return(o->wire, l);
}

static void send_there(struct mm7_letter *l)
{
    mm7_sending_begin(SENDING(l));
}

/* ---- on the engine's ---- */

static void forget(struct mm7_sending *s)
{
    *(s->before ? &s->before->next : &s->outlet->all) = s->next;
    if (s->next)
        s->next->before = s->before;
    mm7_sending_free(s);
}

static void close_back(struct mm7_letter *l)
{
    struct mm7_outlet *o = OUTLET(l, close);
    void (*closed)(void *context) = o->closed;
    void *context = o->closed_context;

    mm7_outlet_free(o);
    closed(context);
}

/* Behind all other letters of it, so that none finds it gone. */
static void close_if_idle(struct mm7_outlet *o)
{
    if (!o->closed || o->all)
        return;
    o->close = (struct mm7_letter){.there = close_there, .back = close_back};
    mm7_wire_post(o->wire, &o->close);
}

static void send_back(struct mm7_letter *l)
{
    struct mm7_sending *s = SENDING(l);
    struct mm7_outlet *o = s->outlet;
    struct mm7_outcome outcome = s->outcome;
    mm7_sent_callback *done = s->done;
    void *context = s->context;

    forget(s);
    close_if_idle(o);
    done(context, &outcome);
}

int mm7_outlet_send(struct mm7_outlet *o, const struct message *m, mm7_sent_callback *done,
                    void *context)
{
    struct mm7_sending *s = mm7_sending_new(m);

    if (!s)
        return -ENOMEM;
    s->letter = (struct mm7_letter){.there = send_there, .back = send_back};
    s->outlet = o;
    s->done = done;
    s->context = context;
    s->next = o->all;
    if (s->next)
        s->next->before = s;
    o->all = s;
    mm7_wire_post(o->wire, &s->letter);
    return 0;
}

static void abort_back(struct mm7_letter *l)
{
    l->there = NULL;
}

/* Once at a time: what comes behind it is not meant. */
void mm7_outlet_abort(struct mm7_outlet *o)
{
    if (o->abort.there || o->close.there)
        return;
    o->abort = (struct mm7_letter){.there = abort_there, .back = abort_back};
    mm7_wire_post(o->wire, &o->abort);
}

void mm7_outlet_close(struct mm7_outlet *o, void (*closed)(void *context), void *context)
{
    o->closed = closed;
    o->closed_context = context;
    close_if_idle(o);
}

struct mm7_outlet *mm7_outlet_new(struct mm7_wire *w, struct mm7_settings *settings)
{
    struct mm7_outlet *o = calloc(1, sizeof *o);

    if (!o)
        return NULL;
    o->wire = w;
    o->settings = settings;
    o->next = w->outlets;
    if (o->next)
        o->next->before = o;
    w->outlets = o;
    return o;
}

/* When the loop's thread has nothing of it, or has ended. */
void mm7_outlet_free(struct mm7_outlet *o)
{
    *(o->before ? &o->before->next : &o->wire->outlets) = o->next;
    if (o->next)
        o->next->before = o->before;
    if (o->http)
        loop_http_free(o->http);
    while (o->all)
        forget(o->all);
    mm7_settings_free(o->settings);
    free(o);
}
