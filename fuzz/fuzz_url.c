/* Addresses that clients give. What passes the check has a host that the guard lets through, and so
 * has what libcurl makes of the same address: two readers of one text must not see two hosts. */
#include "base/utf8.h"
#include "messaging/https_url.h"
#include "messaging/webhook_url.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct address_guard *guard_with(const char *allow, bool localhost)
{
    struct address_guard_options options = {.allow = allow, .allow_localhost = localhost};
    struct address_guard *g;
    char why[ADDRESS_WHY_SIZE];
    int refused = address_guard_new(&g, &options, why);

    assert(refused == 0);
    return g;
}

/* As the sender reads it. */
static void check_with_curl(const char *url, const struct address_guard *guard)
{
    char why[ADDRESS_WHY_SIZE], *host = NULL, *scheme = NULL;
    CURLU *parsed = curl_url();

    assert(parsed);
    if (curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(parsed, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
        curl_url_get(parsed, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK) {
        assert(address_guard_allows_host(guard, str_of(host), why));
        assert(str_is(str_of(scheme), "https") || address_guard_allows_plain(guard, str_of(host)));
    }
    curl_free(host);
    curl_free(scheme);
    curl_url_cleanup(parsed);
}

static bool check(struct str url, const struct address_guard *guard)
{
    struct problem p = {0};
    struct arena a;

    arena_init(&a, 1 << 20);
    bool passes = webhook_url_check(url, "url", guard, &a, &p);
    assert(passes == (p.code == PROBLEM_NONE));
    assert(passes || (p.message && utf8_valid(str_of(p.message))));
    if (passes) {
        struct str host = url_host(url);
        assert(host.n && host.p > url.p && host.p + host.n <= url.p + url.n);
        check_with_curl(arena_copy(&a, url).p, guard);
    }
    arena_done(&a);
    return passes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct address_guard *strict, *open;
    struct str url = {(const char *)data, size};

    if (!strict) {
        strict = guard_with("", false);
        open = guard_with("10.0.0.0/8", true);
    }
    bool passes = check(url, strict), passes_open = check(url, open);
    assert(!passes || passes_open);
    assert(!passes || !https_url_fault(url));
    return 0;
}
