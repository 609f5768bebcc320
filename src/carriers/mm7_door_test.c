#include "carriers/mm7_door.h"

#include "base/test_config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

static struct mm7_doors *doors;
static char why[MM7_DOOR_WHY_SIZE];

#define SENDER                                                                                     \
    "[carrier sms]\naddress = 127.0.0.1:2775\nsystem_id = x\npassword = y\n[sender "               \
    "+18005551234]\n"

static unsigned number_of(void *context, const char *name)
{
    return strcmp(name, "gone") == 0 ? 0 : 7 + (unsigned)strlen(name);
}

static int make_at(const char *sections, const struct config_address *bound)
{
    static char text[2000];

    snprintf(text, sizeof text, SENDER "%s", sections);
    load_good(text);
    mm7_doors_free(doors);
    return mm7_doors_new(&doors, config, bound, number_of, NULL, why);
}

static int make(const char *sections)
{
    return make_at(sections, NULL);
}

static int tear_down(void **state)
{
    mm7_doors_free(doors);
    doors = NULL;
    return config_teardown(state);
}

/* A request to this path from this address, with these header fields. */
static enum mm7_entry enter(const char *path, const char *address, const char *authorization,
                            const struct mm7_door **ret)
{
    struct http_peer peer = {0};
    struct http_request r = {.peer = &peer, .head.path = str_of(path)};
    unsigned char v4[4];

    if (inet_pton(AF_INET, address, v4) == 1) {
        peer.address.s6_addr[10] = peer.address.s6_addr[11] = 0xff;
        memcpy(peer.address.s6_addr + 12, v4, 4);
    } else {
        assert_int_equal(inet_pton(AF_INET6, address, &peer.address), 1);
    }
    if (authorization)
        r.head.fields[r.head.field_count++] =
            (struct http_field){STR("authorization"), str_of(authorization)};
    return mm7_doors_enter(doors, &r, ret);
}

static enum mm7_entry from(const char *address)
{
    const struct mm7_door *door;
    return enter("/mm7/acme", address, NULL, &door);
}

static enum mm7_entry with(const char *authorization)
{
    const struct mm7_door *door;
    return enter("/mm7/acme", "192.0.2.1", authorization, &door);
}

static void test_paths(void **state)
{
    const struct mm7_door *door;

    assert_int_equal(make("[mmsc acme]\nurl = http://a/\n"
                          "[mmsc other]\nurl = http://b/\nlisten_path = /in/b\n"
                          "[mmsc gone]\nurl = http://c/\n"),
                     0);
    assert_int_equal(enter("/mm7/acme", "192.0.2.1", NULL, &door), MM7_ENTRY_OPEN);
    assert_string_equal(door->name, "acme");
    assert_int_equal(door->carrier, 11);
    assert_int_equal(enter("/in/b", "192.0.2.1", NULL, &door), MM7_ENTRY_OPEN);
    assert_string_equal(door->name, "other");
    static const char *const nowhere[] = {
        "/mm7/other", "/mm7/gone", "/mm7/acme/", "/mm7/Acme", "/mm7", "/", ""};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
        assert_int_equal(enter(nowhere[i], "192.0.2.1", NULL, &door), MM7_ENTRY_NO_DOOR);
}

static void test_addresses(void **state)
{
    assert_int_equal(make("[mmsc acme]\nurl = http://a/\n"
                          "allow = 192.0.2.0/28, 198.51.100.7 2001:db8::/32\n"),
                     0);
    assert_int_equal(from("192.0.2.15"), MM7_ENTRY_OPEN);
    assert_int_equal(from("198.51.100.7"), MM7_ENTRY_OPEN);
    assert_int_equal(from("2001:db8:1::1"), MM7_ENTRY_OPEN);
    assert_int_equal(from("192.0.2.16"), MM7_ENTRY_ADDRESS);
    assert_int_equal(from("198.51.100.8"), MM7_ENTRY_ADDRESS);
    assert_int_equal(from("2001:db9::1"), MM7_ENTRY_ADDRESS);
    assert_int_equal(from("127.0.0.1"), MM7_ENTRY_ADDRESS);
}

static void test_credentials(void **state)
{
    static const char *const wrong[] = {
        "Basic dXNlcjpwYXNt",     /* user:pasm */
        "Basic dXNlcg==",         /* user */
        "Basic OnBhc3M=",         /* :pass */
        "Basic dXNlcjpwYXNzIA==", /* user:pass and a blank */
        "Basic dXNlcjpwYXNz!",    "Basic ", "Bearer dXNlcjpwYXNz", "dXNlcjpwYXNz", "",
    };

    assert_int_equal(make("[mmsc acme]\nurl = http://a/\n"
                          "listen_username = user\nlisten_password = pass\n"),
                     0);
    assert_int_equal(with("Basic dXNlcjpwYXNz"), MM7_ENTRY_OPEN);
    assert_int_equal(with("basic  dXNlcjpwYXNz "), MM7_ENTRY_OPEN);
    assert_int_equal(with(NULL), MM7_ENTRY_CREDENTIALS);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(with(wrong[i]), MM7_ENTRY_CREDENTIALS);
}

/* The address is looked at first: who comes from elsewhere learns nothing of passwords. */
static void test_address_before_credentials(void **state)
{
    assert_int_equal(make("[mmsc acme]\nurl = http://a/\nallow = 10.0.0.0/8\n"
                          "listen_username = user\nlisten_password = pass\n"),
                     0);
    assert_int_equal(with("Basic dXNlcjpwYXNz"), MM7_ENTRY_ADDRESS);
    assert_int_equal(from("10.1.2.3"), MM7_ENTRY_CREDENTIALS);
}

/* A section that says nothing of the listener. */
static struct config_mmsc section(const char *name)
{
    struct config_mmsc m = {
        .allow = "", .listen_path = "", .listen_username = "", .listen_password = ""};

    snprintf(m.name, sizeof m.name, "%s", name);
    return m;
}

static void assert_fault(struct config_mmsc *sections, size_t count, const char *want)
{
    struct config faulty = {.mmscs = sections, .mmsc_count = count};

    assert_int_equal(mm7_doors_new(&doors, &faulty, NULL, number_of, NULL, why), -EINVAL);
    assert_string_equal(why, want);
    assert_null(doors);
}

/* Most are found when the configuration is read; nothing is let in because one was not. */
static void test_faults(void **state)
{
    struct config_mmsc m[2] = {section("acme"), section("b")};

    m[0].allow = "10.0.0.0/8 here";
    assert_fault(m, 1,
                 "[mmsc acme] allow: 'here' is no network; write one such as 10.1.0.0/16, "
                 "192.0.2.7 or 2001:db8::/32");
    m[0].allow = "10.1.0.0/8";
    assert_fault(m, 1,
                 "[mmsc acme] allow: '10.1.0.0/8' is an address in a network, not the network; "
                 "write zeros behind the prefix, or no slash for this one address");
    m[0] = section("acme");
    m[0].listen_path = "reports";
    assert_fault(m, 1,
                 "[mmsc acme] listen_path must begin with a slash and have no blank, '?' or '#': "
                 "/reports/acme");
    m[0].listen_path = "/mm7/b";
    assert_fault(m, 2,
                 "[mmsc acme] and [mmsc b] both come to /mm7/b; give one another listen_path");
    m[0] = section("acme");
    m[0].listen_username = "a:b";
    m[0].listen_password = "c";
    assert_fault(m, 1, "[mmsc acme] listen_username must not have a colon: HTTP cannot say it");
    m[0].listen_username = "";
    assert_fault(m, 1,
                 "[mmsc acme] listen_password is set and listen_username is not; set both or none");
    m[0].listen_username = "a";
    m[0].listen_password = "";
    assert_fault(m, 1,
                 "[mmsc acme] listen_username is set and listen_password is not; set both or none");
}

static bool admits(const char *address)
{
    struct in6_addr a = {0};
    unsigned char v4[4];

    assert_int_equal(inet_pton(AF_INET, address, v4), 1);
    a.s6_addr[10] = a.s6_addr[11] = 0xff;
    memcpy(a.s6_addr + 12, v4, 4);
    return mm7_doors_admit(doors, &a);
}

/* One door for everybody is enough to let everybody in as far as the paths. */
static void test_who_may_come_at_all(void **state)
{
    assert_int_equal(make("[mmsc a]\nurl = http://a/\nallow = 192.0.2.0/24\n"
                          "[mmsc b]\nurl = http://b/\nallow = 198.51.100.7\n"),
                     0);
    assert_true(admits("192.0.2.1") && admits("198.51.100.7"));
    assert_false(admits("198.51.100.8"));
    assert_int_equal(make("[mmsc a]\nurl = http://a/\nallow = 192.0.2.0/24\n"
                          "[mmsc b]\nurl = http://b/\n"),
                     0);
    assert_true(admits("198.51.100.8"));
    assert_int_equal(make(""), 0);
    assert_true(admits("198.51.100.8"));
}

/* Where others can reach it, a door must ask for something. */
static void test_open_doors(void **state)
{
    static const char *const addresses[] = {"0.0.0.0:8444", "192.0.2.1:8444", "127.0.0.1:8444",
                                            "off"};
    char text[200];

    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        snprintf(text, sizeof text, "[mm7]\nlisten = %s\n[mmsc acme]\nurl = http://a/\n",
                 addresses[i]);
        assert_int_equal(make(text), i < 2 ? -EINVAL : 0);
        if (i < 2)
            assert_string_equal(why, "[mmsc acme] everybody who reaches mm7.listen could bring its "
                                     "reports; set listen_username and listen_password, or allow");
    }
    assert_int_equal(make("[mm7]\nlisten = 0.0.0.0:8444\n[mmsc a]\nurl = http://a/\n"
                          "allow = 192.0.2.0/24\n[mmsc b]\nurl = http://b/\n"
                          "listen_username = u\nlisten_password = p\n"),
                     0);
}

/* Where the listener is counts until the next start, whatever mm7.listen says meanwhile. */
static void test_open_doors_of_a_listener_that_stays(void **state)
{
    static const char *const listens[] = {"127.0.0.1:8444", "off"};
    struct config_address everywhere = {"0.0.0.0", 8444}, here = {"127.0.0.1", 8444};
    char text[200];

    for (size_t i = 0; i < sizeof listens / sizeof *listens; i++) {
        snprintf(text, sizeof text, "[mm7]\nlisten = %s\n[mmsc acme]\nurl = http://a/\n",
                 listens[i]);
        assert_int_equal(make_at(text, &everywhere), -EINVAL);
        assert_string_equal(why, "[mmsc acme] everybody who reaches the listener could bring its "
                                 "reports; set listen_username and listen_password, or allow; it "
                                 "moves to mm7.listen at the next start only");
        assert_int_equal(make_at(text, &here), 0);
    }
    assert_int_equal(make_at("[mmsc acme]\nurl = http://a/\nallow = 192.0.2.0/24\n", &everywhere),
                     0);
    assert_int_equal(make_at("[mm7]\nlisten = 0.0.0.0:8444\n[mmsc acme]\nurl = http://a/\n", &here),
                     -EINVAL); /* the next start would fail */
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, config_setup, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_paths),       CASE(test_addresses),
        CASE(test_credentials), CASE(test_address_before_credentials),
        CASE(test_faults),      CASE(test_who_may_come_at_all),
        CASE(test_open_doors),  CASE(test_open_doors_of_a_listener_that_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
