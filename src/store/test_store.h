/* A store for unit tests: real SQLite in memory-backed files, gone when it is closed. */
#pragma once

#include "store/store.h"

/* One at a time. Fails the test when it cannot be opened. */
struct store *test_store_open(const struct clock *clock);
void test_store_close(struct store *s);
