/* For tests that look behind the store: statements on its file, and its books. */
#pragma once

#include "store/test_fixture.h"

/* On a connection of its own. */
void test_sql(const char *sql);
/* The number that a statement yields. */
int64_t test_number(const char *format, ...) __attribute__((format(printf, 1, 2)));
int64_t test_rows_of(const char *table);
/* Nothing was counted wrong, whichever way one looks. */
void test_check_books(void);
