/* An event loop on a thread of its own (libuv; only the files loop* know it). Signals may be raised
 * from any thread; everything else happens on the loop's thread, or before it starts. */
#pragma once

#include <stdint.h>

struct loop;
struct loop_signal;
struct loop_timer;

typedef void loop_callback(void *context);

int loop_new(struct loop **ret);
/* Several raises before the callback runs count as one. */
struct loop_signal *loop_signal_new(struct loop *l, loop_callback *callback, void *context);
void loop_signal_raise(struct loop_signal *s);
struct loop_timer *loop_timer_new(struct loop *l, loop_callback *callback, void *context);
/* First after delay_ms, then every repeat_ms (0 = once). Starting again replaces the old times. */
void loop_timer_start(struct loop_timer *t, uint64_t delay_ms, uint64_t repeat_ms);
void loop_timer_stop(struct loop_timer *t);
/* Also from inside its own callback. Those that live as long as the loop go with it. NULL is fine.
 */
void loop_timer_free(struct loop_timer *t);

int loop_start(struct loop *l, const char *thread_name);
/* Ends the thread; signals raised later are ignored. */
void loop_stop(struct loop *l);
/* Frees the loop with its signals, timers and connections, whose callbacks are not called; after
 * loop_stop, or without a start. */
void loop_free(struct loop *l);
