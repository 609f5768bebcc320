/* What the two sides of TLS sessions share. */
#pragma once

#include "net/tls_stream.h"

#include <gnutls/gnutls.h>

/* A session of the side that `flags` name, with its input and output over memory. */
int tls_stream_begin(struct tls_stream *s, unsigned flags, gnutls_priority_t priorities,
                     gnutls_certificate_credentials_t credentials);

/* What is wrong with the certificate of `name`, from bits of GnuTLS, as a clause: "the certificate
 * has expired". `ca`: the file of the only authorities that were trusted; NULL: the system's. */
void tls_flaws_explain(unsigned flaws, const char *ca, const char *name, char why[TLS_WHY_SIZE]);
