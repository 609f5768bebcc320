/* The HTTP API: one table of routes, one file per resource, problems turned into answers in one
 * place. Handlers run on the HTTP workers. */
#pragma once

#include "base/clock.h"
#include "messaging/dispatch.h"
#include "messaging/limit.h"
#include "messaging/optout.h"
#include "messaging/price.h"
#include "messaging/problem.h"
#include "messaging/route.h"
#include "messaging/usage.h"
#include "net/address_guard.h"
#include "net/http_server.h"
#include "store/writer.h"

struct api;

struct api_options {
    struct store *store;
    struct writer *writer;
    struct dispatch *dispatch;
    struct limiter *limiter;
    struct usage *usage;
    struct optouts *optouts;
    const struct clock *clock;
    const struct address_guard *guard; /* where webhooks may lead */
    /* Where `documentation` links lead, "https://example.com/docs"; "": to this server's /docs. */
    const char *docs_url;
    const char *public_url; /* where clients reach us; NULL or "": where the server listens */
    unsigned failed_keys;   /* wrong keys that an address may show in a minute; 0 = any number */
};

int api_new(struct api **ret, const struct api_options *options);
/* Before the writer stops: what calls have under way goes to it; calls that come later and would
 * write files are refused. */
void api_stop(struct api *a);
void api_free(struct api *a);
/* NULL: the store can be written; else why not. Any thread. */
void api_set_trouble(struct api *a, const char *why);
/* What live messages go out with and cost. What was set before must stay for as long as a request
 * can take. NULL: no carrier is connected; the built-in prices. Any thread. */
void api_set_routing(struct api *a, const struct routing *routing);
void api_set_prices(struct api *a, const struct price_list *prices);
/* While it is on, every call with a key is told to come back. Any thread. */
void api_set_maintenance(struct api *a, bool on);

enum { API_BODY_MAX = 256 << 10, API_LARGE_BODY_MAX = 4 << 20 };

/* Which requests get a line in the log: CONFIG_REQUESTS_…, of no requests until it is said. Any
 * thread. */
void api_set_logged_requests(struct api *a, int which);

/* For http_server_options. */
http_handler api_handle;
void api_answered(const struct http_request *r, int64_t duration_us);
size_t api_body_max(struct http_request *r);
void api_bound(void *api, const char *address);
int api_worker_open(void *api, void **ret);
void api_worker_close(void *worker);
void api_worker_rest(void *worker);
bool api_worker_tell(void *worker);
