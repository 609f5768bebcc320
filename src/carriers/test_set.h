/* What the tests of the set share: all live carriers on the test's loop, with real store, writer,
 * dispatch, receipts and arrivals behind them, and a scripted SMSC and MMSC before them. */
#pragma once

#include "carriers/carrier_set.h"
#include "carriers/test_mmsc.h"
#include "carriers/test_smsc.h"
#include "messaging/test_dispatch.h"

extern struct carrier_set *test_set;
extern struct test_smsc test_smsc;
extern struct config_carrier test_sections[4]; /* "one", "two", …: all lead to the SMSC */
extern char test_why[CARRIER_SET_WHY_SIZE];

int test_set_set_up(void **state);
int test_set_tear_down(void **state);
/* The server's end and its next start, in the same store. */
void test_set_restart(void);

/* With that section of an MMSC besides; NULL: none, as at first. */
void test_set_mmsc(struct config_mmsc *section);
/* The first `count` sections are the configuration now; how that went. */
int test_set_update(size_t count);
/* The same, and it goes well. */
void test_set_up_to(size_t count);
/* The number of a carrier, by its place among the sections. */
unsigned test_set_number(size_t section);

/* A live message for a carrier, as the API would have it stored. */
int64_t test_set_send(unsigned carrier, const char *text);
void test_set_until(int64_t message, enum message_status status);
/* What the store says of a carrier. */
struct carrier_record test_set_record(const char *name);
/* Waits until it is so noted. */
void test_set_until_state(const char *name, enum carrier_state state);
/* Waits until its health is at most, or at least, so good. */
void test_set_until_dead(const struct carrier *c);
void test_set_until_well(const struct carrier *c);
/* The same words from the SMSC's side: a submit_sm with this text comes and is taken. */
void test_set_take(struct test_session *x, const char *text, const char *id);

#define SET_TEST(function)                                                                         \
    cmocka_unit_test_setup_teardown(function, test_set_set_up, test_set_tear_down)
