/* Where requests that others cause may go: webhooks and media files have addresses that clients
 * give, and must not become a way into the operator's own network.
 *
 * What is judged is the address that is connected to, after names were looked up: there is no
 * moment between the check and the use in which a name could come to mean something else. Refused
 * are addresses that are not of the public internet: loopback, private, link-local (and with it the
 * metadata services of clouds), shared, benchmark, documentation and reserved ranges, multicast,
 * "this network", and IPv6 forms that hold an IPv4 address (mapped, compatible, translated, 6to4,
 * Teredo). */
#pragma once

#include "base/str.h"

#include <sys/socket.h>

enum { ADDRESS_WHY_SIZE = 160 };

/* Made once, then read-only: any thread may ask. */
struct address_guard;

struct address_guard_options {
    const char *allow; /* CIDRs, separated by spaces or commas, that are let through; "" = none */
    bool allow_localhost; /* for development: loopback is let through */
};

/* -EINVAL: `why` names the part of `allow` that is no CIDR. */
int address_guard_new(struct address_guard **ret, const struct address_guard_options *options,
                      char why[ADDRESS_WHY_SIZE]);
void address_guard_free(struct address_guard *g);

/* False, with one sentence in `why` ("10.0.0.1 is a private address"), when it must not be
 * connected to. */
bool address_guard_allows(const struct address_guard *g, const struct sockaddr *address,
                          char why[ADDRESS_WHY_SIZE]);
/* The same for the host of a URL, as far as it tells without a look-up: addresses in every form
 * that resolvers understand ("127.1", "0x7f000001", "017700000001", "[::1]"), "localhost" and what
 * ends in it. A name is let through; what it means is judged when it is connected to. */
bool address_guard_allows_host(const struct address_guard *g, struct str host,
                               char why[ADDRESS_WHY_SIZE]);
/* Whether plain HTTP may be spoken to this host: only to localhost, and only when that is let
 * through. */
bool address_guard_allows_plain(const struct address_guard *g, struct str host);
