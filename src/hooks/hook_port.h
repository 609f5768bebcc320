/* The way out, as the sender of webhooks sees it: tests put something else in its place. */
#pragma once

#include "net/loop_http.h"

struct hook_port {
    /* As loop_http_start; never ended early. */
    int (*start)(void *context, const struct loop_http_call *call);
    void *context;
};

struct hook_port hook_port_http(struct loop_http *h);
