/* What the tests of a carrier of any kind share: in the place of dispatch, receipts and arrivals
 * stands the test itself. All of it belongs to the loop's thread, and to the test while that stands
 * still. */
#pragma once

#include "base/config.h"
#include "carriers/live_carrier.h"
#include "net/test_peer.h"

enum { TEST_PARCELS = 64, TEST_DELIVERIES = 16, TEST_CARRIER_NUMBER = 7 };

struct parcel {
    struct message message;
    void *note;
    int result; /* of submit */
    int answers, settlements;
    int order; /* of its answer among all */
    enum carrier_outcome outcome;
    enum failure failure;
    unsigned parts;
    char ids[CARRIER_PARTS_MAX][66];
    char detail[256];
};

/* A receipt or a message from a handset. */
struct test_delivery {
    bool is_receipt;
    unsigned carrier;
    char id[66], text[200];
    enum receipt_word word;
    void (*done)(void *context, int result);
    void *context;
};

struct test_port {
    struct live_carrier *carrier;
    struct config_carrier config; /* changed by a test before it starts the carrier */
    struct parcel parcels[TEST_PARCELS];
    int count, stopped;
    _Atomic int answers, ready; /* any thread may look */
    _Atomic size_t waiting;     /* in dispatch, for the carrier */
    _Atomic size_t fetching;    /* the same, without their media */
    bool settle;                /* at once when answered */
    struct test_delivery deliveries[TEST_DELIVERIES];
    int delivery_count;
};

extern struct test_port test_port;

/* Everything anew; what it was told is settled at once. The carrier is the test's to make. */
void test_port_init(void);

/* What dispatch would do, on the loop's thread; the number of the parcel. Texts are not copied. */
int test_port_submit_message(const struct message *m);
void test_port_settle(int parcel);
void test_port_drain(bool drained);
void test_port_tick(void);
void test_port_stop(void);
/* Stops it as at the end of the program. */
void test_port_hurry(void);
size_t test_port_room(void);
int test_port_health(void);
struct carrier_record test_port_state(void);
/* The delivery is on disk (0), or not. */
void test_port_written(int delivery, int result);

void test_port_until_answered(int parcel);
void test_port_until_deliveries(int count);
void test_port_until_stopped(void);
void test_port_until_room(size_t room);
/* It was answered like this. */
void test_port_assert_outcome(int parcel, enum carrier_outcome outcome);
