#include "net/conn_table.h"

#include "base/random.h"

#include <arpa/inet.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage out = {0};
    struct sockaddr_in *four = (struct sockaddr_in *)&out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&out;

    if (inet_pton(AF_INET, text, &four->sin_addr) == 1)
        four->sin_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1)
        six->sin6_family = AF_INET6;
    return out;
}

static struct conn *open_from(struct conn_table *t, int fd, const char *text)
{
    struct sockaddr_storage address = address_of(text);
    return conn_open(t, fd, (struct sockaddr *)&address, CONN_NO_DEADLINE);
}

static void test_caps(void **state)
{
    struct conn_table t;

    assert_int_equal(conn_table_init(&t, 5, 3), 0);
    for (int fd = 10; fd < 13; fd++)
        assert_non_null(open_from(&t, fd, "10.0.0.1"));
    assert_null(open_from(&t, 13, "10.0.0.1"));
    assert_null(open_from(&t, 13, "::ffff:10.0.0.1")); /* the same, written as IPv6 */
    assert_non_null(open_from(&t, 14, "10.0.0.2"));
    assert_non_null(open_from(&t, 15, "::1"));
    assert_null(open_from(&t, 16, "10.0.0.3")); /* all in all */
    assert_int_equal(t.count, 5);
    conn_close(&t, 11);
    assert_non_null(open_from(&t, 16, "10.0.0.1"));
    conn_close(&t, 16);
    conn_close(&t, 16); /* a second word of it changes nothing */
    conn_close(&t, 9);
    conn_close(&t, -1);
    conn_close(&t, 1 << 30);
    assert_int_equal(t.count, 4);
    assert_ptr_equal(conn_at(&t, 10), &t.conns[10]);
    assert_null(conn_at(&t, -1));
    assert_null(conn_at(&t, (int)t.size));
    assert_null(open_from(&t, (int)t.size, "10.0.0.4"));
    assert_null(open_from(&t, -1, "10.0.0.4"));
    conn_table_done(&t);
}

/* However few connections there may be, their descriptors are any that the process may have. */
static void test_descriptors_of_the_process(void **state)
{
    struct rlimit usual, some;
    struct conn_table t;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    some = (struct rlimit){300, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &some), 0);
    assert_int_equal(conn_table_init(&t, 2, 2), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
    assert_int_equal(t.size, 300);
    assert_non_null(open_from(&t, 299, "10.0.0.1"));
    assert_ptr_equal(conn_at(&t, 299), &t.conns[299]);
    assert_null(open_from(&t, 300, "10.0.0.1"));
    conn_table_done(&t);
}

/* A descriptor that comes again without a close counts once. */
static void test_descriptor_comes_again(void **state)
{
    struct conn_table t;

    assert_int_equal(conn_table_init(&t, 5, 2), 0);
    for (int i = 0; i < 20; i++)
        assert_non_null(open_from(&t, 10, i % 2 ? "10.0.0.1" : "10.0.0.2"));
    assert_int_equal(t.count, 1);
    assert_non_null(open_from(&t, 11, "10.0.0.2"));
    conn_table_done(&t);
}

enum { FDS = 400, ADDRESSES = 60, MAX = 150, MAX_EACH = 6 };

struct model {
    int owner[FDS]; /* address, or -1 */
    unsigned of[ADDRESSES], count;
};

static struct sockaddr_storage numbered(int i)
{
    char text[64];

    snprintf(text, sizeof text, i % 3 ? "10.1.%d.7" : "2001:db8::%x", i);
    return address_of(text);
}

static void model_close(struct model *m, int fd)
{
    if (m->owner[fd] < 0)
        return;
    m->of[m->owner[fd]]--;
    m->count--;
    m->owner[fd] = -1;
}

static bool model_open(struct model *m, int fd, int address)
{
    model_close(m, fd);
    if (m->count >= MAX || m->of[address] >= MAX_EACH)
        return false;
    m->owner[fd] = address;
    m->of[address]++;
    m->count++;
    return true;
}

/* Many opens and closes, compared with simple counting after each. */
static void test_against_model(void **state)
{
    struct conn_table t;
    struct model m = {.count = 0};

    memset(m.owner, 0xff, sizeof m.owner);
    assert_int_equal(conn_table_init(&t, MAX, MAX_EACH), 0);
    for (int n = 0; n < 200000; n++) {
        uint64_t dice = random_fast();
        int fd = (int)(dice % FDS), address = (int)((dice >> 16) % ADDRESSES);
        if ((dice >> 32) % 5 < 3) {
            struct sockaddr_storage from = numbered(address);
            struct conn *c = conn_open(&t, fd, (struct sockaddr *)&from, CONN_NO_DEADLINE);
            assert_int_equal(c != NULL, model_open(&m, fd, address));
        } else {
            conn_close(&t, fd);
            model_close(&m, fd);
        }
        assert_int_equal(t.count, m.count);
    }
    for (int fd = 0; fd < FDS; fd++)
        conn_close(&t, fd);
    assert_int_equal(t.count, 0);
    /* Nothing is left behind: each address has its whole allowance again. */
    for (int i = 0; i < MAX_EACH; i++) {
        struct sockaddr_storage from = numbered(7);
        assert_non_null(conn_open(&t, i, (struct sockaddr *)&from, CONN_NO_DEADLINE));
    }
    conn_table_done(&t);
}

static bool is_shut(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char byte;

    return poll(&p, 1, 0) == 1 && recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static void test_deadlines(void **state)
{
    struct sockaddr_storage from = address_of("127.0.0.1");
    struct conn_table t;
    int near[3], far[3];

    assert_int_equal(conn_table_init(&t, 100, 100), 0);
    for (int i = 0; i < 3; i++) {
        int pair[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        near[i] = pair[0];
        far[i] = pair[1];
        assert_non_null(conn_open(&t, near[i], (struct sockaddr *)&from, 1000 * (i + 1)));
    }
    conn_table_sweep(&t, 1000);
    assert_false(is_shut(far[0])); /* up to its deadline, not on it */
    conn_set_deadline(conn_at(&t, near[1]), CONN_NO_DEADLINE);
    conn_table_sweep(&t, 2500);
    assert_true(is_shut(far[0]));
    assert_false(is_shut(far[1]));
    assert_false(is_shut(far[2]));
    assert_int_equal(t.count, 3); /* closing is for the owner */
    conn_close(&t, near[2]);
    conn_table_sweep(&t, INT64_MAX - 1);
    assert_false(is_shut(far[1]));
    assert_false(is_shut(far[2]));
    for (int i = 0; i < 3; i++) {
        close(near[i]);
        close(far[i]);
    }
    conn_table_done(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_descriptors_of_the_process),
        cmocka_unit_test(test_descriptor_comes_again),
        cmocka_unit_test(test_against_model),
        cmocka_unit_test(test_deadlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
