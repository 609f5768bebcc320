#include "net/listener.h"

#include "net/port_holder.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

/* "127.0.0.1:8443", "[::1]:8443", "localhost:0" */
static int resolve(const char *listen_on, struct addrinfo **ret, char *why, size_t why_size)
{
    struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    char host[NI_MAXHOST + 16], *port;

    snprintf(host, sizeof host, "%s", listen_on);
    port = strrchr(host, ':');
    if (!port) {
        snprintf(why, why_size, "cannot listen on '%s': write HOST:PORT", listen_on);
        return -EINVAL;
    }
    *port++ = '\0';
    char *name = host;
    if (name[0] == '[' && name[strlen(name) - 1] == ']') {
        name[strlen(name) - 1] = '\0';
        name++;
    }
    int failed = getaddrinfo(*name ? name : NULL, port, &hints, ret);
    if (failed) {
        snprintf(why, why_size, "cannot listen on %s: %s", listen_on, gai_strerror(failed));
        return -EINVAL;
    }
    return 0;
}

/* A client can connect to "everywhere", but no certificate names it: loopback stands for it. */
static void name_loopback(struct sockaddr *address)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)address;

    if (address->sa_family == AF_INET && v4->sin_addr.s_addr == htonl(INADDR_ANY))
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (address->sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr))
        v6->sin6_addr = in6addr_loopback;
}

static void remember_address(int listener, char out[ADDRESS_SIZE])
{
    struct sockaddr_storage bound = {0};
    socklen_t length = sizeof bound;
    char host[48], port[8];

    getsockname(listener, (struct sockaddr *)&bound, &length);
    name_loopback((struct sockaddr *)&bound);
    getnameinfo((struct sockaddr *)&bound, length, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(out, ADDRESS_SIZE, bound.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

static void tell_failure(const char *listen_on, const struct sockaddr *address, int failed,
                         char *why, size_t why_size)
{
    char holder[PORT_HOLDER_SIZE];

    if (failed != -EADDRINUSE)
        snprintf(why, why_size, "cannot listen on %s: %s", listen_on, strerror(-failed));
    else
        snprintf(why, why_size, "cannot listen on %s: %s uses this port", listen_on,
                 port_holder_find(address, holder) ? holder : "another program");
}

int listener_open(const char *listen_on, int *ret_fd, char address[ADDRESS_SIZE], char *why,
                  size_t why_size)
{
    struct addrinfo *found;
    int on = 1;

    int failed = resolve(listen_on, &found, why, why_size);
    if (failed)
        return failed;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, found->ai_addr, found->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0)
        failed = -errno;
    if (failed) {
        tell_failure(listen_on, found->ai_addr, failed, why, why_size);
        if (fd >= 0)
            close(fd);
    } else {
        remember_address(fd, address);
        *ret_fd = fd;
    }
    freeaddrinfo(found);
    return failed;
}
