/* What the files of the wire share: mm7_wire.c (the letters), mm7_outlet.c (an MMSC's way out, and
 * who has what), mm7_sending.c (a message on its way). */
#pragma once

#include "base/id.h"
#include "carriers/mm7_wire.h"
#include "mm7/body.h"
#include "net/mailbox.h"

/* Goes to the loop of MMS, and comes back. */
struct mm7_letter {
    struct letter letter;
    void (*there)(struct mm7_letter *l);
    void (*back)(struct mm7_letter *l); /* on the engine's thread */
};

struct mm7_wire {
    struct mm7_wire_options options;
    struct mailbox there, back;
    struct loop_signal *there_signal, *back_signal;
    struct store_reader *reader; /* of the loop's thread */
    struct id_cipher ids;
    struct mm7_outlet *outlets; /* engine's thread */
};

struct mm7_outlet {
    struct mm7_wire *wire;
    struct mm7_settings *settings; /* both threads read them */

    /* Engine's thread. */
    struct mm7_outlet *next, *before;
    struct mm7_sending *all; /* until their callback was called */
    void (*closed)(void *context);
    void *closed_context;

    /* The loop's thread. */
    struct loop_http *http; /* NULL: nothing was sent yet */
    struct mm7_sending *flying;

    struct mm7_letter abort, close;
};

/* A message on its way. The loop's thread has it from when it is posted until it comes back. */
struct mm7_sending {
    struct mm7_letter letter;
    struct mm7_outlet *outlet;
    struct mm7_sending *next, *before; /* of `all`; engine's thread */
    mm7_sent_callback *done;
    void *context;

    struct mm7_sending *next_flying, *before_flying;
    struct message message; /* what it needs of it; its texts lie in `memory` */
    struct arena memory;
    struct loop_http_request *request;
    struct mm7_file files[MEDIA_MAX];
    struct media_record media[MEDIA_MAX];
    size_t file_count;
    struct mm7_body body;
    bool has_body;
    int64_t given;    /* bytes of the body that went out */
    int source_fault; /* negative errno: a file could not be opened or read */
    struct mm7_outcome outcome;
};

/* ---- mm7_wire.c ---- */

void mm7_wire_post(struct mm7_wire *w, struct mm7_letter *l);
void mm7_wire_return(struct mm7_wire *w, struct mm7_letter *l);

/* ---- mm7_outlet.c ---- */

/* Its connections, on the loop's thread; NULL: `why` says why not. */
struct loop_http *mm7_outlet_http(struct mm7_outlet *o, char why[LOOP_HTTP_WHY_SIZE]);
void mm7_outlet_free(struct mm7_outlet *o);

/* ---- mm7_sending.c ---- */

struct mm7_sending *mm7_sending_new(const struct message *m);
void mm7_sending_free(struct mm7_sending *s);
/* On the loop's thread. */
void mm7_sending_begin(struct mm7_sending *s);
void mm7_sending_abort(struct mm7_sending *s);
