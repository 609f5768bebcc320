/* What the files of a link share: smpp_link.c has its life, smpp_link_talk.c what it says and
 * hears. */
#pragma once

#include "base/arena.h"
#include "carriers/smpp_backoff.h"
#include "carriers/smpp_link.h"
#include "carriers/smpp_window.h"

enum smpp_link_state {
    SMPP_LINK_IDLE,       /* not started, or stopped */
    SMPP_LINK_WAITING,    /* to connect again */
    SMPP_LINK_CONNECTING, /* and shaking hands */
    SMPP_LINK_BINDING,
    SMPP_LINK_BOUND,
    SMPP_LINK_GIVING_UP, /* the connection is gone; that is told in the next turn of the loop */
    SMPP_LINK_UNBINDING, /* for good */
    SMPP_LINK_STOPPING,  /* the connection is gone; that is told in the next turn of the loop */
};

/* Engine's thread. Owner: who made it. */
struct smpp_link {
    struct smpp_link_options options; /* its texts are in `texts` */
    struct arena texts;
    enum smpp_link_state state;
    struct loop_tcp *tcp;     /* NULL: none */
    struct loop_timer *timer; /* what it waits for depends on the state */
    uint32_t generation;      /* of the connection; part of tokens */
    struct smpp_window window;
    struct smpp_backoff backoff;
    struct buf out; /* one PDU, or a line for the log */

    int64_t bound_us;              /* since when; 0: it is not. Monotonic, like the next two */
    int64_t alive_us, enquired_us; /* when the peer was last heard, and last asked for a sign */
    unsigned enquiries;            /* since the peer was last heard */
    bool nack_logged;              /* of this connection */

    char why[256];    /* for the next turn of the loop */
    char logged[256]; /* the trouble that the log knows of */
    void (*stopped)(void *context);
    void *stopped_context;
};

/* ---- life ---- */

void smpp_link_bound(struct smpp_link *l, uint8_t peer_version);
void smpp_link_refused(struct smpp_link *l, uint32_t status);
/* The connection is given up, at once; a new one is made after a while. */
void smpp_link_lose(struct smpp_link *l, const char *why);
/* Unbound for good. */
void smpp_link_unbound(struct smpp_link *l);

/* ---- talk ---- */

/* -EAGAIN: too much waits to be sent. -EINVAL: it cannot be encoded. */
int smpp_link_say(struct smpp_link *l, const struct smpp_pdu *pdu);
/* A request without a body and without an entry in the window. */
void smpp_link_ask(struct smpp_link *l, uint32_t command);
int smpp_link_say_bind(struct smpp_link *l);
size_t smpp_link_hear(void *link, struct str bytes);
