/* Work that would make a loop wait, such as bringing a file to disk, is done by another thread
 * meanwhile (libuv's pool). */
#pragma once

#include "net/loop.h"

/* `work` on a thread of the pool, then `done` on the loop's. On the loop's thread. 0 or a negative
 * errno; then neither is called. A loop that ends meanwhile waits for the work in loop_free, if it
 * has begun, and does not call `done`. */
int loop_work(struct loop *l, void (*work)(void *context), void (*done)(void *context),
              void *context);
