/* Checks of what several requests have. Those with a problem return false and fill it; it names the
 * field and the remedy. */
#pragma once

#include "messaging/problem.h"

enum { TEXT_MAX_POINTS = 1600 };

bool check_number(struct str number, const char *field, struct arena *a, struct problem *problem);
/* Of the field "text". Only with media may it be empty. */
bool check_text(struct str text, bool has_media, struct arena *a, struct problem *problem);
/* Of valid UTF-8: U+0000 to U+001F and U+007F to U+009F. */
bool check_has_control(struct str s);
