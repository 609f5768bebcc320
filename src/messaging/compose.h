/* From a decoded send request to the message that is stored: every check of what the client wrote,
 * then encoding, route and price. Makes no copies but of media URLs: views in the message point
 * into the request. */
#pragma once

#include "messaging/price.h"
#include "messaging/problem.h"
#include "messaging/route.h"
#include "store/records.h"

enum { TEXT_MAX_POINTS = 1600, MEDIA_MAX = 10 };

struct send_request {
    struct str to, text;
    const struct str *media;
    size_t media_count;
    bool has_to, has_text;
    int64_t account;
    enum mode mode;
    const struct price_list *prices;    /* NULL: the built-in list */
    const struct sender_table *senders; /* NULL: the built-in ones of the mode */
};

/* False with a problem, or the message, queued; the store gives it id and times. */
bool message_compose(const struct send_request *request, struct arena *a, struct message *ret,
                     struct problem *problem);
