#include "hooks/hook_port.h"

static int start(void *http, const struct loop_http_call *call)
{
    return loop_http_start(http, call, NULL);
}

struct hook_port hook_port_http(struct loop_http *h)
{
    return (struct hook_port){.start = start, .context = h};
}
