/* For tests that look behind the store: statements on its file, and its books. */
#pragma once

#include "store/test_fixture.h"

/* On a connection of its own. */
void test_sql(const char *sql);
/* Nothing was counted wrong, whichever way one looks. */
void test_check_books(void);
