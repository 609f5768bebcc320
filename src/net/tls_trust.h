/* Whom we trust as the other end of connections whose TLS somebody else speaks for us (libcurl).
 * The authorities are read once: reading the system's takes longer than many handshakes. Read-only
 * once made. */
#pragma once

#include "net/tls.h"

struct tls_trust;

/* The system's authorities and those of the file (PEM; NULL or "": none). `why` names the file and
 * what is wrong with it. */
int tls_trust_new(struct tls_trust **ret, const char *ca, char why[TLS_WHY_SIZE]);
void tls_trust_free(struct tls_trust *t);

/* Whether the session, whose handshake is done, is with `name` (a host name or an address): it
 * shows a certificate for servers that is of this name, of today, and signed by whom we trust. What
 * is found good once is not verified again as long as the session lives. False: `why` has the end
 * of a sentence, as of tls_client_why. */
bool tls_trust_judge(const struct tls_trust *t, gnutls_session_t session, const char *name,
                     char why[TLS_WHY_SIZE]);
