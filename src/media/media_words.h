/* What is said of media files to those who sent them: sentences for a message's history. */
#pragma once

#include "media/sniff.h"

enum { MEDIA_URL_SHOWN = 256, MEDIA_WHY_SIZE = 256, MEDIA_DETAIL_SIZE = 640 };

/* Without user, password, query and fragment, which may be secrets, and not longer than 200
 * characters. */
void media_url_shown(struct str url, char out[MEDIA_URL_SHOWN]);
/* "Media 2 of 3 (https://cdn.example/cat.jpg): the server answered 404." `why` begins like a
 * sentence or not, and has a full stop or not. */
void media_detail(char out[MEDIA_DETAIL_SIZE], unsigned number, unsigned of, struct str url,
                  const char *why);

/* ---- whys ---- */

void media_why_status(char out[MEDIA_WHY_SIZE], unsigned status);
/* It alone has `size` bytes, or more, and all together may have `max`. */
void media_why_large(char out[MEDIA_WHY_SIZE], int64_t size, bool alone, int64_t max);
void media_why_type(char out[MEDIA_WHY_SIZE], const struct sniffed *s, struct str content_type);
/* A good file of a kind that the carrier does not take. */
void media_why_kind(char out[MEDIA_WHY_SIZE], enum media_kind kind);
