/* What the files of the configuration know of each other: config.c gathers, config_file.c reads the
 * INI file, config_section.c has the sections with a name, config_value.c understands one value,
 * config_check.c and config_mmsc.c look whether all of it fits together. */
#pragma once

#include "base/config.h"

enum { CONFIG_FAULT_SIZE = 256 };

/* A load in progress. */
struct config_load {
    struct config *config;
    struct config_report *report;
    bool lost; /* a section was not understood; what is missing may have been meant by it */
};

/* Both write one line "PLACE: sentence" into the report. */
void config_fault(struct config_load *l, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void config_warn(struct config_load *l, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets a row's value and its origin `place`, or reports there why not. */
void config_apply(struct config_load *l, const struct config_row *row, const char *text,
                  const char *place);
/* The same for a row of a section's kind. */
void config_section_apply(struct config_load *l, unsigned kind, struct config_section *s,
                          const struct config_row *row, const char *text, const char *place);

/* Sets the member of `object` that the row describes. False: `fault` says what the value must be;
 * nothing is changed then. */
bool config_value_set(struct arena *memory, void *object, const struct config_row *row,
                      const char *text, char fault[CONFIG_FAULT_SIZE]);

/* Reads the file at `path` into the configuration. */
void config_file_read(struct config_load *l, const char *path);

/* The kind whose word this is; CONFIG_KIND_COUNT: none. */
unsigned config_kind_find(struct str word);
/* Finds the section of this name, or begins it with defaults; NULL: `place` has been told why not.
 */
struct config_section *config_section_open(struct config_load *l, unsigned kind, const char *name,
                                           const char *place);
struct config_section *config_section_find(const struct config *c, unsigned kind, struct str name);
/* Where a row of a section was set. */
const char *config_section_origin(unsigned kind, const struct config_section *s, const char *key);
/* Marks one that has got faults since there were `before` in the report. */
void config_section_judge(const struct config_load *l, struct config_section *s, unsigned before);
/* The plans that are there without a file. */
void config_plans_ship(struct config_load *l);

/* An address over HTTP, with or without TLS. */
bool config_url_good(const char *url);
/* Whether there is a name, or a password, before its host: there it would be shown with it. */
bool config_url_has_user(const char *url);
/* What is wrong with sections [mmsc NAME]. */
void config_check_mmscs(struct config_load *l);
/* When everything has been read: what is missing, and what contradicts itself. */
void config_check(struct config_load *l);
