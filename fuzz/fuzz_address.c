/* Hosts of URLs and lists of networks; the first line is the list, the rest is a host. Whatever is
 * given: what a resolver would read as an address is judged as that address, with or without the
 * list, and each refusal is a sentence. */
#include "base/utf8.h"
#include "net/address_guard.h"

#include <assert.h>
#include <netdb.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The guard that lets nothing through refuses whatever address the resolver sees in it. */
static void check_host(const struct address_guard *g, struct str host)
{
    char why[ADDRESS_WHY_SIZE], address_why[ADDRESS_WHY_SIZE], text[256];
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found;
    bool allowed = address_guard_allows_host(g, host, why);

    assert(allowed == (why[0] == '\0'));
    assert(utf8_valid(str_of(why)));
    if (!allowed || host.n >= sizeof text)
        return;
    snprintf(text, sizeof text, "%.*s", STR_FMT(host));
    if (getaddrinfo(text, NULL, &hints, &found) != 0)
        return;
    assert(address_guard_allows(g, found->ai_addr, address_why));
    freeaddrinfo(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, list = str_cut(&rest, '\n');
    struct address_guard *strict, *open;
    char why[ADDRESS_WHY_SIZE], allow[512];
    int refused = address_guard_new(&strict, &(struct address_guard_options){.allow = ""}, why);

    assert(refused == 0);
    check_host(strict, rest);
    assert(!address_guard_allows_plain(strict, rest));
    str_format(allow, sizeof allow, "%.*s", list.n > 500 ? 500 : (int)list.n, list.p);
    struct address_guard_options options = {allow, true};
    refused = address_guard_new(&open, &options, why);
    assert((refused == 0) == (why[0] == '\0'));
    if (refused == 0) {
        check_host(open, rest);
        if (address_guard_allows_host(strict, rest, why)) {
            bool still_allowed = address_guard_allows_host(open, rest, why);
            assert(still_allowed);
        }
        address_guard_free(open);
    }
    address_guard_free(strict);
    return 0;
}
