#include "net/port_holder.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct sockaddr_in v4(const char *host, uint16_t port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
    assert_int_equal(inet_pton(AF_INET, host, &a.sin_addr), 1);
    return a;
}

static struct sockaddr_in6 v6(const char *host, uint16_t port)
{
    struct sockaddr_in6 a = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    assert_int_equal(inet_pton(AF_INET6, host, &a.sin6_addr), 1);
    return a;
}

static int open_socket(int family, const void *address, socklen_t length, bool listening)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || bind(fd, address, length) < 0 || (listening && listen(fd, 1) < 0))
        fail_msg("no socket to test with");
    return fd;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_in6 a = {0}; /* the port stands in the same place for both families */
    socklen_t length = sizeof a;

    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &length), 0);
    return ntohs(a.sin6_port);
}

static int listen_v4(const char *host)
{
    struct sockaddr_in a = v4(host, 0);
    return open_socket(AF_INET, &a, sizeof a, true);
}

/* What must be found: this very process. */
static const char *myself(char out[PORT_HOLDER_SIZE])
{
    char name[32];
    FILE *f = fopen("/proc/self/comm", "re");

    assert_non_null(f);
    assert_non_null(fgets(name, sizeof name, f));
    fclose(f);
    name[strcspn(name, "\n")] = '\0';
    snprintf(out, PORT_HOLDER_SIZE, "%s (pid %d)", name, (int)getpid());
    return out;
}

static void assert_held_by_me(const void *wanted)
{
    char found[PORT_HOLDER_SIZE], me[PORT_HOLDER_SIZE];

    assert_true(port_holder_find(wanted, found));
    assert_string_equal(found, myself(me));
}

static void finds_a_listener_at_the_address(void **state)
{
    int fd = listen_v4("127.0.0.1");
    struct sockaddr_in wanted = v4("127.0.0.1", port_of(fd));

    assert_held_by_me(&wanted);
    close(fd);
}

static void finds_a_listener_everywhere(void **state)
{
    int fd = listen_v4("0.0.0.0");
    struct sockaddr_in wanted = v4("127.0.0.1", port_of(fd));

    assert_held_by_me(&wanted);
    close(fd);
}

static void finds_one_in_the_way_of_listening_everywhere(void **state)
{
    int fd = listen_v4("127.0.0.1");
    struct sockaddr_in wanted = v4("0.0.0.0", port_of(fd));

    assert_held_by_me(&wanted);
    close(fd);
}

static void finds_listeners_of_ipv6(void **state)
{
    struct sockaddr_in6 loopback = v6("::1", 0);
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    /* A machine without IPv6 has nothing to find. */
    if (fd < 0 || bind(fd, (struct sockaddr *)&loopback, sizeof loopback) < 0) {
        print_message("this machine has no IPv6\n");
        if (fd >= 0)
            close(fd);
        return;
    }
    assert_int_equal(listen(fd, 1), 0);
    struct sockaddr_in6 wanted = v6("::1", port_of(fd));
    assert_held_by_me(&wanted);
    close(fd);
}

static void another_address_is_not_in_the_way(void **state)
{
    char found[PORT_HOLDER_SIZE];
    int fd = listen_v4("127.0.0.1");
    struct sockaddr_in wanted = v4("127.0.0.2", port_of(fd));

    assert_false(port_holder_find((struct sockaddr *)&wanted, found));
    assert_string_equal(found, "");
    close(fd);
}

static void a_free_port_is_held_by_nobody(void **state)
{
    char found[PORT_HOLDER_SIZE];
    int fd = listen_v4("127.0.0.1");
    struct sockaddr_in wanted = v4("127.0.0.1", port_of(fd)), none = v4("127.0.0.1", 0);

    close(fd);
    assert_false(port_holder_find((struct sockaddr *)&wanted, found));
    assert_false(port_holder_find((struct sockaddr *)&none, found));
}

static void names_another_process(void **state)
{
    char found[PORT_HOLDER_SIZE], wanted_name[PORT_HOLDER_SIZE];
    int fd = listen_v4("127.0.0.1"), hold[2], named[2];
    struct sockaddr_in wanted = v4("127.0.0.1", port_of(fd));
    char byte;

    assert_int_equal(pipe(hold), 0);
    assert_int_equal(pipe(named), 0);
    pid_t child = fork();
    if (child == 0) {
        FILE *f = fopen("/proc/self/comm", "we");
        if (!f || fputs("odd\tname", f) < 0 || fclose(f) != 0)
            _exit(1);
        close(hold[1]);
        (void)!write(named[1], "x", 1);
        (void)!read(hold[0], &byte, 1); /* until the test closes its end */
        _exit(0);
    }
    close(fd); /* the child alone has it now */
    close(named[1]);
    assert_int_equal(read(named[0], &byte, 1), 1);
    bool is_found = port_holder_find((struct sockaddr *)&wanted, found);
    close(hold[1]);
    waitpid(child, NULL, 0);
    close(hold[0]);
    close(named[0]);
    assert_true(is_found);
    snprintf(wanted_name, sizeof wanted_name, "odd?name (pid %d)", (int)child);
    assert_string_equal(found, wanted_name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_listener_at_the_address),
        cmocka_unit_test(finds_a_listener_everywhere),
        cmocka_unit_test(finds_one_in_the_way_of_listening_everywhere),
        cmocka_unit_test(finds_listeners_of_ipv6),
        cmocka_unit_test(another_address_is_not_in_the_way),
        cmocka_unit_test(a_free_port_is_held_by_nobody),
        cmocka_unit_test(names_another_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
