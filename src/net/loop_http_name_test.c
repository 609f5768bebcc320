/* Names and what they mean, said by a resolver of the test's own, which stands in for the system's
 * also when libcurl asks. */
#include "net/test_http.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ADDRESS_MAX = 4, SLOW_S = 2 };

static const char *meanings[ADDRESS_MAX]; /* of each name from now on */
static atomic_int lookups, slow;
static char asked[256]; /* the last name */

static struct addrinfo *make_answer(const char *address, const char *port)
{
    struct addrinfo *a = calloc(1, sizeof *a + sizeof(struct sockaddr_in));
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)(a + 1);

    four->sin_family = AF_INET;
    four->sin_port = htons((uint16_t)strtoul(port ? port : "0", NULL, 10));
    inet_pton(AF_INET, address, &four->sin_addr);
    a->ai_family = AF_INET;
    a->ai_socktype = SOCK_STREAM;
    a->ai_addrlen = sizeof *four;
    a->ai_addr = (struct sockaddr *)four;
    return a;
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the system's are reserved */
int getaddrinfo(const char *name, const char *port, const struct addrinfo *hints,
                struct addrinfo **ret)
{
    struct addrinfo **end = ret;

    snprintf(asked, sizeof asked, "%s", name);
    lookups++;
    if (slow)
        sleep(SLOW_S);
    *ret = NULL;
    for (int i = 0; i < ADDRESS_MAX && meanings[i]; i++) {
        *end = make_answer(meanings[i], port);
        end = &(*end)->ai_next;
    }
    return *ret ? 0 : EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *list)
{
    while (list) {
        struct addrinfo *next = list->ai_next;
        free(list);
        list = next;
    }
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

static struct test_listener listener;
static struct test_peer peer;
static struct test_call call;

static int set_up(void **state)
{
    int failed = test_http_set_up(state);

    memset(meanings, 0, sizeof meanings);
    lookups = slow = 0;
    test_listen(&listener, test_http_files.context);
    peer.fd = -1;
    test_http_guarded("127.0.0.1", false);
    test_call_to(&call, &listener, "hook.example");
    return failed;
}

static int tear_down(void **state)
{
    test_peer_close(&peer);
    test_listen_done(&listener);
    return test_http_tear_down(state);
}

/* Connected, and only then found to be of another name. */
static void check_reached(void)
{
    test_call_start(&call);
    assert_true(test_peer_accept(&peer, &listener, TEST_PEER_PATIENCE_MS));
    test_call_wait(&call);
    assert_string_equal(
        call.reply.why,
        "The peer is not trusted: the certificate is for other names than hook.example.");
}

static void check_refused(const char *why)
{
    test_call_run(&call);
    assert_string_equal(call.reply.why, why);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_REFUSED);
}

static void test_what_a_name_means_is_judged(void **state)
{
    meanings[0] = "10.1.2.3";
    check_refused("10.1.2.3 is a private address; the server does not connect to it.");
    assert_int_equal(lookups, 1);
}

/* Good when it was asked for the first time, and another one when it counts. */
static void test_a_name_that_changes_its_mind(void **state)
{
    meanings[0] = "127.0.0.1";
    check_reached();
    assert_int_equal(lookups, 1);
    test_peer_close(&peer);

    /* While the first answer is remembered, it is the one that is connected to. */
    meanings[0] = "127.0.0.2";
    test_call_to(&call, &listener, "hook.example");
    check_reached();
    assert_int_equal(lookups, 1);

    test_http_guarded("127.0.0.1", false); /* with an empty memory */
    test_call_to(&call, &listener, "hook.example");
    check_refused("127.0.0.2 is a loopback address; the server does not connect to it.");
    assert_int_equal(lookups, 2);
}

static void test_only_the_good_ones_of_many_are_tried(void **state)
{
    meanings[0] = "10.1.2.3";
    meanings[1] = "127.0.0.2";
    meanings[2] = "127.0.0.1";
    check_reached();
}

static void test_a_good_one_that_does_not_answer(void **state)
{
    meanings[0] = "10.1.2.3";
    meanings[1] = "127.0.0.1";
    test_listen_done(&listener);
    test_call_run(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_UNREACHABLE);
    test_listen(&listener, test_http_files.context);
}

/* A look-up takes its time; whoever does not wait for it is done without it, and so is the loop. */
static void test_a_slow_look_up(void **state)
{
    slow = 1;
    meanings[0] = "127.0.0.1";
    test_http_limited(8, 200, 1000);
    test_call_to(&call, &listener, "slow.example");
    test_call_run(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_TIMED_OUT);
    assert_string_equal(call.reply.why, "The name slow.example was not looked up within 0.2 s.");
    assert_in_range(call.reply.duration_us, 150000, SLOW_S * 1000000 - 300000);
    sleep(SLOW_S); /* its thread ends before what it reads is gone */
}

static void cancel(void *context)
{
    loop_http_cancel(((struct test_call *)context)->request);
}

static void test_cancelled_while_it_is_looked_up(void **state)
{
    slow = 1;
    int64_t start_us = clock_monotonic_us();
    test_call_start(&call);
    while (lookups == 0)
        usleep(1000);
    test_loop_do(cancel, &call);
    test_loop_settle();
    assert_in_range(clock_monotonic_us() - start_us, 0, SLOW_S * 1000000 - 300000);
    assert_int_equal(call.done, 0);
    sleep(SLOW_S);
}

/* Names of all scripts are looked up as registries write them. */
static void test_a_name_of_other_letters(void **state)
{
    meanings[0] = "10.1.2.3";
    test_call_to(&call, &listener, "münchen.example");
    check_refused("10.1.2.3 is a private address; the server does not connect to it.");
    assert_string_equal(asked, "xn--mnchen-3ya.example");
    assert_true(str_starts(str_of(call.url_told), STR("https://münchen.example:")));
}

/* Digits of other scripts are digits. */
static void test_an_address_of_other_digits(void **state)
{
    static const char *const hosts[] = {"１２７.0.0.2", "127。0。0。2", "①②⑦.0.0.2"};

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        meanings[0] = "127.0.0.2";
        test_call_to(&call, &listener, hosts[i]);
        check_refused("127.0.0.2 is a loopback address; the server does not connect to it.");
    }
}

static void test_a_host_that_is_no_name(void **state)
{
    test_call_to(&call, &listener, "\u00ad");
    test_call_run(&call);
    assert_int_equal(call.reply.outcome, LOOP_HTTP_BROKEN);
    assert_string_equal(call.reply.why, "The URL names no host that can be looked up.");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_a_name_means_is_judged),
        TEST(test_a_name_that_changes_its_mind),
        TEST(test_only_the_good_ones_of_many_are_tried),
        TEST(test_a_good_one_that_does_not_answer),
        TEST(test_a_name_of_other_letters),
        TEST(test_an_address_of_other_digits),
        TEST(test_a_host_that_is_no_name),
        TEST(test_a_slow_look_up),
        TEST(test_cancelled_while_it_is_looked_up),
    };
    return cmocka_run_group_tests(tests, test_http_set_up_all, test_http_tear_down_all);
}
