/* What the tests of messages on their way share: an outlet to the scripted MMSC, and what came of
 * the last message. */
#pragma once

#include "carriers/test_wire.h"

struct test_outlet {
    struct mm7_outlet *outlet;
    struct mm7_outcome outcome; /* of the last that was told */
    int told, closed;
};

extern struct test_outlet test_outlet;

/* With the section as it is now; closed, and waited for. */
void test_outlet_open(void);
void test_outlet_close(void);
/* The two halves of closing. */
void test_outlet_begin_close(void);
void test_outlet_until_closed(void);
void test_outlet_abort(void);

void test_outlet_send(struct message *m);
/* A message with these files; with one. */
void test_outlet_give(const char *const files[]);
void test_outlet_give_one(void);
void test_outlet_until_told(int count);
