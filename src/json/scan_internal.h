/* Shared by scan.c, which owns the structure, and scan_string.c, which owns the strings. */
#pragma once

#include "json/scan.h"

/* Notes what is wrong, and returns -EBADMSG. The text that the message shows runs from `from` to
 * the next character, which is the one at fault... */
int json_fault_from(struct json_scan *s, const char *what, const char *from);
/* ...or to `to`. */
int json_fault_between(struct json_scan *s, const char *what, const char *from, const char *to);
/* The next character alone, or that the text is over. */
int json_fault(struct json_scan *s, const char *what);

/* At a quote. */
int json_scan_string(struct json_scan *s, struct json_value *ret);
