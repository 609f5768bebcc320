/* Messages from handsets: what is stored of them, and what a single word in them changes. */
#pragma once

#include "messaging/arrival_media.h"
#include "messaging/compose.h"
#include "messaging/keyword.h"

struct inbound_request {
    struct str from, text;
    struct str to; /* which of our senders it was written to */
    bool has_to;
    /* With any it is an MMS. Here their types matter only; with the message they are accepted by
     * arrival_media_put. */
    const struct arrival_media *media;
    size_t media_count;
};

/* False with a problem, or the message, received; the store gives it id and times. Without `to` it
 * was written to the sender that a text to `from` would come from. As from live carriers, an MMS
 * may be to any sender: what that sends is another matter. */
bool inbound_compose(const struct inbound_request *request, const struct send_context *context,
                     struct arena *a, struct message *ret, struct problem *problem);

/* In a transaction: accepts the message and does what its keyword says. *ret_wish is what that
 * changed, KEYWORD_NONE when nothing. 0 or the store's negative errno. */
int inbound_accept(struct store *s, struct message *m, struct arena *a,
                   enum keyword_wish *ret_wish);
/* When that is durable, on the writer's thread: from now on sends know it, too. */
void inbound_done(struct optouts *o, const struct message *m, enum keyword_wish wish);
