/* The text in which Prometheus reads metrics, version 0.0.4: what a metric is, then its values. */
#pragma once

#include "base/buf.h"
#include "base/metric.h"

#define EXPOSITION_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* "# HELP …" and "# TYPE …". */
void exposition_head(struct buf *out, enum metric m);
/* All values of a metric that is counted. */
void exposition_counted(struct buf *out, enum metric m);
/* One value of a metric that is sampled, with the words of its labels in their order; NULL: it has
 * none. What cannot be known is NAN. */
void exposition_sample(struct buf *out, enum metric m, const char *const *words, double value);
