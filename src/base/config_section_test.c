/* The sections that have a name. */
#include "base/test_config.h"

#include <errno.h>
#include <stdio.h>

#define ACME "[carrier acme]\naddress = smpp.acme.example:2775\nsystem_id = sky\n"
#define GB   "[sender +447700900123]\n"

static const char *origin_of(int line)
{
    static char origin[128];

    snprintf(origin, sizeof origin, "%s:%d", config_path, line);
    return origin;
}

static void a_carrier(void **state)
{
    load_good("# live\n" ACME "password = sec ret\nwindow = 1000\nenquire_link = 10s\n"
              "data_coding = 1\ntls = on\nbind = separate\nstatuses = 0x45=temporary "
              "0x400-0x4ff=permanent:spam 12=throttled\n" GB);
    assert_int_equal(config->carrier_count, 1);
    const struct config_carrier *c = &config->carriers[0];
    assert_string_equal(c->name, "acme");
    assert_string_equal(c->place, origin_of(2));
    assert_string_equal(c->address.host, "smpp.acme.example");
    assert_int_equal(c->address.port, 2775);
    assert_string_equal(c->system_id, "sky");
    assert_string_equal(c->password, "sec ret");
    assert_int_equal(c->window, 1000);
    assert_int_equal(c->enquire_link_ms, 10000);
    assert_int_equal(c->data_coding, 1);
    assert_int_equal(c->tls, 1);
    assert_int_equal(c->bind, CONFIG_BIND_SEPARATE);
    assert_string_equal(c->origins[0], origin_of(3));
}

static void its_defaults(void **state)
{
    load_good(ACME GB);
    const struct config_carrier *c = &config->carriers[0];
    assert_string_equal(c->password, "");
    assert_string_equal(c->tls_ca, "");
    assert_int_equal(c->binds, 1);
    assert_int_equal(c->window, 10);
    assert_int_equal(c->data_coding, -1);
    assert_int_equal(c->response_timeout_ms, 60000);
    assert_string_equal(c->number_ton_npi, "1/1");
    assert_int_equal(c->receipts, CONFIG_RECEIPTS_FINAL);
    for (size_t i = 2; i < config_kinds[CONFIG_CARRIER].row_count; i++) {
        assert_string_equal(c->origins[i], "default");
        assert_string_equal(c->texts[i], config_kinds[CONFIG_CARRIER].rows[i].initial);
    }
}

/* A section without keys is there, too; one that is written twice is one. */
static void senders_and_routes(void **state)
{
    load_good(ACME "[carrier other]\naddress = [::1]:1\nsystem_id = x\n" GB
                   "[sender 60123]\ncountry = GB\ncapabilities = sms,mms\ncarriers = acme, other\n"
                   "[sender  Acme Shop ]\nmessages_per_minute = 600\naccount = shop\n"
                   "[route gb]\nprefix = +44 353,+4915\ntype = otp sms\n[route all]\n"
                   "carrier = other\n[route gb]\ncarrier = acme\ncost = 0.0123\n");
    assert_int_equal(config->carrier_count, 2);
    assert_int_equal(config->sender_count, 3);
    assert_string_equal(config->senders[0].name, "+447700900123");
    assert_int_equal(config->senders[0].capabilities, 1);
    assert_int_equal(config->senders[0].messages_per_minute, 60);
    assert_int_equal(config->senders[1].capabilities, 3);
    assert_string_equal(config->senders[2].name, "Acme Shop");
    assert_string_equal(config->senders[2].account, "shop");
    assert_int_equal(config->route_count, 2);
    const struct config_route *r = &config->routes[0];
    assert_string_equal(r->prefix, "+44 353,+4915");
    assert_int_equal(r->type, 1 << 2 | 1 << 5);
    assert_string_equal(r->carrier, "acme");
    assert_int_equal(r->cost_micros, 12300);
    assert_int_equal(r->failover_after_ms, 30000);
    assert_int_equal(config->routes[1].cost_micros, 0);
    assert_int_equal(config->routes[1].type, 0);
}

static void what_is_missing(void **state)
{
    check_fault("[carrier acme]\nsystem_id = x\n" GB, 1,
                "[carrier acme] needs address: Host and port of the carrier's SMPP server.");
    check_fault("[carrier acme]\naddress = a:1\n" GB, 1,
                "[carrier acme] needs system_id: Name to bind with.");
    check_fault(ACME GB "[route all]\n", 5, "[route all] needs carrier: Where such messages go.");
    check_fault(ACME, 1,
                "a carrier needs a sender; write a section [sender ADDRESS], such as [sender "
                "+18005551234]");
    check_fault(GB, 1,
                "a sender needs a carrier; write a section [carrier NAME], or [mmsc NAME] for MMS");
    check_fault(ACME "[sender 60123]\n", 4,
                "[sender 60123] needs country: a short code is known in one country only");
    check_fault(ACME "tls = on\ntls_key = /a.pem\n" GB, 5,
                "carrier acme.tls_key is set and carrier acme.tls_certificate is not; set both or "
                "none");
    check_fault(ACME "tls = on\ntls_certificate = /a.pem\n" GB, 5,
                "carrier acme.tls_certificate is set and carrier acme.tls_key is not; set both or "
                "none");
}

/* One line for each, without the file before it. */
static void check_faults(const char *text, const char *want)
{
    struct config_source source = source_of(text);
    struct str rest = str_of(want);
    struct buf lines BUF_CLEANUP = {.max = 4096};

    assert_int_equal(load(&source), -EINVAL);
    while (rest.n) {
        struct str line = str_cut(&rest, '\n');
        buf_printf(&lines, "%s:%.*s\n", config_path, STR_FMT(line));
    }
    buf_add_char(&lines, '\0');
    check_lines(&config_report.errors, lines.p);
}

static void what_is_missing_is_told_with_the_rest(void **state)
{
    check_faults("[carrier acme]\nsystem_id = x\n",
                 "1: [carrier acme] needs address: Host and port of the carrier's SMPP "
                 "server.\n1: a carrier needs a sender; write a section [sender ADDRESS], such "
                 "as [sender +18005551234]\n");
    /* Unless it was meant by what could not be read. */
    check_faults(ACME "[sendr +18005551234]\n",
                 "4: there is no section [sendr +18005551234]; did you mean [sender "
                 "ADDRESS]?\n");
    check_faults(ACME "[sender +18005551234\n",
                 "4: '[sender +18005551234' is neither [section] nor key = value\n");
}

static void faulty_sections_are_marked(void **state)
{
    struct config_source source = source_of(
        ACME "[carrier beta]\naddress = a:1\nsystem_id = x\nstatuses = 1\n[mmsc one]\nurl = x\n"
             "[mmsc two]\nurl = https://b.example\nwindow = 0\n[mmsc three]\nurl = http://c\n"
             "[sender 60123]\n[route all]\n" GB);
    struct config *read;

    assert_int_equal(config_read(&read, &source, &config_report), -EINVAL);
    assert_false(read->carriers[0].faulty);
    assert_true(read->carriers[1].faulty);
    assert_true(read->mmscs[0].faulty);
    assert_true(read->mmscs[1].faulty);
    assert_false(read->mmscs[2].faulty);
    assert_true(read->senders[0].faulty);
    assert_false(read->senders[1].faulty);
    assert_true(read->routes[0].faulty);
    config_free(read);
}

static void bad_names(void **state)
{
    static const char rule[] =
        "a sender is a number such as +18005551234, a short code of 3 to 8 digits, or a name of up "
        "to 11 letters, digits, spaces and & . _ -, not '%s'";
    static const char *const bad[] = {"",   "+0441234567", "+12345",       "+1234567890123456",
                                      "12", "123456789",   "Twelve chars", "+44 7700",
                                      "x@y"};
    char text[128], want[512];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "[sender %s]\n", bad[i]);
        snprintf(want, sizeof want, rule, bad[i]);
        check_fault(text, 1, want);
    }
    check_fault("[carrier Acme]\naddress = 1\n", 1,
                "a carrier's name has 1 to 32 small letters, digits, - and _, not 'Acme'");
    check_fault("[carrier 123456789012345678901234567890123]\n", 1,
                "a carrier's name has 1 to 32 small letters, digits, - and _, not "
                "'123456789012345678901234567890123'");
    check_fault("[route]\n", 1,
                "a route's name has 1 to 32 small letters, digits, - and _, not ''");
    check_fault("[carier acme]\naddress = 1\n", 1,
                "there is no section [carier acme]; did you mean [carrier NAME]?");
    check_fault(ACME "[sender 123] ; comment\ncountry = US\ncarier = x\n", 6,
                "there is no key 'carier' in [sender 123]; did you mean 'carriers'?");
    check_fault(ACME "prefix = +1\n" GB, 4,
                "there is no key 'prefix' in [carrier acme]; it belongs under [route NAME]");
    check_fault(ACME "[server]\nwindow = 3\n" GB, 5,
                "there is no key 'window' in [server]; it belongs under [carrier NAME]");
    check_fault(ACME "window = 3\n[carrier acme]\nwindow = 4\n" GB, 6,
                "carrier acme.window is set twice; the first time on line 4");
}

static void bad_values(void **state)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"window = 1001", "window must be a whole number from 1 to 1000, not '1001'"},
        {"window = -1", "window must be a whole number from 1 to 1000, not '-1'"},
        {"data_coding = -2", "data_coding must be a whole number from -1 to 255, not '-2'"},
        {"password = 12345678901234567890123456789012345678901234567890123456789012345",
         "password has 65 characters; at most 64 are allowed"},
        {"service_type = ABCDEF", "service_type has 6 characters; at most 5 are allowed"},
        {"version = 3.5", "version must be one of 3.3, 3.4, 5.0, not '3.5'"},
        {"tls_ca = ~/x", "tls_ca must be a whole path; ~ is not understood here: '~/x'"},
        {"number_ton_npi = 1", "number_ton_npi must be TON/NPI, two numbers such as 1/1, not '1'"},
        {"name_ton_npi = 7/1", "name_ton_npi must be TON/NPI, two numbers such as 1/1, not '7/1'"},
        {"recipient_ton_npi = 1/19",
         "recipient_ton_npi must be TON/NPI, two numbers such as 1/1, not '1/19'"},
        {"short_code_ton_npi = a/b",
         "short_code_ton_npi must be TON/NPI, two numbers such as 1/1, not 'a/b'"},
        {"reconnect_min = 2m", "reconnect_min is longer than its reconnect_max"},
        {"statuses = 0x45=temporary 0x4g=permanent",
         "statuses must be codes and their meaning, such as 0x45=temporary or "
         "0x400-0x4ff=permanent:spam, not '0x4g=permanent'"},
        {"statuses = 69", "statuses must be codes and their meaning, such as 0x45=temporary or "
                          "0x400-0x4ff=permanent:spam, not '69'"},
    };
    char text[256], want[512];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, ACME "%s\n" GB, cases[i].line);
        snprintf(want, sizeof want, "carrier acme.%s", cases[i].message);
        check_fault(text, 4, want);
    }
    check_fault("[carrier a]\nsystem_id = x\naddress = a:0\n" GB, 3,
                "carrier a.address must have a port from 1 to 65535, not 'a:0'");
    check_fault("[carrier a]\nsystem_id = x\naddress = a\n" GB, 3,
                "carrier a.address must be HOST:PORT, such as smpp.example.com:2775, not 'a'");
}

static void bad_senders_and_routes(void **state)
{
    static const struct {
        const char *section, *message;
    } cases[] = {
        {"[sender +15005550006]\ntype = short-code",
         "sender +15005550006.type is short-code, but the sender is a number"},
        {"[sender Acme]\ntype = local", "sender Acme.type is local, but the sender is a name"},
        {"[sender Acme]\ncountry = gb",
         "sender Acme.country must be two capital letters such as GB, not 'gb'"},
        {"[sender Acme]\ncapabilities = fax",
         "sender Acme.capabilities must be some of sms, mms, not 'fax'"},
        {"[sender Acme]\ncapabilities =",
         "sender Acme.capabilities must be some of sms, mms, not ''"},
        {"[sender Acme]\ncarriers = acme amce",
         "sender Acme names the carrier 'amce', which is not there; did you mean 'acme'?"},
        {"[route x]\ncarrier = nowhere", "route x names the carrier 'nowhere'; there is no section "
                                         "[carrier nowhere], nor [mmsc nowhere]"},
        {"[route x]\nprefix = +44 x\ncarrier = acme",
         "route x.prefix must be beginnings of numbers such as +1 +44 +4915, not 'x'"},
        {"[route x]\nprefix = +044\ncarrier = acme",
         "route x.prefix must be beginnings of numbers such as +1 +44 +4915, not '+044'"},
        {"[route x]\ntype = otp spam\ncarrier = acme",
         "route x.type must be some of transactional, marketing, otp, alert, promotional, sms, "
         "mms, not 'spam'"},
        {"[route x]\ncost = 0.0000001\ncarrier = acme",
         "route x.cost must be an amount such as 0.0045, with at most 6 decimals, not "
         "'0.0000001'"},
        {"[route x]\ncost = -1\ncarrier = acme",
         "route x.cost must be an amount such as 0.0045, with at most 6 decimals, not '-1'"},
    };
    char text[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, ACME GB "%s\n", cases[i].section);
        check_fault(text, 6, cases[i].message);
    }
}

static void several_faults(void **state)
{
    struct config_source source = source_of("[carrier acme]\naddress = here\nwindow = x\n" GB
                                            "[route all]\ncarrier = acme\nweight = y\n");
    char want[1024];

    assert_int_equal(load(&source), -EINVAL);
    snprintf(want, sizeof want,
             "%s:2: carrier acme.address must be HOST:PORT, such as smpp.example.com:2775, not "
             "'here'\n"
             "%s:3: carrier acme.window must be a whole number from 1 to 1000, not 'x'\n"
             "%s:7: route all.weight must be a whole number from 0 to 1000, not 'y'\n"
             "%s:1: [carrier acme] needs system_id: Name to bind with.\n",
             config_path, config_path, config_path, config_path);
    check_lines(&config_report.errors, want);
}

static void tls_without_tls(void **state)
{
    char want[256];

    load_good(ACME "tls_name = x\n" GB);
    snprintf(want, sizeof want, "%s: [carrier acme] has settings of TLS, but tls is off\n",
             origin_of(1));
    check_lines(&config_report.warnings, want);
}

static void passwords_may_be_longer_than_the_book_has_it(void **state)
{
    char want[256];

    load_good(ACME "password = 12345678\n" GB);
    check_lines(&config_report.warnings, "");
    load_good(ACME "password = 123456789\n" GB);
    snprintf(want, sizeof want,
             "%s: carrier acme.password has 9 characters; SMPP knows at most 8, so the carrier may "
             "refuse it\n",
             origin_of(4));
    check_lines(&config_report.warnings, want);
}

static void many_of_each(void **state)
{
    struct buf text BUF_CLEANUP;

    buf_init(&text, 1 << 20);
    buf_text(&text, ACME);
    for (int i = 0; i < CONFIG_SENDERS_MAX; i++)
        buf_printf(&text, "[sender +1%07d]\naccount = x\n", i);
    for (int i = 0; i < CONFIG_ROUTES_MAX; i++)
        buf_printf(&text, "[route r%d]\ncarrier = acme\nprefix = +1%07d\n", i, i);
    struct buf more BUF_CLEANUP;
    buf_init(&more, 1 << 20);
    buf_add(&more, buf_str(&text));
    buf_add_char(&text, '\0');
    load_good(text.p);
    assert_int_equal(config->sender_count, CONFIG_SENDERS_MAX);
    assert_int_equal(config->route_count, CONFIG_ROUTES_MAX);
    assert_string_equal(config->senders[0].name, "+10000000");
    assert_string_equal(config->routes[CONFIG_ROUTES_MAX - 1].prefix, "+10004095");
    buf_text(&more, "[route more]\ncarrier = acme\n");
    buf_add_char(&more, '\0');
    check_fault(more.p, 3 + 2 * CONFIG_SENDERS_MAX + 3 * CONFIG_ROUTES_MAX + 1,
                "there are more than 4096 routes");
}

static void words_of_a_list(void **state)
{
    struct str list = STR(" a, b\tc,,d ");
    const char *const want[] = {"a", "b", "c", "d", ""};

    for (size_t i = 0; i < 5; i++)
        assert_true(str_is(config_list_cut(&list), want[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_CASE(a_carrier),
        CONFIG_CASE(its_defaults),
        CONFIG_CASE(senders_and_routes),
        CONFIG_CASE(what_is_missing),
        CONFIG_CASE(what_is_missing_is_told_with_the_rest),
        CONFIG_CASE(faulty_sections_are_marked),
        CONFIG_CASE(bad_names),
        CONFIG_CASE(bad_values),
        CONFIG_CASE(bad_senders_and_routes),
        CONFIG_CASE(several_faults),
        CONFIG_CASE(tls_without_tls),
        CONFIG_CASE(passwords_may_be_longer_than_the_book_has_it),
        CONFIG_CASE(many_of_each),
        CONFIG_CASE(words_of_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
