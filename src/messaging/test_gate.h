/* Waiting for the test's writer, and stopping it where a test wants it to stand still. */
#pragma once

#include "store/writer.h"

extern struct writer *test_writer;

/* All that was posted to the writer is done. */
void test_wait_for_writer(void);
/* Between the two the writer stands still. */
void test_close_gate(void);
void test_open_gate(void);
