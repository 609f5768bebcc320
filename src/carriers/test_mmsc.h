/* What the tests of MMSCs share: a wire with its two threads, a store that has the media files of
 * messages, and a scripted MMSC, which the test plays itself. */
#pragma once

#include "carriers/mm7_carrier.h"
#include "carriers/mm7_wire.h"
#include "carriers/test_config.h"
#include "carriers/test_lane.h"
#include "net/test_http.h"
#include "store/test_fixture.h"

extern struct mm7_wire *test_wire;
extern struct test_listener test_mmsc;
extern struct config_mmsc test_section; /* leads to the MMSC; changed before it is used */

/* Store, wire and MMSC. */
int test_wire_set_up(void **state);
int test_wire_tear_down(void **state);
/* The same, and a carrier in test_port that does not run yet. */
int test_mmsc_set_up(void **state);
int test_mmsc_tear_down(void **state);
struct mm7_settings *test_mmsc_settings(void);
/* With the section as it is now. */
void test_mmsc_start(void);

/* A message with these media files, in the store; up to three, NULL behind the last. */
struct message test_mms(const char *text, const char *const files[]);
/* One with one file, given to the carrier: the number of its parcel. */
int test_mmsc_submit(void);

/* The MMSC gets a whole request on a new connection; on one that is there. */
void test_mmsc_take(struct test_peer *p);
void test_mmsc_take_more(struct test_peer *p);
/* Whether somebody comes within this time. */
bool test_mmsc_is_alone(int for_ms);
/* Answers with this status of HTTP and this body of SOAP. */
void test_mmsc_answer(struct test_peer *p, unsigned status, const char *body);
/* As an answer to a SubmitReq; id "" = none. */
void test_mmsc_say(struct test_peer *p, unsigned code, const char *id);
/* Takes and answers 1000, on a new connection that is then closed. */
void test_mmsc_accept(const char *id);

#define TEST_SOAP(inside)                                                                          \
    "<?xml version=\"1.0\"?><env:Envelope "                                                        \
    "xmlns:env=\"http://schemas.xmlsoap.org/soap/envelope/\"><env:Body>" inside                    \
    "</env:Body></env:Envelope>"

#define MMSC_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_mmsc_set_up, test_mmsc_tear_down)
#define WIRE_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_wire_set_up, test_wire_tear_down)
