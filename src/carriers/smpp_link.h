/* One bind: a connection to a carrier's SMPP server, from connecting to unbinding. Knows PDUs, time
 * limits and its window; nothing of messages. Engine's thread.
 *
 * Callbacks are never called from inside the functions below, and may call all of them but
 * smpp_link_free, which only `stopped` may. */
#pragma once

#include "net/loop_tcp.h"
#include "smpp/pdu.h"

struct smpp_link;

enum smpp_bind { SMPP_BIND_TRX, SMPP_BIND_TX, SMPP_BIND_RX };

struct smpp_link_options {
    struct loop *loop;
    const char *name; /* "acme/1", for the log; this and all other texts are copied */
    enum smpp_bind bind;
    const char *host;
    uint16_t port;
    const struct tls_client *tls; /* NULL: plain; outlives the link */
    const char *tls_name;         /* NULL: the host's */
    const char *system_id, *password, *system_type;
    uint8_t interface_version; /* 0x33, 0x34, 0x50 */
    unsigned window;           /* requests that may be unanswered */
    uint64_t connect_timeout_ms, bind_timeout_ms, response_timeout_ms;
    uint64_t enquire_ms; /* of silence, then it is asked for a sign of life; 0: never */
    uint64_t reconnect_min_ms, reconnect_max_ms;
    uint64_t refused_wait_ms; /* after a bind that was refused for its credentials */

    /* Bound: requests may be sent. */
    void (*bound)(void *context);
    /* Not bound any more, or it could not be bound: why, and every request that was sent and not
     * answered has been given to `answered` before, with NULL. It connects again by itself. */
    void (*lost)(void *context, const char *why);
    /* The response to a request of smpp_link_send; NULL: there will be none. */
    void (*answered)(void *context, void *request, const struct smpp_pdu *response);
    /* A deliver_sm or data_sm; to be answered with smpp_link_respond, with this token. */
    void (*delivered)(void *context, const struct smpp_pdu *pdu, uint64_t token);
    void *context;
};

int smpp_link_new(struct smpp_link **ret, const struct smpp_link_options *options);
void smpp_link_start(struct smpp_link *l);
bool smpp_link_is_bound(const struct smpp_link *l);
/* Requests that could be sent now: 0 unless it is bound. */
unsigned smpp_link_room(const struct smpp_link *l);
/* Requests that were sent and not answered. */
unsigned smpp_link_in_flight(const struct smpp_link *l);
/* Sends a request; the link gives pdu->sequence. `request` is for `answered`. -EAGAIN: no room, or
 * 4 MiB wait to be read by the peer. -EINVAL: it cannot be encoded. */
int smpp_link_send(struct smpp_link *l, struct smpp_pdu *pdu, void *request);
/* The response to a delivery, if its connection is still the same. */
void smpp_link_respond(struct smpp_link *l, uint64_t token, uint32_t status);
/* Gives the connection up and makes a new one; what is unanswered is told as lost. */
void smpp_link_rebind(struct smpp_link *l, const char *why);
/* Unbinds, waits for the answer for a second at most, and stays away. Answers that come meanwhile
 * are given; then what is unanswered is told as lost, then `stopped`, without `lost`. After it the
 * link may be started again, or freed. */
void smpp_link_stop(struct smpp_link *l, void (*stopped)(void *context), void *context);
/* In any state, before the loop is freed; nothing is told any more. */
void smpp_link_free(struct smpp_link *l);
