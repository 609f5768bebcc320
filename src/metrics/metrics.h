/* The operator's metrics over HTTP: GET /metrics, on a listener of its own. Behind a token if there
 * is one; whoever lacks it learns nothing. */
#pragma once

#include "metrics/facts.h"

struct metrics;

struct metrics_options {
    struct facts_sources sources; /* `database` is copied */
    const char *token;            /* "" = none is asked for; not kept */
};

int metrics_new(struct metrics **ret, const struct metrics_options *options);
void metrics_free(struct metrics *m);

/* For the server: handler, and what each worker has. */
void metrics_handle(struct http_request *r);
int metrics_worker_open(void *metrics, void **ret);
void metrics_worker_close(void *worker);
