#include "net/address_guard.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/un.h>

#include <cmocka.h>

static struct address_guard *guard; /* lets nothing special through */

static struct address_guard *make(const char *allow, bool localhost)
{
    struct address_guard_options options = {allow, localhost};
    struct address_guard *g = NULL;
    char why[ADDRESS_WHY_SIZE];

    assert_int_equal(address_guard_new(&g, &options, why), 0);
    assert_string_equal(why, "");
    return g;
}

static int set_up(void **state)
{
    guard = make("", false);
    return 0;
}

static int tear_down(void **state)
{
    address_guard_free(guard);
    return 0;
}

/* As the resolver reads it, so that what is judged is what would be connected to. */
static bool allows(const struct address_guard *g, const char *address, char why[ADDRESS_WHY_SIZE])
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found;

    assert_int_equal(getaddrinfo(address, NULL, &hints, &found), 0);
    bool allowed = address_guard_allows(g, found->ai_addr, why);
    freeaddrinfo(found);
    return allowed;
}

static bool allows_host(const struct address_guard *g, const char *host)
{
    char why[ADDRESS_WHY_SIZE];
    bool allowed = address_guard_allows_host(g, str_of(host), why);

    assert_int_equal(why[0] == '\0', allowed);
    return allowed;
}

/* ---- addresses ---- */

static void test_the_public_internet(void **state)
{
    static const char *const addresses[] = {
        "1.1.1.1",        "8.8.8.8",         "9.255.255.255",   "11.0.0.0",
        "100.63.255.255", "100.128.0.0",     "126.255.255.255", "128.0.0.0",
        "168.63.129.15",  "169.253.255.255", "169.255.0.0",     "172.15.255.255",
        "172.32.0.0",     "192.0.1.0",       "192.0.3.0",       "192.167.255.255",
        "192.169.0.0",    "198.17.255.255",  "198.20.0.0",      "223.255.255.255",
        "2606:4700::1",   "2a00:1450::1",    "2001:200::1",     "2001:db7:ffff::1",
        "2001:db9::1",    "2003::1",         "3ffe::1",         "3fff:1000::1",
        "2400:cb00::1",
    };
    char why[ADDRESS_WHY_SIZE];

    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        bool allowed = allows(guard, addresses[i], why);
        if (!allowed)
            fail_msg("%s", why);
        assert_string_equal(why, "");
    }
}

/* The first and the last address of each range that is refused, and why. */
static void test_special_ranges(void **state)
{
    static const struct {
        const char *address, *why;
    } rows[] = {
        {"0.0.0.0", "0.0.0.0 is an address of \"this network\""},
        {"0.255.255.255", "0.255.255.255 is an address of \"this network\""},
        {"10.0.0.0", "10.0.0.0 is a private address"},
        {"10.255.255.255", "10.255.255.255 is a private address"},
        {"100.64.0.0", "100.64.0.0 is an address behind a provider's shared address"},
        {"100.127.255.255", "100.127.255.255 is an address behind a provider's shared address"},
        {"127.0.0.1", "127.0.0.1 is a loopback address"},
        {"127.255.255.255", "127.255.255.255 is a loopback address"},
        {"168.63.129.16", "168.63.129.16 is the address of a cloud's own services"},
        {"169.254.0.0", "169.254.0.0 is a link-local address"},
        {"169.254.169.254", "169.254.169.254 is the address of a cloud's metadata service"},
        {"169.254.255.255", "169.254.255.255 is a link-local address"},
        {"172.16.0.0", "172.16.0.0 is a private address"},
        {"172.31.255.255", "172.31.255.255 is a private address"},
        {"192.0.0.192", "192.0.0.192 is an address kept for protocols"},
        {"192.0.2.255", "192.0.2.255 is an address for documentation"},
        {"192.88.99.1", "192.88.99.1 is an address of the old 6to4 relays"},
        {"192.168.0.0", "192.168.0.0 is a private address"},
        {"192.168.255.255", "192.168.255.255 is a private address"},
        {"198.18.0.0", "198.18.0.0 is an address for benchmarks"},
        {"198.19.255.255", "198.19.255.255 is an address for benchmarks"},
        {"198.51.100.1", "198.51.100.1 is an address for documentation"},
        {"203.0.113.1", "203.0.113.1 is an address for documentation"},
        {"224.0.0.0", "224.0.0.0 is a multicast address"},
        {"239.255.255.255", "239.255.255.255 is a multicast address"},
        {"240.0.0.0", "240.0.0.0 is a reserved address"},
        {"255.255.255.255", "255.255.255.255 is the broadcast address"},
        {"::", ":: is the unspecified address"},
        {"::1", "::1 is a loopback address"},
        {"::ffff:127.0.0.1",
         "::ffff:127.0.0.1 is an IPv4 address in the form of an IPv6 address (mapped)"},
        {"::ffff:8.8.8.8",
         "::ffff:8.8.8.8 is an IPv4 address in the form of an IPv6 address (mapped)"},
        {"::ffff:0:127.0.0.1",
         "::ffff:0:7f00:1 is an IPv4 address in the form of an IPv6 address (translated)"},
        {"::127.0.0.1",
         "::127.0.0.1 is an IPv4 address in the form of an IPv6 address (compatible)"},
        {"64:ff9b::10.0.0.1",
         "64:ff9b::a00:1 is an IPv4 address in the form of an IPv6 address (NAT64)"},
        {"64:ff9b:1::a00:1",
         "64:ff9b:1::a00:1 is an IPv4 address in the form of an IPv6 address (NAT64)"},
        {"100::1", "100::1 is an address that swallows everything"},
        {"2001::1", "2001::1 is an IPv4 address in the form of an IPv6 address (Teredo)"},
        {"2001:2::1", "2001:2::1 is an address for benchmarks"},
        {"2001:20::1", "2001:20::1 is an address kept for protocols"},
        {"2001:1ff::1", "2001:1ff::1 is an address kept for protocols"},
        {"2001:db8::1", "2001:db8::1 is an address for documentation"},
        {"2002:7f00:1::", "2002:7f00:1:: is an IPv4 address in the form of an IPv6 address (6to4)"},
        {"3fff::1", "3fff::1 is an address for documentation"},
        {"5f00::1", "5f00::1 is a reserved address"},
        {"fc00::1", "fc00::1 is a private address"},
        {"fd00:ec2::254", "fd00:ec2::254 is the address of a cloud's metadata service"},
        {"fdff:ffff::1", "fdff:ffff::1 is a private address"},
        {"fe80::1", "fe80::1 is a link-local address"},
        {"febf::1", "febf::1 is a link-local address"},
        {"fec0::1", "fec0::1 is a site-local address"},
        {"ff02::1", "ff02::1 is a multicast address"},
        {"4000::1", "4000::1 is a reserved address"},
    };
    char why[ADDRESS_WHY_SIZE];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (allows(guard, rows[i].address, why))
            fail_msg("%s is let through", rows[i].address);
        assert_string_equal(why, rows[i].why);
    }
}

static void test_other_families(void **state)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct address_guard *open = make("0.0.0.0/0 ::/0", true);
    char why[ADDRESS_WHY_SIZE];

    assert_false(address_guard_allows(guard, (struct sockaddr *)&local, why));
    assert_string_equal(why, "it is no address of the internet");
    assert_false(address_guard_allows(open, (struct sockaddr *)&local, why));
    address_guard_free(open);
}

/* ---- what operators let through ---- */

static void test_allowed_networks(void **state)
{
    struct address_guard *g =
        make("10.1.0.0/16, 192.168.7.9\tfd00:1::/32,,::ffff:172.16.0.0/108", false);
    static const char *const in[] = {"10.1.0.0",         "10.1.255.255",  "192.168.7.9",
                                     "fd00:1::9",        "fd00:1:ffff::", "::ffff:10.1.2.3",
                                     "::ffff:172.31.1.1"};
    static const char *const out[] = {"10.0.255.255", "10.2.0.0",       "192.168.7.8", "127.0.0.1",
                                      "fd00:2::1",    "172.31.1.1",     "::1",         "::10.1.2.3",
                                      "fc00:1::9",    "::ffff:10.2.0.0"};
    char why[ADDRESS_WHY_SIZE];

    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        assert_true(allows(g, in[i], why));
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        assert_false(allows(g, out[i], why));
    assert_true(allows_host(g, "10.1.3.4"));
    assert_false(allows_host(g, "localhost"));
    address_guard_free(g);
}

static void test_the_whole_of_a_family(void **state)
{
    struct address_guard *g = make("0.0.0.0/0", false);
    char why[ADDRESS_WHY_SIZE];

    assert_true(allows(g, "127.0.0.1", why));
    assert_true(allows(g, "255.255.255.255", why));
    assert_false(allows(g, "::1", why));
    assert_true(allows_host(g, "localhost")); /* it may mean 127.0.0.1 */
    assert_false(address_guard_allows_plain(g, STR("localhost")));
    address_guard_free(g);
}

static void test_faults_of_the_list(void **state)
{
    static const struct {
        const char *allow, *why;
    } rows[] = {
        {"10.0.0/8",
         "'10.0.0/8' is no network; write one such as 10.1.0.0/16, 192.0.2.7 or 2001:db8::/32"},
        {"10.0.0.0/8 intranet", "'intranet' is no network; write one such as 10.1.0.0/16, "
                                "192.0.2.7 or 2001:db8::/32"},
        {"/8", "'/8' is no network; write one such as 10.1.0.0/16, 192.0.2.7 or 2001:db8::/32"},
        {"010.0.0.0/8", "'010.0.0.0/8' is no network; write one such as 10.1.0.0/16, 192.0.2.7 or "
                        "2001:db8::/32"},
        {"10.0.0.0/33", "'10.0.0.0/33' must have a number from 0 to 32 behind the slash"},
        {"10.0.0.0/", "'10.0.0.0/' must have a number from 0 to 32 behind the slash"},
        {"10.0.0.0/8/8", "'10.0.0.0/8/8' must have a number from 0 to 32 behind the slash"},
        {"fd00::/129", "'fd00::/129' must have a number from 0 to 128 behind the slash"},
        {"10.1.2.3/8", "'10.1.2.3/8' is an address in a network, not the network; write zeros "
                       "behind the prefix, or no slash for this one address"},
        {"10.128.0.0/8", "'10.128.0.0/8' is an address in a network, not the network; write zeros "
                         "behind the prefix, or no slash for this one address"},
        {"fd00::1/127", "'fd00::1/127' is an address in a network, not the network; write zeros "
                        "behind the prefix, or no slash for this one address"},
    };
    struct address_guard *g = NULL;
    char why[ADDRESS_WHY_SIZE];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct address_guard_options options = {rows[i].allow, false};
        assert_int_equal(address_guard_new(&g, &options, why), -22);
        assert_string_equal(why, rows[i].why);
        assert_null(g);
    }
}

/* ---- hosts ---- */

static void test_names_are_let_through(void **state)
{
    static const char *const names[] = {
        "example.com",    "example.com.",     "intranet",   "localhost.example.com",
        "notlocalhost",   "127.0.0.1.nip.io", "1.2.3.4.5",  "256.1.1.1",
        "0x7f.example",   "127.0.0.one",      "8.8.8.8",    "8.8.8.8.",
        "[2606:4700::1]", "2606:4700::1",     "0x08080808", "134744072",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!allows_host(guard, names[i]))
            fail_msg("%s is refused", names[i]);
}

static const char *const loopback_hosts[] = {
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.255.1.2",
    "2130706433",
    "0x7f000001",
    "0X7F000001",
    "017700000001",
    "0177.0.0.1",
    "0177.0.0.01",
    "0x7f.1",
    "0x7f.0x0.0x0.0x1",
    "00000177.1",
    "[::1]",
    "::1",
    "[0:0:0:0:0:0:0:1]",
    "[::1%lo]",
    "[::1%25lo]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:127.1.2.3]",
    "localhost",
    "LocalHost",
    "localhost.",
    "x.localhost",
    "a.b.LOCALHOST",
    "x.localhost.",
    "localhost.localdomain",
    "ip6-localhost",
    "ip6-loopback",
    "localhost6",
    "localhost4.localdomain4",
    "localhost6.localdomain6",
};

static void test_loopback_in_every_form(void **state)
{
    struct address_guard *local = make("", true), *listed = make("127.0.0.0/8 ::1", false);

    for (size_t i = 0; i < sizeof loopback_hosts / sizeof *loopback_hosts; i++) {
        const char *host = loopback_hosts[i];
        if (allows_host(guard, host) || !allows_host(local, host) || !allows_host(listed, host))
            fail_msg("%s", host);
        assert_false(address_guard_allows_plain(guard, str_of(host)));
        assert_false(address_guard_allows_plain(listed, str_of(host)));
        assert_true(address_guard_allows_plain(local, str_of(host)));
    }
    address_guard_free(local);
    address_guard_free(listed);
}

/* The switch for localhost is for nothing else. */
static void test_other_special_hosts(void **state)
{
    static const char *const hosts[] = {
        "0",
        "0.0.0.0",
        "0x0",
        "[::]",
        "10.1.2.3",
        "10.66051",
        "0xa010203",
        "012.1.2.3",
        "167838211",
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "192.168.1",
        "172.16.1.1",
        "[fe80::1%eth0]",
        "[fe80::1%25eth0]",
        "[fd00:ec2::254]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[::ffff:10.1.2.3]",
        "[::ffff:169.254.169.254]",
        "255.255.255.255",
        "224.0.0.1",
    };
    struct address_guard *local = make("", true);

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        if (allows_host(guard, hosts[i]) || allows_host(local, hosts[i]))
            fail_msg("%s is let through", hosts[i]);
        assert_false(address_guard_allows_plain(local, str_of(hosts[i])));
    }
    address_guard_free(local);
}

static void test_no_plain_to_others(void **state)
{
    struct address_guard *local = make("10.0.0.0/8", true);

    assert_false(address_guard_allows_plain(local, STR("example.com")));
    assert_false(address_guard_allows_plain(local, STR("10.0.0.1")));
    assert_false(address_guard_allows_plain(local, STR("8.8.8.8")));
    assert_false(address_guard_allows_plain(local, STR("")));
    address_guard_free(local);
}

static void test_broken_hosts(void **state)
{
    static const char *const hosts[] = {"",     ".",           "..",    "[",     "[]",     "[::1",
                                        "::1]", "[127.0.0.1]", "[::g]", "1:2:3", "[::1]x", "a:b"};
    char why[ADDRESS_WHY_SIZE], large[300];

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        assert_false(address_guard_allows_host(guard, str_of(hosts[i]), why));
        assert_string_equal(why, "the host is neither a name nor an address");
    }
    memset(large, 'a', sizeof large);
    assert_false(address_guard_allows_host(guard, (struct str){large, sizeof large}, why));
    assert_true(address_guard_allows_host(guard, (struct str){large, 255}, why));
    assert_false(address_guard_allows_host(guard, STR("example.com\0.localhost"), why));
}

static void test_sentences_of_hosts(void **state)
{
    char why[ADDRESS_WHY_SIZE];

    address_guard_allows_host(guard, STR("0x7f.1"), why);
    assert_string_equal(why, "127.0.0.1 is a loopback address");
    address_guard_allows_host(guard, STR("Hooks.LOCALHOST"), why);
    assert_string_equal(why, "localhost is this machine itself");
    address_guard_allows_host(guard, STR("[FE80::1%25eth0]"), why);
    assert_string_equal(why, "fe80::1 is a link-local address");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_public_internet),   cmocka_unit_test(test_special_ranges),
        cmocka_unit_test(test_other_families),        cmocka_unit_test(test_allowed_networks),
        cmocka_unit_test(test_the_whole_of_a_family), cmocka_unit_test(test_faults_of_the_list),
        cmocka_unit_test(test_names_are_let_through), cmocka_unit_test(test_loopback_in_every_form),
        cmocka_unit_test(test_other_special_hosts),   cmocka_unit_test(test_no_plain_to_others),
        cmocka_unit_test(test_broken_hosts),          cmocka_unit_test(test_sentences_of_hosts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
