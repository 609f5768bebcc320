/* The API's objects: what all workers share and what each has for itself. */
#include "api/call.h"
#include "api/errors_page.h"
#include "api/event_stream.h"
#include "api/scribe.h"
#include "api/stats_stream.h"
#include "api/stream_seats.h"
#include "api/throttle.h"
#include "view/public_url.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGE_MAX = 1 << 20, SCRATCH_MAX = 16 << 20 };

int api_new(struct api **ret, const struct api_options *options)
{
    struct api *a = calloc(1, sizeof *a);

    *ret = NULL;
    if (!a)
        return -ENOMEM;
    routes_prepare();
    a->options = *options;
    snprintf(a->docs_url, sizeof a->docs_url, "%s", options->docs_url);
    public_url_set(options->public_url ? options->public_url : "");
    a->throttle = throttle_new(options->failed_keys);
    a->seats = stream_seats_new();
    buf_init(&a->errors_page, PAGE_MAX);
    errors_page_write(&a->errors_page);
    pthread_mutex_init(&a->trouble_lock, NULL);
    int failed = a->throttle && a->seats && !a->errors_page.failed
                     ? scribe_start(&a->scribe, writing_prepare)
                     : -ENOMEM;
    if (failed) {
        api_free(a);
        return failed;
    }
    *ret = a;
    return 0;
}

void api_stop(struct api *a)
{
    scribe_stop(a->scribe);
}

void api_free(struct api *a)
{
    scribe_free(a->scribe);
    throttle_free(a->throttle);
    stream_seats_free(a->seats);
    buf_done(&a->errors_page);
    pthread_mutex_destroy(&a->trouble_lock);
    free(a);
}

void api_bound(void *api, const char *address)
{
    struct api *a = api;

    if (!a->docs_url[0])
        snprintf(a->docs_url, sizeof a->docs_url, "https://%s/docs", address);
    if (!public_url().n) {
        char url[256];
        snprintf(url, sizeof url, "https://%s", address);
        public_url_set(url);
    }
}

void api_set_trouble(struct api *a, const char *why)
{
    pthread_mutex_lock(&a->trouble_lock);
    snprintf(a->trouble, sizeof a->trouble, "%s", why ? why : "");
    pthread_mutex_unlock(&a->trouble_lock);
}

void api_set_maintenance(struct api *a, bool on)
{
    atomic_store_explicit(&a->maintenance, on, memory_order_relaxed);
}

void api_set_logged_requests(struct api *a, int which)
{
    atomic_store_explicit(&a->logged_requests, which, memory_order_relaxed);
}

void api_set_routing(struct api *a, const struct routing *routing)
{
    atomic_store_explicit(&a->routing, routing, memory_order_release);
}

void api_set_prices(struct api *a, const struct price_list *prices)
{
    atomic_store_explicit(&a->prices, prices, memory_order_release);
}

static void free_parts(struct api_worker *w)
{
    key_cache_free(w->keys);
    event_streams_free(w->events);
    stats_streams_free(w->stats);
    arena_done(&w->scratch);
    free(w);
}

int api_worker_open(void *api, void **ret)
{
    struct api *a = api;
    struct api_worker *w = calloc(1, sizeof *w);

    *ret = NULL;
    if (!w)
        return -ENOMEM;
    w->api = a;
    arena_init(&w->scratch, SCRATCH_MAX);
    w->keys = key_cache_new();
    w->events = event_streams_new();
    w->stats = stats_streams_new(a->options.store);
    int failed = w->keys && w->events && w->stats ? store_reader_open(a->options.store, &w->reader)
                                                  : -ENOMEM;
    if (failed) {
        free_parts(w);
        return failed;
    }
    *ret = w;
    return 0;
}

void api_worker_rest(void *worker)
{
    struct api_worker *w = worker;

    inbox_look(w);
    store_reader_rest(w->reader);
}

bool api_worker_tell(void *worker)
{
    bool more = event_streams_tell(worker);
    return stats_streams_tell(worker) || more;
}

void api_worker_close(void *worker)
{
    struct api_worker *w = worker;

    store_reader_close(w->reader);
    free_parts(w);
}
