/* Every check of what the client wrote in a send request, in the order in which the API promises to
 * name faults. */
#pragma once

#include "messaging/compose.h"

/* False with a problem. Fills what had to be read on the way: the type and the scheduled time. */
bool send_check(const struct send_request *r, const struct send_context *context, struct arena *a,
                struct message *ret, struct problem *problem);
