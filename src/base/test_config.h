/* Configurations that tests write and load. */
#pragma once

#include "base/config.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

extern char config_path[64];
extern struct config *config; /* what was loaded last; NULL when it was faulty */
extern struct config_report config_report;
extern char *home_only[]; /* an environment */

int config_setup(void **state);
int config_teardown(void **state);
#define CONFIG_CASE(name) cmocka_unit_test_setup_teardown(name, config_setup, config_teardown)

/* A source whose file holds this text. */
struct config_source source_of(const char *text);
int load(const struct config_source *source);
void load_good(const char *text);
void check_lines(const struct buf *b, const char *want);
/* Loads a file that has one fault, on `line`. */
void check_fault(const char *text, int line, const char *message);
