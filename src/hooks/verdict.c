#include "hooks/verdict.h"

#include "hooks/retry.h"

enum { STATUS_GONE = 410, STATUS_TOO_MANY = 429, STATUS_UNAVAILABLE = 503 };

bool reply_is_well(const struct loop_http_reply *reply)
{
    return reply->outcome == LOOP_HTTP_ANSWERED && reply->status >= 200 && reply->status <= 299;
}

/* The table says when; an endpoint that is busy may ask for more, never for less. */
static int64_t delay_us(const struct loop_http_reply *reply, unsigned tries, int64_t now_us,
                        uint64_t random)
{
    int64_t delay = retry_delay_us(tries, random), asked = 0;

    if (reply->status == STATUS_TOO_MANY || reply->status == STATUS_UNAVAILABLE)
        asked = retry_after_us(reply->retry_after, now_us);
    return asked > delay ? asked : delay;
}

/* An endpoint that is gone parks what it has, and no try is used up; of an address that came with
 * one message nothing else depends on it. When the other address is gone the first may be back the
 * next time: a failure like others. */
static struct verdict gone(const struct delivery_record *d, enum verdict_address address)
{
    if (address == ADDRESS_OF_MESSAGE)
        return (struct verdict){.state = DELIVERY_FAILED, .tries = d->tries + 1};
    return (struct verdict){
        .state = DELIVERY_WAITING, .tries = d->tries, .due_us = d->due_us, .effect = VERDICT_GONE};
}

struct verdict verdict_of(const struct loop_http_reply *reply, const struct delivery_record *d,
                          enum verdict_address address, int64_t now_us, uint64_t random)
{
    struct verdict v = {.tries = d->tries + 1, .effect = VERDICT_FAILED};

    if (reply_is_well(reply))
        return (struct verdict){
            .state = DELIVERY_DONE, .tries = d->tries + 1, .effect = VERDICT_WELL};
    if (reply->outcome == LOOP_HTTP_ANSWERED && reply->status == STATUS_GONE &&
        address != ADDRESS_BESIDE)
        return gone(d, address);
    v.state = v.tries < RETRY_TRIES ? DELIVERY_WAITING : DELIVERY_FAILED;
    if (v.state == DELIVERY_WAITING)
        v.due_us = now_us + delay_us(reply, v.tries, now_us, random);
    return v;
}

struct verdict verdict_lost(const struct delivery_record *d)
{
    return (struct verdict){.state = DELIVERY_FAILED, .tries = d->tries + 1};
}
