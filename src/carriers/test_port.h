/* What the tests of a carrier over SMPP share: one on the test's loop with a scripted SMSC before
 * it, and the test behind it (test_lane.h). */
#pragma once

#include "carriers/smpp_carrier.h"
#include "carriers/test_config.h"
#include "carriers/test_lane.h"
#include "carriers/test_smsc.h"

extern struct test_smsc test_smsc;
extern struct test_session test_session; /* the first connection */

int test_port_set_up(void **state);
int test_port_tear_down(void **state);
/* Started with the settings as they are now. */
void test_port_start(void);
/* The same, connected and bound: one transceiver. */
void test_port_up(void);

int test_port_submit(const char *text);
struct message test_port_message(const char *text);

/* The next PDU is a submit_sm with this text. */
void test_expect_submit(struct test_session *x, const char *text);
/* Nothing comes for so long. */
void test_expect_nothing(struct test_session *x, int for_ms);

#define PORT_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_port_set_up, test_port_tear_down)
