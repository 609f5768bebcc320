/* What the two sides of TLS sessions share. */
#pragma once

#include "net/tls_stream.h"

#include <gnutls/gnutls.h>

/* A session of the side that `flags` name, with its input and output over memory. */
int tls_stream_begin(struct tls_stream *s, unsigned flags, gnutls_priority_t priorities,
                     gnutls_certificate_credentials_t credentials);
