/* What the tests of links share: a link on the test's loop, and all that it told. */
#pragma once

#include "carriers/smpp_link.h"
#include "carriers/test_smsc.h"

enum { TEST_LINK_MANY = 64, TEST_LINK_AGES_MS = 60000 /* longer than any test */ };

struct test_answer {
    int request;
    bool is_nothing;
    uint32_t command, status;
    bool has_body;
    char message_id[65];
};

struct test_link;
typedef void test_link_hook(struct test_link *t);

/* Belongs to the loop's thread, and to the test after test_loop_do. */
struct test_link {
    struct smpp_link *link;
    struct smpp_link_options options; /* changed by a test before it starts the link */

    int bound, lost, stopped, answers, deliveries;
    char why[256]; /* of the last loss */
    struct test_answer answered[TEST_LINK_MANY];
    uint64_t tokens[TEST_LINK_MANY]; /* of deliveries */
    char texts[TEST_LINK_MANY][64];
    bool in_call; /* of ours: no callback may come */

    test_link_hook *on_bound, *on_lost, *on_answered, *on_delivered, *on_stopped;
};

extern struct test_link test_link;
extern struct test_smsc test_smsc;
extern struct test_session test_session; /* the connection that the test speaks on */

/* A loop, a listening SMSC, and a link to it that is not started: with long times everywhere but
 * between two connections. */
int test_link_set_up(void **state);
int test_link_tear_down(void **state);
void test_link_start(void);
void test_link_free(void);
/* Started, connected and bound. */
void test_link_up(void);

/* The hook is called there, once. */
void test_link_when(test_link_hook **place, test_link_hook *hook);

/* What links can be told, on the loop's thread. */
int test_link_send(int request);
void test_link_send_now(struct test_link *t, int request, int expected); /* from a callback */
void test_link_respond(uint64_t token, uint32_t status);
void test_link_rebind(void);
void test_link_stop(void);
void test_link_rebind_now(struct test_link *t);
void test_link_stop_now(struct test_link *t);
unsigned test_link_room(void);

/* Waits until it was told so often. */
void test_link_until_bound(int times);
void test_link_until_lost(int times);
void test_link_until_answers(int times);
void test_link_until_deliveries(int times);
void test_link_until_stopped(void);

#define LINK_TEST(function)                                                                        \
    cmocka_unit_test_setup_teardown(function, test_link_set_up, test_link_tear_down)
