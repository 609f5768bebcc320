#include "hooks/hook_port.h"

static int start(void *http, const struct loop_http_call *call)
{
    struct loop_http_request *request;

    return loop_http_start(http, call, &request);
}

struct hook_port hook_port_http(struct loop_http *h)
{
    return (struct hook_port){.start = start, .context = h};
}
