/* The life of a link: bound, refused, lost; time limits, TLS, the log. */
#include "base/clock.h"
#include "base/log.h"
#include "carriers/test_link.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static struct test_tls tls_files, other_files;

static void test_binds_as_told(void **state)
{
    static const struct {
        enum smpp_bind bind;
        uint32_t command;
    } cases[] = {{SMPP_BIND_TRX, SMPP_BIND_TRANSCEIVER},
                 {SMPP_BIND_TX, SMPP_BIND_TRANSMITTER},
                 {SMPP_BIND_RX, SMPP_BIND_RECEIVER}};

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(test_link_set_up(state), 0);
        test_link.options.bind = cases[i].bind;
        test_link_start();
        test_session_accept(&test_session, &test_smsc);
        test_session_expect(&test_session, cases[i].command);
        const struct smpp_pdu *pdu = &test_session.pdu;
        assert_true(str_is(pdu->system_id, "user"));
        assert_true(str_is(pdu->password, "secret"));
        assert_true(str_is(pdu->system_type, "VMA"));
        assert_int_equal(pdu->interface_version, 0x34);
        assert_int_equal(pdu->sequence, 1);
        assert_int_equal(test_link_room(), 0);
        assert_int_equal(test_link_send(1), -EAGAIN);
        test_session_answer(&test_session, 0);
        test_link_until_bound(1);
        assert_int_equal(test_link_room(), 10);
        assert_int_equal(test_link_tear_down(state), 0);
    }
}

static void test_bind_answer_without_body(void **state)
{
    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    test_peer_send(&test_session.peer, STR("\0\0\0\x10\x80\0\0\x09\0\0\0\0\0\0\0\x01"));
    test_link_until_bound(1);
}

static void test_bind_answer_in_pieces(void **state)
{
    static const char answer[] = "\0\0\0\x15\x80\0\0\x09\0\0\0\0\0\0\0\x01smsc";

    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    for (size_t i = 0; i < sizeof answer; i++) {
        test_peer_send(&test_session.peer, (struct str){answer + i, 1});
        test_loop_settle();
    }
    test_link_until_bound(1);
}

/* ---- refused ---- */

static void refuse(uint32_t status)
{
    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    test_session_answer(&test_session, status);
    test_link_until_lost(1);
    assert_int_equal(test_link.bound, 0);
}

static void test_refused_for_credentials_waits_long(void **state)
{
    static const uint32_t statuses[] = {0x0d, 0x0e, 0x0f};

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(test_link_set_up(state), 0);
        refuse(statuses[i]);
        assert_true(test_smsc_is_alone(&test_smsc, 40));
        assert_int_equal(test_link_tear_down(state), 0);
    }
}

static void test_refused_with_words(void **state)
{
    refuse(0x0e);
    assert_string_equal(test_link.why, "the bind was refused with ESME_RINVPASWD (0x0000000e): "
                                       "look at system_id and password");
}

static void test_refused_otherwise_tries_again(void **state)
{
    refuse(0x05);
    assert_string_equal(test_link.why, "the bind was refused with ESME_RALYBND (0x00000005)");
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(1);
}

static void test_bind_nacked(void **state)
{
    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    test_session_send(&test_session, (struct smpp_pdu){.command = SMPP_GENERIC_NACK,
                                                       .status = 0x03,
                                                       .sequence = test_session.pdu.sequence});
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "the bind was refused with ESME_RINVCMDID (0x00000003)");
}

static void test_credentials_that_no_bind_can_hold(void **state)
{
    test_link.options.system_id = "longer than fifteen";
    test_link_start();
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "system_id, password or system_type is too long for a bind");
}

static void test_bind_timeout(void **state)
{
    test_link.options.bind_timeout_ms = 20;
    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    test_session_ends(&test_session);
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "the bind was not answered in time");
}

/* ---- lost ---- */

static void test_nobody_listens(void **state)
{
    test_smsc_done(&test_smsc);
    test_link_start();
    test_link_until_lost(3);
    assert_non_null(strstr(test_link.why, "connection refused"));
    assert_int_equal(test_link.bound, 0);
    test_smsc_init(&test_smsc, NULL); /* for the tear-down */
}

/* Everything in flight is told before the loss, and then it binds again. */
static void test_disconnect_mid_window(void **state)
{
    test_link_up();
    for (int i = 1; i <= 5; i++)
        assert_int_equal(test_link_send(i), 0);
    for (int i = 1; i <= 5; i++) {
        test_session_expect(&test_session, SMPP_SUBMIT_SM);
        if (i == 2)
            test_session_answer_id(&test_session, "A2");
    }
    test_link_until_answers(1);
    test_session_close(&test_session);
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "the peer closed the connection");
    assert_int_equal(test_link.answers, 5);
    assert_false(test_link.answered[0].is_nothing);
    static const int left[] = {1, 3, 4, 5};
    for (int i = 0; i < 4; i++) {
        assert_true(test_link.answered[i + 1].is_nothing);
        assert_int_equal(test_link.answered[i + 1].request, left[i]);
    }
    test_session_bind(&test_session, &test_smsc);
    assert_int_equal(test_session.pdu.sequence, 1); /* each connection counts anew */
    test_link_until_bound(2);
    assert_int_equal(test_link_room(), 10);
}

static void test_request_that_is_not_answered(void **state)
{
    test_link.options.response_timeout_ms = 40;
    test_link_up();
    assert_int_equal(test_link_send(7), 0);
    test_session_ends(&test_session);
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "a request was not answered in time");
    assert_int_equal(test_link.answers, 1);
    assert_int_equal(test_link.answered[0].request, 7);
    assert_true(test_link.answered[0].is_nothing);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
}

static void test_silence_is_asked_about(void **state)
{
    test_link.options.enquire_ms = 250;
    test_link_up();
    for (int i = 0; i < 4; i++) {
        test_session_expect(&test_session, SMPP_ENQUIRE_LINK);
        assert_int_equal(test_session.pdu.sequence, i + 2);
        test_session_answer(&test_session, 0);
    }
    assert_int_equal(test_link.lost, 0);
}

/* While something comes, no sign of life is asked for. */
static void test_a_busy_link_is_not_asked(void **state)
{
    test_link.options.enquire_ms = 500;
    test_link_up();
    for (int i = 0; i < 60; i++) {
        test_session_send(&test_session, (struct smpp_pdu){.command = SMPP_ALERT_NOTIFICATION});
        assert_false(test_session_next(&test_session, 10));
    }
}

static void test_two_missed_enquiries(void **state)
{
    test_link.options.enquire_ms = 20;
    test_link_up();
    assert_int_equal(test_link_send(1), 0);
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_expect(&test_session, SMPP_ENQUIRE_LINK);
    test_session_expect(&test_session, SMPP_ENQUIRE_LINK);
    assert_false(test_session_next(&test_session, TEST_PEER_PATIENCE_MS));
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "it is silent: two enquire_link were not answered");
    assert_true(test_link.answered[0].is_nothing);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
}

/* Before the link can do anything about the first. */
static void rebind_twice(void *context)
{
    test_link_rebind_now(&test_link);
    test_link_rebind_now(&test_link);
}

static void test_rebind(void **state)
{
    test_link_up();
    assert_int_equal(test_link_send(1), 0);
    test_link_rebind();
    test_link_until_lost(1);
    assert_string_equal(test_link.why, "because");
    assert_true(test_link.answered[0].is_nothing);
    test_session_ends(&test_session);
    test_session_close(&test_session);
    test_session_bind(&test_session, &test_smsc);
    test_link_until_bound(2);
    test_loop_do(rebind_twice, NULL);
    test_link_until_lost(2);
    test_loop_settle();
    assert_int_equal(test_link.lost, 2);
}

/* ---- TLS ---- */

static void test_tls(void **state)
{
    struct tls_client *client = test_tls_trust(tls_files.ca);

    test_smsc.listener.tls = tls_files.context;
    test_link.options.tls = client;
    test_link_up();
    assert_int_equal(test_link_send(1), 0);
    test_session_expect(&test_session, SMPP_SUBMIT_SM);
    test_session_answer_id(&test_session, "A1");
    test_link_until_answers(1);
    assert_string_equal(test_link.answered[0].message_id, "A1");
    test_link_stop();
    test_session_expect(&test_session, SMPP_UNBIND);
    test_session_answer(&test_session, 0);
    test_link_until_stopped();
    test_link_free();
    tls_client_free(client);
}

static void check_distrust(const char *ca, const char *name, const char *why)
{
    struct tls_client *client = test_tls_trust(ca);
    struct test_peer peer;

    test_smsc.listener.tls = tls_files.context;
    test_link.options.tls = client;
    test_link.options.tls_name = name;
    test_link_start();
    assert_false(test_peer_accept(&peer, &test_smsc.listener, TEST_PEER_PATIENCE_MS));
    test_link_until_lost(1);
    assert_string_equal(test_link.why, why);
    test_link_free();
    tls_client_free(client);
}

static void test_tls_with_another_authority(void **state)
{
    char why[256];

    snprintf(why, sizeof why, "TLS: the certificate is not signed by an authority in %s",
             other_files.ca);
    check_distrust(other_files.ca, NULL, why);
}

static void test_tls_with_another_name(void **state)
{
    check_distrust(tls_files.ca, "smsc.example.com",
                   "TLS: the certificate is for other names than smsc.example.com");
}

/* ---- the log ---- */

/* What is written to stderr while `act` runs. */
static void capture_log(void (*act)(void), char *ret, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);

    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    act();
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    ret[fread(ret, 1, size - 1, file)] = '\0';
    fclose(file);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;

    for (; (text = strstr(text, word)); text++)
        count++;
    return count;
}

static void lose_it_thrice(void)
{
    test_link_up();
    test_session_close(&test_session);
    test_smsc_done(&test_smsc);
    test_link_until_lost(5);
}

static void test_troubles_are_logged_once(void **state)
{
    char log[8192];

    capture_log(lose_it_thrice, log, sizeof log);
    test_smsc_init(&test_smsc, NULL);
    assert_int_equal(count_of(log, "acme/1 is bound as transceiver to 127.0.0.1 port"), 1);
    assert_int_equal(count_of(log, "acme/1 is lost: the peer closed the connection; "), 1);
    assert_int_equal(count_of(log, "connection refused"), 1);
    assert_int_equal(count_of(log, "\n"), 3);
}

static void bind_with_version(void)
{
    static const char version[] = "\x02\x10\x00\x01\x50";

    test_link_start();
    test_session_accept(&test_session, &test_smsc);
    test_session_expect(&test_session, SMPP_BIND_TRANSCEIVER);
    test_session_send(&test_session,
                      (struct smpp_pdu){.command = SMPP_BIND_TRANSCEIVER | SMPP_RESPONSE,
                                        .sequence = 1,
                                        .tlvs = {version, 5}});
    test_link_until_bound(1);
}

static void test_version_of_the_peer_is_noted(void **state)
{
    char log[8192];

    capture_log(bind_with_version, log, sizeof log);
    assert_int_equal(count_of(log, ", which speaks SMPP 5.0"), 1);
}

static void test_pdus_are_logged_for_debugging(void **state)
{
    char log[8192];

    log_init(LOG_DEBUG, false);
    capture_log(test_link_up, log, sizeof log);
    log_init(LOG_INFO, false);
    assert_int_equal(count_of(log, "acme/1 -> bind_transceiver"), 1);
    assert_int_equal(count_of(log, "acme/1 <- bind_transceiver_resp"), 1);
    assert_int_equal(count_of(log, "secret"), 0);
}

static int set_up(void **state)
{
    test_tls_init(&tls_files, clock_now_us(&clock_real));
    test_tls_init(&other_files, clock_now_us(&clock_real));
    return 0;
}

static int tear_down(void **state)
{
    test_tls_done(&tls_files);
    test_tls_done(&other_files);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binds_as_told),
        LINK_TEST(test_bind_answer_without_body),
        LINK_TEST(test_bind_answer_in_pieces),
        cmocka_unit_test(test_refused_for_credentials_waits_long),
        LINK_TEST(test_refused_with_words),
        LINK_TEST(test_refused_otherwise_tries_again),
        LINK_TEST(test_bind_nacked),
        LINK_TEST(test_credentials_that_no_bind_can_hold),
        LINK_TEST(test_bind_timeout),
        LINK_TEST(test_nobody_listens),
        LINK_TEST(test_disconnect_mid_window),
        LINK_TEST(test_request_that_is_not_answered),
        LINK_TEST(test_silence_is_asked_about),
        LINK_TEST(test_a_busy_link_is_not_asked),
        LINK_TEST(test_two_missed_enquiries),
        LINK_TEST(test_rebind),
        LINK_TEST(test_tls),
        LINK_TEST(test_tls_with_another_authority),
        LINK_TEST(test_tls_with_another_name),
        LINK_TEST(test_troubles_are_logged_once),
        LINK_TEST(test_version_of_the_peer_is_noted),
        LINK_TEST(test_pdus_are_logged_for_debugging),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
