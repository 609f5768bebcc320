/* What connections to others share when they speak TLS: whom to trust, and who we are. A session
 * over memory like tls_stream, from the client's side. */
#pragma once

#include "net/tls.h"
#include "net/tls_stream.h"

struct tls_client;

struct tls_client_options {
    const char *ca;                /* PEM file of authorities; NULL or "": the system's */
    const char *certificate, *key; /* PEM files that we show when asked; NULL or "": none */
};

/* `why` names the file and what is wrong with it. */
int tls_client_new(struct tls_client **ret, const struct tls_client_options *options,
                   char why[TLS_WHY_SIZE]);
void tls_client_free(struct tls_client *c);

/* A session that wants the certificate of `name` (a host name or an address), which stays as long
 * as the session. The functions of tls_stream.h work on it; s->output is the caller's to set. */
int tls_client_stream(struct tls_stream *s, const struct tls_client *c, const char *name);
/* Why it was TLS_BROKEN, in words: "the certificate has expired". */
void tls_client_why(const struct tls_stream *s, char why[TLS_WHY_SIZE]);
