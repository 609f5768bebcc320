#include "net/loop_http_internal.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 64 };

static void tell_finished(struct loop_http *h)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(h->multi, &left))) {
        struct loop_http_request *r;
        CURLcode code = message->data.result;

        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &r);
        loop_http_finish(r, code);
    }
}

static int curl_events(uint32_t events)
{
    int of_curl = 0;

    if (events & (EPOLLIN | EPOLLERR | EPOLLHUP))
        of_curl |= CURL_CSELECT_IN;
    if (events & (EPOLLOUT | EPOLLERR | EPOLLHUP))
        of_curl |= CURL_CSELECT_OUT;
    return of_curl;
}

static void on_sockets(uv_poll_t *poll, int failed, int unused)
{
    struct loop_http *h = poll->data;
    struct epoll_event events[EVENTS_AT_ONCE];
    int running, count = epoll_wait(h->sockets, events, EVENTS_AT_ONCE, 0);

    for (int i = 0; i < count; i++)
        curl_multi_socket_action(h->multi, events[i].data.fd, curl_events(events[i].events),
                                 &running);
    tell_finished(h);
}

static void on_time(uv_timer_t *timer)
{
    struct loop_http *h = timer->data;
    int running;

    curl_multi_socket_action(h->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    tell_finished(h);
}

/* libcurl wants to know of a socket, of other events of it, or no more. */
static int on_socket_wish(CURL *easy, curl_socket_t fd, int wish, void *http, void *known)
{
    struct loop_http *h = http;
    struct epoll_event event = {.data.fd = fd};

    if (wish == CURL_POLL_REMOVE) {
        epoll_ctl(h->sockets, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    if (wish & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (wish & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    if (epoll_ctl(h->sockets, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) < 0)
        return -1;
    if (!known)
        curl_multi_assign(h->multi, fd, h); /* any pointer will do */
    return 0;
}

static int on_time_wish(CURLM *multi, long timeout_ms, void *http)
{
    struct loop_http *h = http;

    if (timeout_ms < 0)
        uv_timer_stop(&h->timer);
    else
        uv_timer_start(&h->timer, on_time, (uint64_t)timeout_ms, 0);
    return 0;
}

static void set_options(struct loop_http *h)
{
    long connections = (long)h->options.max_connections;

    curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket_wish);
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_time_wish);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
    curl_multi_setopt(h->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    curl_multi_setopt(h->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
    curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, connections);
}

int loop_http_drive_init(struct loop_http *h)
{
    h->sockets = epoll_create1(EPOLL_CLOEXEC);
    if (h->sockets < 0)
        return -errno;
    h->multi = curl_multi_init();
    if (!h->multi)
        return -ENOMEM;
    set_options(h);
    uv_timer_init(loop_uv(h->loop), &h->timer);
    h->timer.data = h->poll.data = h;
    h->handles = 1;
    int failed = uv_poll_init(loop_uv(h->loop), &h->poll, h->sockets);
    if (failed)
        return failed;
    h->handles = 2;
    return uv_poll_start(&h->poll, UV_READABLE, on_sockets);
}
