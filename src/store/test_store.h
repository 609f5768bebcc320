/* A store for unit tests: real SQLite in memory-backed files, gone when it is closed. */
#pragma once

#include "store/store.h"

enum { TEST_FOLDER_SIZE = 48 };

/* A fresh folder, in memory where the system has such; and its end with all that is in it. */
void test_folder_make(char made[TEST_FOLDER_SIZE]);
void test_folder_remove(const char *old);

/* One at a time. Fails the test when it cannot be opened. */
struct store *test_store_open(const struct clock *clock);
void test_store_close(struct store *s);
