/* What the files of the event loop share. */
#pragma once

#include "net/loop.h"

#include <stddef.h>
#include <uv.h>

uv_loop_t *loop_uv(struct loop *l);

/* What comes and goes while the loop runs. loop_free shows out who is still there: `show_out` has
 * the guest leave the list at once and close its handles. */
struct loop_guest {
    void (*show_out)(struct loop_guest *g);
    struct loop_guest *previous, *next;
};

void loop_guest_enter(struct loop *l, struct loop_guest *g);
void loop_guest_leave(struct loop *l, struct loop_guest *g);

/* Whose member `guest` it is. */
#define LOOP_GUEST_OF(g, type) ((type *)(void *)((char *)(g)-offsetof(type, guest)))
