/* A range of addresses as operators write it: "10.0.0.0/8", "2001:db8::/32", or one address. */
#pragma once

#include "base/str.h"

#include <sys/socket.h>

struct address_range {
    int family; /* AF_INET or AF_INET6 */
    unsigned bits;
    unsigned char bytes[16]; /* an IPv4 address has four */
};

/* NULL, or what is wrong with it as the end of a sentence: "'10.0.0/8' is no network". Strict:
 * bits behind the prefix must be zero, as they hint that another network is meant. */
const char *address_range_parse(struct str text, struct address_range *ret);
bool address_range_holds(const struct address_range *r, int family, const unsigned char *bytes);
