/* What the three files of the configuration know of each other: config.c gathers, config_file.c
 * reads the INI file, config_value.c understands one value. */
#pragma once

#include "base/config.h"

enum { CONFIG_FAULT_SIZE = 256 };

/* A load in progress. */
struct config_load {
    struct config *config;
    struct config_report *report;
};

/* Both write one line "PLACE: sentence" into the report. */
void config_fault(struct config_load *l, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void config_warn(struct config_load *l, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets a row's value and its origin `place`, or reports there why not. */
void config_apply(struct config_load *l, const struct config_row *row, const char *text,
                  const char *place);

/* False: `fault` says what the value must be. Nothing is changed then. */
bool config_value_set(struct config *c, const struct config_row *row, const char *text,
                      char fault[CONFIG_FAULT_SIZE]);
/* A whole number within limits; fault as above. */
bool config_value_integer(const char *text, int64_t least, int64_t most, int64_t *ret,
                          char fault[CONFIG_FAULT_SIZE]);

/* Reads the file at `path` into the configuration. */
void config_file_read(struct config_load *l, const char *path);
/* Adds a plan, or finds the one of that name; NULL when there are too many. */
struct config_plan *config_plan_add(struct config *c, const char *name);
