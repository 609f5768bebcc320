/* What the files of the SMSC share. One thread does everything. */
#pragma once

#include "cli/cli.h"
#include "net/tls_stream.h"
#include "smpp/pdu.h"
#include "smpp/udh.h"

#include <stdio.h>

enum {
    DELIVERY_WINDOW = 1024,  /* deliver_sm that a session may leave unanswered */
    DELIVERIES_MAX = 200000, /* that wait for one system_id; more receipts are dropped */
    PHONE_SIZE = 22,         /* '+', 20 digits and a NUL */
    SYSTEM_ID_SIZE = 16,
    MESSAGE_ID_SIZE = 20,
    SMSC_OUTPUT_MAX = 64 << 20, /* of one session */
};

/* A deliver_sm as it goes over the wire, but for its sequence number. Kept until it is answered. */
struct delivery {
    struct delivery *next;
    uint32_t sequence;
    uint32_t size;
    char bytes[];
};

struct delivery_queue {
    struct delivery *first, *last;
    size_t count;
};

/* Whoever binds under one system_id, with one or several sessions. Stays until the end. */
struct esme {
    struct esme *next;
    char system_id[SYSTEM_ID_SIZE];
    struct delivery_queue waiting, refused; /* what was refused is tried again a second later */
    unsigned submits_this_second;
};

/* A connection. Freed at the end of the round in which it died, because events may name it. */
struct session {
    struct session *next;
    struct smsc *smsc;
    int fd;
    uint32_t interest; /* what epoll was told */
    struct esme *esme; /* NULL until it is bound */
    bool may_submit, may_receive;
    bool closing, dead; /* when all is sent; now */
    bool ended;         /* the peer sends no more */
    bool shaken;        /* hands, if there is TLS */
    struct tls_stream tls;
    struct buf in;
    struct buf plain; /* to be encrypted */
    struct buf wire;  /* to be sent, from `sent` on */
    size_t sent;
    uint32_t sequence;                        /* of the newest deliver_sm */
    struct delivery *window[DELIVERY_WINDOW]; /* by sequence */
};

/* A part of a message, read for people. */
struct smsc_part {
    char from[PHONE_SIZE], to[PHONE_SIZE];
    struct str text; /* UTF-8 */
    struct udh_parts parts;
};

struct smsc {
    struct smsc_options options;
    int epoll, listener, signals;
    struct tls_context *tls; /* NULL: plain */
    struct session *sessions;
    struct esme *esmes;
    struct buf cipher;  /* what TLS came in just now */
    struct buf scratch; /* texts and optional parameters that are being made */
    struct buf encoded; /* a PDU that is */
    FILE *log;          /* NULL: none */
    struct smsc_join *join;
    struct smsc_typed *typed;
    int64_t now_us;       /* monotonic */
    char date[16];        /* YYMMDDhhmm of now */
    uint64_t last_id;     /* of a message */
    unsigned fail_credit; /* in percents: a receipt that says no is due at 100 */
    uint64_t submits, receipts, throttled, dropped;
    bool stopping;
};

/* ---- smsc_session.c: bytes ---- */

void session_open(struct smsc *smsc, int fd);
/* Something happened on its socket. */
void session_event(struct session *s, uint32_t events);
/* Sends what waits, and tells epoll what to wait for. */
void session_flush(struct session *s);
void session_kill(struct session *s);
void session_free(struct session *s);
/* Where PDUs to the peer go. */
struct buf *session_output(struct session *s);

/* ---- smsc_answer.c: PDUs ---- */

/* One whole PDU. */
void session_pdu(struct session *s, struct str bytes);

/* ---- smsc_delivery.c: deliver_sm ---- */

struct esme *esme_find(struct smsc *smsc, struct str system_id); /* NULL: memory is short */
void esme_free(struct esme *e);
void delivery_add(struct smsc *smsc, struct esme *e, const struct smpp_pdu *pdu);
/* The receipt of a submit_sm that was answered with this id. */
void receipt_add(struct smsc *smsc, struct esme *e, const struct smpp_pdu *submit, const char *id);
void delivery_answered(struct session *s, uint32_t sequence, uint32_t status);
/* The session is gone: what it did not answer is for another. */
void deliveries_give_back(struct session *s);
/* Hands out what waits. */
void deliveries_send(struct smsc *smsc);
/* What was refused a second ago. */
void deliveries_retry(struct smsc *smsc);

/* ---- smsc_text.c: for people ---- */

/* Views live until the scratch buffer is used again. */
void smsc_part_read(struct smsc *smsc, const struct smpp_pdu *pdu, struct smsc_part *ret);
void smsc_log(struct smsc *smsc, const struct smsc_part *p);
struct smsc_join *smsc_join_new(void);
void smsc_join_free(struct smsc_join *j);
/* Prints the message when all of its parts are there. */
void smsc_join_take(struct smsc_join *j, const struct smsc_part *p);

/* ---- smsc_typed.c: lines from the keyboard ---- */

struct smsc_typed *smsc_typed_new(void);
void smsc_typed_free(struct smsc_typed *t);
/* This handset was written to. */
void smsc_typed_note(struct smsc_typed *t, struct esme *e, const struct smsc_part *p);
/* Standard input has something; false at its end. */
bool smsc_typed_read(struct smsc *smsc);
