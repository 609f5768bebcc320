/* How long a message may wait to be handed over. */
#pragma once

#include "store/records.h"

enum { VALIDITY_DEFAULT_S = 14400 };

/* From then on no carrier may get it. */
static inline int64_t message_expires_us(const struct message *m)
{
    int64_t from_us = m->scheduled_us ? m->scheduled_us : m->created_us;
    int64_t validity_s = m->validity_s ? m->validity_s : VALIDITY_DEFAULT_S;

    return from_us + validity_s * 1000000;
}
