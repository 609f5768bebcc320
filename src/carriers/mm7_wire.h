/* The way of messages out to MMSCs. The engine has an outlet for each MMSC and gives messages to
 * it; what goes out goes on the loop of MMS, where files are opened and answers are read, so that
 * nothing of it keeps other carriers waiting. Between the two go letters. */
#pragma once

#include "carriers/mm7_outcome.h"
#include "carriers/mm7_settings.h"

struct mm7_wire;
struct mm7_outlet;

struct mm7_wire_options {
    struct loop *loop;   /* of MMS */
    struct loop *engine; /* whose thread asks and is told */
    struct store *store; /* has the media files */
};

/* Before both loops start. */
int mm7_wire_new(struct mm7_wire **ret, const struct mm7_wire_options *options);
/* After both loops have stopped, and before they are freed; with it go all outlets. NULL is fine.
 */
void mm7_wire_free(struct mm7_wire *w);

/* ---- engine's thread ---- */

/* The settings are the outlet's, and go with it. NULL: memory is short, and they are not. */
struct mm7_outlet *mm7_outlet_new(struct mm7_wire *w, struct mm7_settings *settings);

typedef void mm7_sent_callback(void *context, const struct mm7_outcome *outcome);
/* The message is copied. `done` is called once, later. -ENOMEM. */
int mm7_outlet_send(struct mm7_outlet *o, const struct message *m, mm7_sent_callback *done,
                    void *context);
/* What is under way ends now, as what it is: not sent, or sent and not answered. */
void mm7_outlet_abort(struct mm7_outlet *o);
/* Gets nothing more to send. When what is under way has been told, and its connections are gone, it
 * goes with them, and `closed` is called. */
void mm7_outlet_close(struct mm7_outlet *o, void (*closed)(void *context), void *context);
