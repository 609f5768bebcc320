/* What the tests of MMSCs share: a wire with its two threads, a store that has the media files of
 * messages, a scripted MMSC before it, and the test in the place of dispatch. */
#pragma once

#include "carriers/mm7_carrier.h"
#include "carriers/mm7_wire.h"
#include "carriers/test_lane.h"
#include "carriers/test_mmsc.h"
#include "store/test_fixture.h"

extern struct mm7_wire *test_wire;

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

#define MMSC_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_mmsc_set_up, test_mmsc_tear_down)
#define WIRE_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_wire_set_up, test_wire_tear_down)
