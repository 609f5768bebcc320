#include "net/address_range.h"

#include <arpa/inet.h>

enum { TEXT_MAX = INET6_ADDRSTRLEN };

static bool parse_address(struct str text, struct address_range *r)
{
    char copy[TEXT_MAX];

    if (text.n >= sizeof copy || memchr(text.p, '\0', text.n))
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    r->family = memchr(copy, ':', text.n) ? AF_INET6 : AF_INET;
    return inet_pton(r->family, copy, r->bytes) == 1;
}

/* Whether the first n bits are the same. */
static bool same_bits(const unsigned char *a, const unsigned char *b, unsigned n)
{
    unsigned rest = n % 8;
    unsigned char mask = (unsigned char)(0xff << (8 - rest));

    if (memcmp(a, b, n / 8) != 0)
        return false;
    return rest == 0 || ((a[n / 8] ^ b[n / 8]) & mask) == 0;
}

static bool ends_in_zeros(const struct address_range *r, unsigned width)
{
    unsigned char masked[16] = {0};

    memcpy(masked, r->bytes, (r->bits + 7) / 8);
    if (r->bits % 8)
        masked[r->bits / 8] &= (unsigned char)(0xff << (8 - r->bits % 8));
    return memcmp(masked, r->bytes, width / 8) == 0;
}

const char *address_range_parse(struct str text, struct address_range *ret)
{
    struct address_range r = {.bits = 0};
    struct str address = str_cut(&text, '/');
    uint64_t bits;

    if (address.n == 0 || !parse_address(address, &r))
        return "is no network; write one such as 10.1.0.0/16, 192.0.2.7 or 2001:db8::/32";
    unsigned width = r.family == AF_INET ? 32 : 128;
    bits = width;
    if (text.p && (!str_to_u64(text, &bits) || bits > width))
        return r.family == AF_INET ? "must have a number from 0 to 32 behind the slash"
                                   : "must have a number from 0 to 128 behind the slash";
    r.bits = (unsigned)bits;
    if (!ends_in_zeros(&r, width))
        return "is an address in a network, not the network; write zeros behind the prefix, or no "
               "slash for this one address";
    *ret = r;
    return NULL;
}

bool address_range_holds(const struct address_range *r, int family, const unsigned char *bytes)
{
    return r->family == family && same_bits(r->bytes, bytes, r->bits);
}
