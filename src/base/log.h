/* The log: one line per event on stderr, text on a terminal and JSON otherwise.
 * Upper layers log, once, with the object's id. Never message text, keys, or whole numbers: those
 * go through log_number. What is logged while a request is worked on carries its id. */
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

/* A fact of an event that machines may look for: a member of the line in JSON, name=text in text.
 */
struct log_field {
    const char *name;
    struct str text; /* p == NULL: it is the number */
    int64_t number;
};

void log_event_with(enum log_level level, const char *event, const struct log_field *fields,
                    size_t count, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* What this thread logs until the end belongs to this request. The id is copied. */
void log_begin_request(const char *id);
void log_end_request(void);

enum { LOG_NUMBER_SIZE = 16 };

/* A phone number as it may be logged, "+1555***4567": the front and the end of it, however it is
 * written. Of a short one the end alone. Names of senders stay as they are, as far as there is
 * room.
 */
const char *log_number(struct str number, char out[LOG_NUMBER_SIZE]);
