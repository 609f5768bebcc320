#include "carriers/test_port.h"

#include <errno.h>

struct test_smsc test_smsc;
struct test_session test_session;

/* ---- the carrier ---- */

static void make_carrier(void *unused)
{
    struct live_carrier_options options = {.loop = test_loop, .clock = &clock_real};
    struct carrier_record record = {.id = TEST_CARRIER_NUMBER, .name = "acme", .taken = 100};

    assert_int_equal(live_carrier_new(&test_port.carrier, &smpp_carrier_kind, &options, &record),
                     0);
}

int test_port_set_up(void **state)
{
    test_port_init();
    memset(&test_session, 0, sizeof test_session);
    test_loop_set_up(state);
    test_smsc_init(&test_smsc, NULL);
    test_port.config = test_carrier_config();
    test_port.config.address.port = test_smsc.listener.port;
    test_port.config.reconnect_min_ms = 10;
    test_port.config.reconnect_max_ms = 10;
    test_loop_do(make_carrier, NULL);
    return 0;
}

int test_port_tear_down(void **state)
{
    if (test_session.peer.fd > 0)
        test_session_close(&test_session);
    loop_stop(test_loop);
    live_carrier_free(test_port.carrier);
    test_loop_tear_down(state);
    test_smsc_done(&test_smsc);
    return 0;
}

static void start(void *unused)
{
    struct smpp_settings *settings;
    char why[256];

    assert_int_equal(smpp_settings_new(&settings, &test_port.config, why, sizeof why), 0);
    assert_int_equal(live_carrier_start(test_port.carrier, &settings->live), 0);
}

void test_port_start(void)
{
    test_loop_do(start, NULL);
}

void test_port_up(void)
{
    test_port_start();
    test_session_bind(&test_session, &test_smsc);
    test_port_until_room((size_t)test_port.config.window);
}

/* ---- messages ---- */

struct message test_port_message(const char *text)
{
    return (struct message){.id = test_port.count + 1,
                            .mode = MODE_LIVE,
                            .kind = KIND_SMS,
                            .from = STR("+18005551234"),
                            .to = STR("+15551234567"),
                            .text = str_of(text),
                            .encoding = ENCODING_GSM7,
                            .segments = 1,
                            .number_type = NUMBER_LOCAL,
                            .created_us = clock_now_us(&clock_real)};
}

int test_port_submit(const char *text)
{
    struct message m = test_port_message(text);
    return test_port_submit_message(&m);
}

/* ---- the SMSC ---- */

void test_expect_submit(struct test_session *x, const char *text)
{
    test_session_expect(x, SMPP_SUBMIT_SM);
    if (!str_is(x->pdu.short_message, text))
        fail_msg("'%.*s' in place of '%s'", STR_FMT(x->pdu.short_message), text);
}

void test_expect_nothing(struct test_session *x, int for_ms)
{
    assert_false(test_session_next(x, for_ms));
}
