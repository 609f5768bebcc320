/* Which of two forms of an answer a client would rather have, by its Accept header. */
#pragma once

#include "net/http_head.h"

/* Whether `type` ("text/csv") is to be given in place of application/json, which is what all get
 * who do not say otherwise: it is accepted, and JSON is not, or less; or no more, while `type` is
 * named outright. */
bool accepts_rather(const struct http_head *head, const char *type);
