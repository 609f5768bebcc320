/* The log: one line per event on stderr, text on a terminal and JSON otherwise.
 * Upper layers log, once, with the object's id. Never message text, keys, or whole numbers. */
#pragma once

#include "base/str.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };

/* Called before threads start. */
void log_init(enum log_level least, bool json);
/* Whether it would be written: for lines that cost something to make. */
bool log_wants(enum log_level level);
void log_event(enum log_level level, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define log_debug(...)   log_event(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)    log_event(LOG_INFO, __VA_ARGS__)
#define log_warning(...) log_event(LOG_WARNING, __VA_ARGS__)
#define log_error(...)   log_event(LOG_ERROR, __VA_ARGS__)
