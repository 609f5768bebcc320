#include "messaging/routing_config.h"

#include "base/file.h"
#include "messaging/route.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct carrier acme = {.name = "acme", .number = 3, .health = CARRIER_HEALTH_FULL};
static struct carrier mmsc = {.name = "mmsc", .number = 8, .health = CARRIER_HEALTH_FULL};
static struct carrier other = {.name = "other", .number = 5, .health = CARRIER_HEALTH_FULL};
static char path[64], why[ROUTING_WHY_SIZE];
static struct config *config;
static struct routing *routing;

static int set_up(void **state)
{
    snprintf(path, sizeof path, "/tmp/skylark-routing-XXXXXX");
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    routing_free(routing);
    routing = NULL;
    config_free(config);
    config = NULL;
    return unlink(path);
}

static struct carrier *find_carrier(void *context, const char *name)
{
    return strcmp(name, "acme") == 0 ? &acme : strcmp(name, "mmsc") == 0 ? &mmsc : &other;
}

static int64_t find_account(void *context, const char *name)
{
    return strcmp(name, "shop") == 0 ? 17 : 0;
}

#define CARRIERS                                                                                   \
    "[carrier acme]\naddress = a:1\nsystem_id = x\n[carrier other]\naddress = b:1\n"               \
    "system_id = x\n"

static int make(const char *text)
{
    char *environment[] = {(char *)"HOME=/home/ada", NULL};
    struct config_source source = {.file = path, .environment = environment};
    struct routing_source from = {.carrier = find_carrier, .account = find_account};
    struct config_report report;
    char whole[4096];

    tear_down(NULL);
    snprintf(whole, sizeof whole, CARRIERS "%s", text);
    assert_int_equal(file_replace(path, str_of(whole), 0600), 0);
    config_report_init(&report);
    if (config_load(&config, &source, &report) < 0)
        fail_msg("%.*s", STR_FMT(buf_str(&report.errors)));
    config_report_done(&report);
    from.config = config;
    return routing_make(&routing, &from, why);
}

static const struct sender *sender(const char *address)
{
    const struct sender *s = sender_find(&routing->senders, str_of(address));

    assert_non_null(s);
    return s;
}

static void senders(void **state)
{
    assert_int_equal(make("[sender +18885551234]\n[sender +12025550123]\n[sender 60123]\n"
                          "country = GB\ncarriers = other\ncapabilities = mms\n[sender Acme]\n"
                          "account = shop\nmessages_per_minute = 600\n[sender +447700900123]\n"
                          "type = toll-free\ncapabilities = sms mms\n[sender Brand]\n"
                          "country = DE\ncarriers = acme other\n"),
                     0);
    assert_int_equal(routing->senders.count, 6);
    assert_int_equal(sender("+18885551234")->type, NUMBER_TOLL_FREE);
    assert_int_equal(sender("+18885551234")->calling_code, 1);
    assert_int_equal(sender("+18885551234")->carriers, 0);
    assert_true(sender("+18885551234")->no_media);
    assert_false(sender("+18885551234")->no_sms);
    assert_int_equal(sender("+12025550123")->type, NUMBER_LOCAL);
    assert_int_equal(sender("60123")->type, NUMBER_SHORT_CODE);
    assert_int_equal(sender("60123")->calling_code, 44);
    assert_int_equal(sender("60123")->carriers, 2);
    assert_true(sender("60123")->no_sms);
    assert_int_equal(sender("Acme")->type, NUMBER_ALPHANUMERIC);
    assert_int_equal(sender("Acme")->account, 17);
    assert_int_equal(sender("Acme")->calling_code, 0);
    assert_int_equal(sender("Acme")->messages_per_minute, 600);
    assert_int_equal(sender("+447700900123")->type, NUMBER_TOLL_FREE);
    assert_false(sender("+447700900123")->no_media);
    assert_int_equal(sender("Brand")->calling_code, 49);
    assert_int_equal(sender("Brand")->carriers, 3);
    assert_ptr_equal(sender("+18885551234"), &routing->senders.senders[0]);
}

static const struct carrier_route *route(const char *to, enum message_type type)
{
    bool failover;
    return routing_choose(routing, NULL, str_of(to), KIND_SMS, type, 0, &failover);
}

static void routes(void **state)
{
    assert_int_equal(make("[sender Acme]\n[route gb]\nprefix = +44, 353\ncarrier = other\n"
                          "type = otp alert sms\npriority = 3\nweight = 7\ncost = 0.0123\n"
                          "failover_after = 5s\n[route all]\ncarrier = acme\ntype = sms,mms\n"),
                     0);
    assert_int_equal(routing->route_count, 3);
    assert_int_equal(routing->carrier_count, 2);
    const struct carrier_route *gb = route("+447400123456", TYPE_OTP);
    assert_true(str_is(gb->name, "gb"));
    assert_string_equal(gb->prefix, "44");
    assert_ptr_equal(routing->carriers[gb->carrier], &other);
    assert_int_equal(gb->priority, 3);
    assert_int_equal(gb->weight, 7);
    assert_int_equal(gb->cost_micros, 12300);
    assert_int_equal(gb->failover_us, 5000000);
    assert_true(str_is(route("+353851234567", TYPE_ALERT)->name, "gb"));
    assert_true(str_is(route("+353851234567", TYPE_MARKETING)->name, "all"));
    assert_true(str_is(route("+12025550123", TYPE_OTP)->name, "all"));
    assert_int_equal(routing_carriers(routing, STR("+12025550123"), KIND_MMS, TYPE_OTP), 0);
}

static void without_routes_each_carrier_is_one(void **state)
{
    assert_int_equal(make("[sender Acme]\n"), 0);
    assert_int_equal(routing->route_count, 2);
    assert_int_equal(routing_carriers(routing, STR("+12025550123"), KIND_SMS, TYPE_OTP), 3);
    assert_int_equal(routing_carriers(routing, STR("+12025550123"), KIND_MMS, TYPE_OTP), 0);
    assert_true(str_is(route("+12025550123", TYPE_OTP)->name, "acme"));
    assert_int_equal(route("+12025550123", TYPE_OTP)->failover_us, 30000000);
}

static void check_fault(const char *text, int line, const char *said)
{
    char want[ROUTING_WHY_SIZE];

    assert_int_equal(make(text), -EINVAL);
    assert_null(routing);
    snprintf(want, sizeof want, "%s:%d: %s", path, line, said);
    assert_string_equal(why, want);
}

static void faults(void **state)
{
    check_fault("[sender 60123]\ncountry = UK\n", 7,
                "sender 60123.country is UK, which no country has");
    check_fault("[sender +447700900123]\ncountry = DE\n", 7,
                "sender +447700900123.country is DE, but numbers there begin with +49");
    check_fault("[sender Acme]\naccount = shpo\n", 7,
                "sender Acme.account is 'shpo', which is no account; skylark accounts list shows "
                "them, skylark accounts create makes one");
    check_fault("[sender Acme]\n[route x]\ncarrier = acme\ntype = otp mms\n", 8,
                "route x.type is mms, but the carrier acme takes no media");
}

static void all_faults_at_once(void **state)
{
    char want[ROUTING_WHY_SIZE];

    assert_int_equal(make("[sender 60123]\ncountry = UK\n[sender Acme]\ncountry = XX\n"
                          "account = shpo\n[route x]\ncarrier = acme\ntype = mms\n"),
                     -EINVAL);
    snprintf(
        want, sizeof want,
        "%s:7: sender 60123.country is UK, which no country has\n"
        "%s:9: sender Acme.country is XX, which no country has\n"
        "%s:9: sender Acme.account is 'shpo', which is no account; skylark accounts list shows "
        "them, skylark accounts create makes one\n"
        "%s:12: route x.type is mms, but the carrier acme takes no media",
        path, path, path, path);
    assert_string_equal(why, want);
}

/* More than there is room for: those that fit, each of them whole. */
static void too_many_faults(void **state)
{
    char text[3800];
    size_t n = 0;

    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "[sender 60%03d]\ncountry = UK\n", i);
    assert_int_equal(make(text), -EINVAL);
    assert_in_range(strlen(why), ROUTING_WHY_SIZE - 200, ROUTING_WHY_SIZE - 1);
    assert_string_equal(why + strlen(why) - strlen("no country has"), "no country has");
}

#define MMSC "[mmsc mmsc]\nurl = https://mmsc.example/mm7\n"

static uint64_t carriers_for(enum message_kind kind)
{
    return routing_carriers(routing, STR("+12025550123"), kind, TYPE_OTP);
}

static void an_mmsc_takes_mms_and_nothing_else(void **state)
{
    assert_int_equal(make("[sender Acme]\n[sender Brand]\ncarriers = mmsc, other\n"
                          "without_mms = links\n" MMSC),
                     0);
    assert_int_equal(routing->carrier_count, 3);
    assert_ptr_equal(routing->carriers[2], &mmsc);
    assert_int_equal(routing->route_count, 3);
    assert_int_equal(carriers_for(KIND_SMS), 3);
    assert_int_equal(carriers_for(KIND_MMS), 4);
    assert_int_equal(sender("Brand")->carriers, 6);
    assert_true(sender("Brand")->links);
    assert_false(sender("Acme")->links);
}

static void routes_to_an_mmsc(void **state)
{
    assert_int_equal(make("[sender Acme]\n" MMSC "[route mms]\ncarrier = mmsc\nprefix = +1\n"
                          "[route all]\ncarrier = acme\n"),
                     0);
    assert_int_equal(routing->route_count, 2);
    assert_int_equal(carriers_for(KIND_SMS), 1);
    assert_int_equal(carriers_for(KIND_MMS), 4);
    assert_int_equal(routing_carriers(routing, STR("+447400123456"), KIND_MMS, TYPE_OTP), 0);
    assert_int_equal(make("[sender Acme]\n" MMSC "[route m]\ncarrier = mmsc\ntype = mms otp\n"), 0);
    assert_int_equal(make("[sender Acme]\n" MMSC "[route m]\ncarrier = mmsc\ntype = sms mms\n"), 0);
    assert_int_equal(carriers_for(KIND_SMS), 0);
    check_fault("[sender Acme]\n" MMSC "[route m]\ncarrier = mmsc\ntype = sms otp\n", 10,
                "route m.type is sms, but the MMSC mmsc takes only MMS");
}

/* The configuration may go: nothing of it is pointed to. */
static void it_stands_alone(void **state)
{
    assert_int_equal(make("[sender Acme]\n[route all]\ncarrier = acme\n"), 0);
    config_free(config);
    config = NULL;
    assert_true(str_is(route("+12025550123", TYPE_OTP)->name, "all"));
    assert_non_null(sender("Acme"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(senders),
        TEST(routes),
        TEST(without_routes_each_carrier_is_one),
        TEST(faults),
        TEST(all_faults_at_once),
        TEST(too_many_faults),
        TEST(it_stands_alone),
        TEST(an_mmsc_takes_mms_and_nothing_else),
        TEST(routes_to_an_mmsc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
