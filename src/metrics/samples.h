/* The values of metrics that are sampled, from the facts. */
#pragma once

#include "base/buf.h"
#include "base/metric.h"
#include "metrics/facts.h"

/* All lines of one metric; none when there is nothing that it could speak of. */
void samples_put(struct buf *out, enum metric m, const struct facts *f);
