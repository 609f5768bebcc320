/* How much keys are used: requests, and when and from where the last one came. Gathered in memory
 * and written with the writer's transactions, at most once a second; a crash may lose what came
 * since. */
#pragma once

#include "store/writer.h"

struct usage;

/* NULL when memory is short. */
struct usage *usage_new(const struct clock *clock);
void usage_free(struct usage *u);
/* What writes it; `u` must outlive the writer's thread. */
struct writer_rider usage_rider(struct usage *u);

/* One request. Any thread; none waits for another. */
void usage_note(struct usage *u, int64_t key, int64_t now_us, const char *address);
