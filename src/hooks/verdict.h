/* What an answer means: for the delivery, and for the endpoint. Pure. */
#pragma once

#include "hooks/circuit.h"
#include "net/loop_http.h"

enum verdict_effect {
    VERDICT_NOTHING,
    VERDICT_WELL,   /* circuit_succeeded */
    VERDICT_FAILED, /* circuit_failed */
    VERDICT_GONE    /* circuit_gone */
};

struct verdict {
    enum delivery_state state;
    unsigned tries;
    int64_t due_us; /* while it waits */
    enum verdict_effect effect;
};

/* Whose address has answered. */
enum verdict_address {
    ADDRESS_OF_ENDPOINT,
    ADDRESS_OF_MESSAGE,
    ADDRESS_BESIDE /* the message's other one */
};

/* 2xx and nothing else. */
bool reply_is_well(const struct loop_http_reply *reply);
/* `random` is any number. */
struct verdict verdict_of(const struct loop_http_reply *reply, const struct delivery_record *d,
                          enum verdict_address address, int64_t now_us, uint64_t random);
/* The delivery can never go: what it tells of is not there any more, or too large. */
struct verdict verdict_lost(const struct delivery_record *d);
