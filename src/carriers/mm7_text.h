/* Texts of messages from handsets, in UTF-8 and fit to be shown: line ends are newlines, and other
 * control characters are blanks. Pure. */
#pragma once

#include "mm7/mime.h"

/* What a message shows of its text, in bytes; and what is kept of it in all. A hundred messages of
 * the first make a page, and the second has room beside the request in its arena. */
enum { MM7_TEXT_SHOWN = 16000, MM7_TEXT_MAX = 8 << 20 };

/* A text in an alphabet that is known here; others stay files. */
bool mm7_text_is(const struct mm7_part *p);

/* All texts of the parts, one below the other; p is NULL when memory is short. */
struct str mm7_text_join(struct arena *a, const struct mm7_part *parts, size_t count);
/* Its front: MM7_TEXT_SHOWN bytes at most, whole characters. */
struct str mm7_text_front(struct str text);

/* A line of UTF-8: a newline or tab in it is a blank, too. `max` bytes at most, whole characters. p
 * is NULL when memory is short. */
struct str mm7_text_line(struct arena *a, struct str text, size_t max);
