/* What tests of MM7 share: an arena for each test, and how views are compared. */
#pragma once

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct arena arena;

static inline int set_up(void **state)
{
    arena_init(&arena, 4 << 20);
    return 0;
}

static inline int tear_down(void **state)
{
    arena_done(&arena);
    return 0;
}

#define CASE(name)     cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define IS(view, text) assert_true(str_is((view), (text)))
