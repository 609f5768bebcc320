/* A scripted MMSC, which the test plays itself. */
#pragma once

#include "carriers/test_config.h"
#include "net/test_http.h"

extern struct test_listener test_mmsc;
extern struct config_mmsc test_section; /* leads to it; changed before it is used */

void test_mmsc_init(void);
void test_mmsc_done(void);

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
